// ARGS: -D n=1 -D n=2
void f(int n, double a[n]) // ERROR[E218] -: as 1 and as 2
{
	for (int i = 0; i < n; i++)
		a[i] = 1;
}
