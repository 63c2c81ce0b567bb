# Stencils in place in one dimension, and in two with one periodic.
param T, N;
assume N >= 1;
tensor f32 a(N), c(N,N);
s1(t,i) for 0<=t<=T, 0<=i<N = case { t == 0: a(i); i == 0 or i == N-1: s1(t-1,i); else: 0.25 * (s1(t,i-1) + 2 * s1(t-1,i) + s1(t-1,i+1)); };
out seidel1d(i) = s1(T,i);
p2(t,i,j) for 0<=t<=T, 0<=i<N, 0<=j<N = case { t == 0: c(i,j); i == 0: 0.5 * p2(t-1,N-1,j) + 0.5 * p2(t-1,i,j); else: 0.5 * p2(t-1,i-1,j) + 0.5 * p2(t-1,i,j); };
out periodic2d(i,j) = p2(T,i,j);
