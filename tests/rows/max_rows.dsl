# Greatest element of each row.
param M, N;
tensor f16 X(M,N);
out Y(i) = max(j: X(i,j));
