# Domains of many shapes: shifted, strided, triangular, with holes, empty.
param N, M;
tensor f32 x(N), A(N,M);
out shifted(i) for -3<=i<N-3 = x(i+3);
out strided(i) for 0<=3*i<N = x(3*i);
out upper(i,j) for 0<=i<N, i<=j<M = A(i,j);
out band(i,j) for 0<=i<N, 0<=j<M, -1<=i-j<=1 = A(i,j);
out even(i) for 0<=i<N, i%2==0 = x(i/2);
out holes(i) for 0<=i<N, i != 3 and i%5 != 1 = x(i);
out diamond(i,j) for 0<=i<N, 0<=j<M, i+j>=2, i+j<N+M-3 = A(i,j);
out reversed(i) for 0<=i<N = x(N-1-i);
out halves(i) for 0<=i<N = case { 2*i < N: x(2*i); else: x(2*i-N); };
out blocks(b,i) for 0<=b, 0<=i<4, 4*b+i<N = x(4*b+i);
out skewed(t,i) for 0<=t-i<N, 0<=i<M, 0<=t<N+M = A(t-i,i);
