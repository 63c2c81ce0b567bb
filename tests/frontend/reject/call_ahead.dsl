Params N;
Matrix A(N,N);
nest sums(param n, f32 a[n][n]) {
	for (int i = 0; i < n; i++)
		for (int j = 1; j < n; j++)
			a[i][j] += a[i][j-1];
}
u(i) = w(i,0);
sums(A);
w(i,j) = A(i,j); // ERROR[E270] 10: text above the call in line 9 needs 'A' here, which the call changes
v(i) = B(i,0); // ERROR[E210] 8: 'B' is used before its definition in line 12
B = A * A;
out y(i) = u(i);
