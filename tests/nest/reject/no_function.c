// ARGS: --function g
void f(int n, double a[n]) // ERROR[E152] -: no function 'g'
{
	for (int i = 0; i < n; i++)
		a[i] = 1;
}
