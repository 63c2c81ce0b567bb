# All shortest paths, by the largest node on the way.
param N;
tensor f32 w(N,N);
d(k,i,j) for -1<=k<N, 0<=i<N, 0<=j<N = case {
	k == -1: abs(w(i,j));
	else: min(d(k-1,i,j), d(k-1,i,k) + d(k-1,k,j)); };
out path(i,j) for 0<=i<N, 0<=j<N = d(N-1,i,j);
