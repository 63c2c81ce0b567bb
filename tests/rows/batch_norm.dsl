# Batch normalisation in training of channels of S points.
param B, C, S;
tensor f16 X(B,C,S);
tensor f32 gain(C), shift(C);
mean(c) = sum(b, s: f32(X(b,c,s))) / f32(B) / f32(S);
var(c) = sum(b, s: (f32(X(b,c,s)) - mean(c))
	* (f32(X(b,c,s)) - mean(c))) / f32(B) / f32(S);
out Y(b,c,s) = f16((f32(X(b,c,s)) - mean(c)) / sqrt(var(c) + 0.00001) * gain(c)
	+ shift(c));
