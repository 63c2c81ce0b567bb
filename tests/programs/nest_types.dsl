# Nests on other types, sizes that are expressions, values, locals.
param N;
tensor u8 b(N,N,3);
tensor i64 q(2*N+1);
static i64 share(i64 v, i64 m) { return v / (m + 1); }
nest mean(param n, param m, i64 a[n]) {
	for (int i = 0; i < n; i++)
		a[i] = share(a[i], m) + m;
}
nest flip(param n, u8 a[n][n][3], bool odd[n]) {
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++)
			if (a[i][j][0] > 100)
				a[i][j][1] = 255 - a[i][j][2];
		odd[i] = a[i][0][1] & 1;
	}
}
nest forward(param N, const f64 L[N][N], const f64 b[N], f64 x[N]) {
	for (int i = 0; i < N; i++) {
		double s = b[i];
		for (int j = 0; j < i; j++)
			s -= L[i][j] * x[j];
		x[i] = s / L[i][i];
	}
}
nest fill(param n, i32 v, i32 a[n]) {
	int s[4];
	for (int i = 0; i < 4; i++)
		s[i] = v + i;
	for (int i = 0; i < n; i++)
		a[i] += s[i % 4];
}
nest twice(param n, i32 v, i32 a[n]) {
	fill(n, v, a);
	fill(n, -v, a);
}
mean(2*N + 1, N, q);
odd(i) for 0 <= i < N = b(i,0,0) > u8(3);
flip(b, odd);
L(i,j) for 0 <= i < N, 0 <= j < N = f64(b(i,j,0))/255.0 + (i == j ? 3.0 : 0.0);
r(i) for 0 <= i < N = f64(q(i)) * 1e-9;
x(i) for 0 <= i < N = r(i);
forward(L, r, x);
g(i) for 0 <= i < 10 = i32(i);
fill(10, N - 3, g);
twice(10, 7, g);
CodeGen(DOUBLE, {q, b, odd, x, g});
