# Powers of positive numbers.
param N;
tensor f32 X(N), Z(N);
out Y(i) = pow(X(i), Z(i));
