# The sum of the sine and the cosine.
param N;
tensor f32 X(N);
out Y(i) = sin(X(i)) + cos(X(i));
