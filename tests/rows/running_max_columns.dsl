# The largest of all elements of a column up to each.
param M, N;
tensor f16 X(M,N);
out Y(i,j) for 0 <= i < M, 0 <= j < N = case { i == 0: X(0,j); else: max(Y(i-1,j), X(i,j)); };
