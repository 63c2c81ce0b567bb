# Sum of each row.
param M, N;
tensor f16 X(M,N);
out Y(i) = f16(sum(j: f32(X(i,j))));
