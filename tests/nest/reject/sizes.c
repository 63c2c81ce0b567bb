// ARGS: -D n=9
void f(int n, double a[8]) // ERROR[E268] -: n <= 8
{
	for (int i = 0; i < n; i++)
		a[i] = 1;
}
