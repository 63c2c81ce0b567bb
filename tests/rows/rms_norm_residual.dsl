# Root mean square normalisation of a sum, which is a result, too.
param M, N;
tensor f16 X(M,N), R(M,N), g(N);
out H(i,j) = f16(f32(X(i,j)) + f32(R(i,j)));
out Y(i,j) = f16(f32(H(i,j)) / sqrt(sum(k: f32(H(i,k)) * f32(H(i,k))) / f32(N)
	+ 0.00001) * f32(g(j)));
