// ARGS: -D n=3000000000
void f(int n, double a[n]) // ERROR[E217] -: -D n=3000000000
{
	for (int i = 0; i < n; i++)
		a[i] = 1;
}
