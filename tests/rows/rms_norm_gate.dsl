# Root mean square normalisation with a gain and a gate.
param M, N;
tensor f16 X(M,N), Z(M,N), g(N);
z(i,j) = f32(Z(i,j));
out Y(i,j) = f16(f32(X(i,j)) / sqrt(sum(k: f32(X(i,k)) * f32(X(i,k))) / f32(N)
	+ 0.00001) * f32(g(j)) * (z(i,j) * sigmoid(z(i,j))));
