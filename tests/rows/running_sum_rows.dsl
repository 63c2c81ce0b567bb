# The sum of all elements of a row up to each.
param M, N;
tensor f16 X(M,N);
out Y(i,j) for 0 <= i < M, 0 <= j < N = case { j == 0: X(i,0); else: Y(i,j-1) + X(i,j); };
