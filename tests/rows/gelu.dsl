# GELU by the hyperbolic tangent.
param N;
tensor f16 X(N);
x(i) = f32(X(i));
out Y(i) = f16(0.5 * x(i) * (1 + tanh(0.7978845608
	* (x(i) + 0.044715 * x(i) * x(i) * x(i)))));
