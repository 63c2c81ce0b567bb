Params M, K, N;
Matrix A(M,K);
Matrix B(K,N);
Matrix V(M,1);
tensor f64 d(M,N);
nest decay(param M, param N, f32 P[M][N]) {
	for (int j = 1; j < N; j++)
		for (int i = 0; i < M; i++)
			P[i][j] += 0.9f * P[i][j-1];
}
nest add(param n, f32 x[n], const f32 y[n], f32 s, int k) {
	for (int i = 0; i < n; i++) x[i] += s * y[i] + k;
}
nest inner(param n, f32 x[n+1]) {
	for (int i = 0; i < n; i++) x[i+1] = x[i];
}
nest pointer(param n, f32 *x) {
	for (int i = 0; i < n; i++) x[i] = 0;
}
nest outside(param n, f32 x[n]) {
	for (int i = 0; i <= n; i++) x[i] = 0; // ERROR[E265] 31: this is outside of the array 'x'
}
nest decay(param n, f32 x[n]) { // ERROR[E203] 6: 'decay' is already declared in line 6
	for (int i = 0; i < n; i++) x[i] = 0;
}
nest square(param n, f32 x[n][n]) {
	for (int i = 0; i < n; i++) x[i][i] = 0;
}
S = A * B;
m(i) max= S(i,j);
w(i) = m(i);
w1(i) = m(i); w2(i) = m(i); w3(i) = m(i); w4(i) = m(i);
tri(i,j) for 0 <= i < M, 0 <= j <= i = m(i);
late(i,j) for 1 <= i < M, 0 <= j < N = S(i,j);
add(m, w, 2, 1, 1, 1); // ERROR[E113] 1: add takes 5 arguments, found 6
add(m, w); // ERROR[E113] 1: add takes 5 arguments, found 2
add(w, w, 2, 1); // ERROR[E247] 8: 'w' is given twice, and the nest changes it
add(M, w, 2, 1); // ERROR[E250] 5: the nest 'add' takes an array of f32 with 1 dimension here, found something else
add(w, S*S, 2, 1); // ERROR[E250] 9: the nest 'add' takes an array of f32 with 1 dimension here, found something else
add(w, m, 2, 1.5); // ERROR[E250] 14: the nest 'add' takes a value of type i32 here, found something else
add(1.5, w1, m, 2, 1); // ERROR[E250] 5: the nest 'add' takes a size here, found something else
square(d); // ERROR[E250] 8: the nest 'square' takes an array of f32 with 2 dimensions here, found an array of f64 with 2 dimensions
square(w2); // ERROR[E250] 8: the nest 'square' takes an array of f32 with 2 dimensions here, found an array of f32 with 1 dimension
square(N, S); // ERROR[E244] 11: extent 1 of 'S' is M, where the nest says N
square(V); // ERROR[E244] 8: extent 2 of 'V' is 1, where the nest says M
square(tri); // ERROR[E245] 8: 'tri' is no array for a nest: its indices do not all go from 0 up to a size
square(late); // ERROR[E245] 8: 'late' is no array for a nest: its indices do not all go from 0 up to a size
inner(w3); // ERROR[E246] 1: the size 'n' of the nest does not follow from the arrays
pointer(M, w4); // ERROR[E249] 1: the nest 'pointer' cannot be called: an array has an extent that is not written
square(none); // ERROR[E201] 8: 'none' is not defined
square(T); // ERROR[E210] 8: 'T' is used before its definition in line 52
T = A;
p(i) = m(i) + u(i);
q(i) = m(i);
add(p, q, 1, 1); // ERROR[E248] 1: this call needs what needs its results
u(i) = p(i);
add(u, v, 1, 1);
v(i) = p(i);
out y(i) = u(i);
