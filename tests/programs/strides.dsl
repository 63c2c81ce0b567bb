# Strides, dilations and tiles whose sizes -D gives: products of indices and sizes.
param N, S, T;
tensor f32 x(N,N), w(T);
out y(i,j) for 0 <= i < N and i*S < N, 0 <= j < N and S*j < N = x(i*S, j*S);
out z(i) for 0 <= i < S*T = w(i/S) + w((i*(S+1)) % T);
out c(i) for i >= 0 and i*S + (T-1)*(S-1) < N = sum(k for 0<=k<T: w(k) * x(i*S + k*(S-1), 0));
