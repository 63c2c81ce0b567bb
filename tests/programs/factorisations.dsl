# LU without pivots, LDL, Gram-Schmidt with M >= N, Levinson-Durbin.
param M, N;
assume M >= N, N >= 1;
tensor f32 A(M,N), S(N,N), x(N);
a(i,j) for 0<=i<N, 0<=j<N = i == j ? f32(N) + 1 : S(i,j);
u(k,i,j) for 0<=k<N, k<=i<N, k<=j<N = case { k == 0: a(i,j); else: u(k-1,i,j) - u(k-1,i,k-1) / u(k-1,k-1,k-1) * u(k-1,k-1,j); };
out lu(i,j) for 0<=i<N, 0<=j<N = case { j < i: u(j,i,j) / u(j,j,j); else: u(i,i,j); };
w(k,i,j) for 0<=k<N, 0<=i<M, k<=j<N = case { k == 0: A(i,j) + (i == j ? 2 : 0); else: w(k-1,i,j) - q(i,k-1) * r(k-1,j); };
n2(k) for 0<=k<N = sqrt(sum(i: w(k,i,k) * w(k,i,k)));
out q(i,k) for 0<=i<M, 0<=k<N = w(k,i,k) / n2(k);
out r(k,j) for 0<=k<N, k<=j<N = case { j == k: n2(k); else: sum(i: q(i,k) * w(k,i,j)); };
rho(i) = 0.25 * x(i) / f32(N);
be(k) for 0<=k<N = case { k == 0: 1; else: (1 - al(k-1) * al(k-1)) * be(k-1); };
al(k) for 0<=k<N = case { k == 0: -rho(0); else: -(rho(k) + sum(i for 0<=i<k: rho(k-i-1) * durbin(k-1,i))) / be(k); };
durbin(k,i) for 0<=k<N, 0<=i<=k = case { i == k: al(k); else: durbin(k-1,i) + al(k) * durbin(k-1,k-i-1); };
out yule(i) for 0<=i<N = durbin(N-1,i);
