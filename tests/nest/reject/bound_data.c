void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < a[0]; i++) // ERROR[E258] 22: not affine
		b[i] = 1;
}
