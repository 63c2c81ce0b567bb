# Text above a call reads the version before it, text below it the one that it
# makes: of matrices, of definitions and of inputs.
Params M, N;
Matrix A(M,N);  Matrix B(N,M);
tensor f32 x(N,M), w(N), alpha;
nest sums(param m, param n, f32 a[m][n]) {
	for (int i = 0; i < m; i++)
		for (int j = 1; j < n; j++)
			a[i][j] += a[i][j-1];
}
nest scale(param n, param m, f32 a[n][m], const f32 b[n], f32 s) {
	for (int i = 0; i < n; i++) {
		float t = 0;
		for (int j = 0; j < m; j++) {
			t += a[i][j];
			a[i][j] = t * s + b[i];
		}
	}
}
nest columns(param m, param n, const f32 a[m][n], f32 s[n]) {
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++)
			s[j] += a[i][j];
}
C = A * B;
D = C;
sums(C);
E = C * A;
C = C + D;
sums(C);
sums(A);
F = C * A;
T = A';
sums(T);

before(i) += x(i,j);
scale(x, w, 0.5);
between(i) += x(i,j);
scale(N, M, x, w, alpha);
out both(i) = before(i) - between(i);
out after(i) += x(i,j);
columns(A, w);
h(t) for 0 <= t < N = case { t == 0: w(0); else: 0.5*h(t-1) + w(t); };
columns(M, N, A, h);
CodeGen(FLOAT, {E, F, C, A, T, x, h});
