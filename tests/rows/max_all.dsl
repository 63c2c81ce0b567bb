# The largest element of all.
param M, N;
tensor f16 X(M,N);
out Y() = f16(max(i, j: f32(X(i,j))));
