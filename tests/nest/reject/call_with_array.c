void swap(double *a, double *b);
void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] += b[i];
	swap(a, b); // ERROR[E254] 2: 'swap' is not known
}
