# A = Q R with orthogonal columns, M >= N, one column after another.
param M, N;
assume N >= 1, M >= N;
tensor f32 a(M,N);
v(k,i,j) for 0<=k<N, 0<=i<M, k<=j<N = case {
	k == 0: a(i,j);
	else: v(k-1,i,j) - q(i,k-1) * r(k-1,j); };
out r(k,j) for 0<=k<N, k<=j<N = case {
	j == k: sqrt(sum(i: v(k,i,k) * v(k,i,k)));
	else: sum(i: q(i,k) * v(k,i,j)); };
out q(i,k) for 0<=i<M, 0<=k<N = v(k,i,k) / r(k,k);
