# Sum of each column.
param M, N;
tensor f16 X(M,N);
out Y(j) = f16(sum(i: f32(X(i,j))));
