# The sum of all elements up to each.
param N;
tensor f16 X(N);
out Y(i) for 0 <= i < N = case { i == 0: X(0); else: Y(i-1) + X(i); };
