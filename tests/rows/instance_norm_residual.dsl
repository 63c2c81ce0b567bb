# Instance normalisation of a sum of each channel of an image of S points.
param B, C, S;
tensor f16 X(B,C,S), R(B,C,S);
tensor f32 gain(C), shift(C);
x(b,c,s) = f32(X(b,c,s)) + f32(R(b,c,s));
mean(b,c) = sum(s: x(b,c,s)) / f32(S);
var(b,c) = sum(s: (x(b,c,s) - mean(b,c)) * (x(b,c,s) - mean(b,c))) / f32(S);
out Y(b,c,s) = f16((x(b,c,s) - mean(b,c)) / sqrt(var(b,c) + 0.00001) * gain(c)
	+ shift(c));
