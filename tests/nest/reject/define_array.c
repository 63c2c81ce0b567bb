// ARGS: -D x=2
void f(int n, double a[n], double x) // ERROR[E216] -: -D x
{
	for (int i = 0; i < n; i++)
		a[i] = x;
}
