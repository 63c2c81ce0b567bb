void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n / (n - 1); i++) // ERROR[E258] 22: not affine
		b[i] = 1;
}
