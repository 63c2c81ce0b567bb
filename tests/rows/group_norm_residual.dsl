# Group normalisation of a sum: G groups of C channels of S points.
param B, G, C, S;
tensor f16 X(B,G,C,S), R(B,G,C,S);
tensor f32 gain(G,C), shift(G,C);
x(b,g,c,s) = f32(X(b,g,c,s)) + f32(R(b,g,c,s));
mean(b,g) = sum(c, s: x(b,g,c,s)) / f32(C) / f32(S);
var(b,g) = sum(c, s: (x(b,g,c,s) - mean(b,g))
	* (x(b,g,c,s) - mean(b,g))) / f32(C) / f32(S);
out Y(b,g,c,s) = f16((x(b,g,c,s) - mean(b,g)) / sqrt(var(b,g) + 0.00001) * gain(g,c)
	+ shift(g,c));
