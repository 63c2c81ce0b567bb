# Layer normalisation with gain and shift.
param M, N;
tensor f16 X(M,N), g(N), b(N);
mean(i) = sum(j: f32(X(i,j))) / f32(N);
var(i) = sum(j: (f32(X(i,j)) - mean(i)) * (f32(X(i,j)) - mean(i))) / f32(N);
out Y(i,j) = f16((f32(X(i,j)) - mean(i)) / sqrt(var(i) + 0.00001) * f32(g(j))
	+ f32(b(j)));
