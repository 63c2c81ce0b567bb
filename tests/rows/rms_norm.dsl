# Root mean square normalisation with a gain.
param M, N;
tensor f16 X(M,N), g(N);
out Y(i,j) = f16(f32(X(i,j)) / sqrt(sum(k: f32(X(i,k)) * f32(X(i,k))) / f32(N)
	+ 0.00001) * f32(g(j)));
