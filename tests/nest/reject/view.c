void f(int n, double a[n], double b[n][n], float c[n])
{
	double (*u)[3] = (double (*)[3])c; // ERROR[E162] 19: it is of another type
	double (*v)[n][3] = (double (*)[n][3])b; // ERROR[E162] 22: several dimensions
	double *w = b; // ERROR[E162] 10: several dimensions
	for (int i = 0; i < n; i++) {
		double (*x)[n] = (double (*)[n])(a + i);
		double (*y)[2] = (double (*)[2])(a + (int)a[0]);
		x[i] = 1; // ERROR[E256] 3: 'x' has 2 dimensions
		y[i][0] = 1; // ERROR[E253] 3: it is a pointer to what changes
		a[i] = x[0][1];
		a[i] = *a[i]; // ERROR[E151] 10: as arrays only
	}
}
