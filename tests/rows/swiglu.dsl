# The first half of a row, times its sigmoid, times the second half.
param M, N;
tensor f16 X(M,2*N);
out Y(i,j) for 0 <= j < N = f16(f32(X(i,j)) * sigmoid(f32(X(i,j))) * f32(X(i,N+j)));
