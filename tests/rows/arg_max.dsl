# The first greatest element of each row: its column.
param M, N;
tensor f16 X(M,N);
out Y(i) = argmax(j: X(i,j));
