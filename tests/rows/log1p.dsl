# The logarithm of 1 + x.
param N;
tensor f32 X(N);
out Y(i) = log1p(X(i));
