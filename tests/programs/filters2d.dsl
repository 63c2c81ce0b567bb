# Deriche's recursive filter in two dimensions, and sweeps of ADI.
param T, N, M;
assume N >= 1, M >= 1;
tensor f32 img(N,M), u0(N,N);
y1(i,j) for 0<=i<N, -2<=j<M = case { j < 0: 0; j == 0: 0.25 * img(i,j); else: 0.25 * img(i,j) + 0.125 * img(i,j-1) + 0.5 * y1(i,j-1) - 0.25 * y1(i,j-2); };
y2(i,j) for 0<=i<N, 0<=j<M+2 = case { j >= M: 0; j == M-1: 0; else: 0.125 * img(i,j+1) + 0.5 * y2(i,j+1) - 0.25 * y2(i,j+2); };
half(i,j) = y1(i,j) + y2(i,j);
z1(i,j) for -2<=i<N, 0<=j<M = case { i < 0: 0; i == 0: 0.25 * half(i,j); else: 0.25 * half(i,j) + 0.125 * half(i-1,j) + 0.5 * z1(i-1,j) - 0.25 * z1(i-2,j); };
z2(i,j) for 0<=i<N+2, 0<=j<M = case { i >= N-1: 0; else: 0.125 * half(i+1,j) + 0.5 * z2(i+1,j) - 0.25 * z2(i+2,j); };
out deriche(i,j) for 0<=i<N, 0<=j<M = z1(i,j) + z2(i,j);
u(t,i,j) for 0<=t<=T, 0<=i<N, 0<=j<N = case { t == 0: u0(i,j); j == N-1: 1; else: back(t,i,j); };
p(t,i,j) for 1<=t<=T, 0<=i<N, 0<=j<N = case { j == 0: f32(0); else: f32(0.25) / (1.5 - 0.25 * p(t,i,j-1)); };
q(t,i,j) for 1<=t<=T, 0<=i<N, 0<=j<N = case { j == 0: 1; else: (0.5 * u(t-1,j,i) + 0.25 * q(t,i,j-1)) / (1.5 - 0.25 * p(t,i,j-1)); };
back(t,i,j) for 1<=t<=T, 0<=i<N, 0<=j<N = case { j == N-1: 1; else: p(t,i,j) * back(t,i,j+1) + q(t,i,j); };
out adi(i,j) = u(T,i,j);
