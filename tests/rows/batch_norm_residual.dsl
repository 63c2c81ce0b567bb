# Batch normalisation of a sum in training of channels of S points.
param B, C, S;
tensor f16 X(B,C,S), R(B,C,S);
tensor f32 gain(C), shift(C);
x(b,c,s) = f32(X(b,c,s)) + f32(R(b,c,s));
mean(c) = sum(b, s: x(b,c,s)) / f32(B) / f32(S);
var(c) = sum(b, s: (x(b,c,s) - mean(c)) * (x(b,c,s) - mean(c))) / f32(B) / f32(S);
out Y(b,c,s) = f16((x(b,c,s) - mean(c)) / sqrt(var(c) + 0.00001) * gain(c)
	+ shift(c));
