# GELU by the error function.
param N;
tensor f16 X(N);
out Y(i) = f16(gelu(f32(X(i))));
