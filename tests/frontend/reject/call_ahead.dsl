Params N;
Matrix A(N,N);
nest sums(param n, f32 a[n][n]) {
	for (int i = 0; i < n; i++)
		for (int j = 1; j < n; j++)
			a[i][j] += a[i][j-1];
}
u(i) = w(i,0);
sums(A);
w(i,j) = A(i,j); // ERROR[E270] 10: text above line 9 needs 'A' here, which that line changes
v(i) = B(i,0); // ERROR[E210] 8: 'B' is used before its definition in line 12
B = A * A;
C = A * A;
p(i) = q(i,0);
C = C + A;
q(i,j) = C(i,j); // ERROR[E270] 10: text above line 15 needs 'C' here, which that line changes
r(i,j) = C(i,j);
t(i) = r(i,0);
out y(i) = u(i);
