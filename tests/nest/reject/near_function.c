// ARGS: --function fist
void first(int n, double a[n]) // ERROR[E152] -: no function 'fist'; did you mean first
{
	for (int i = 0; i < n; i++)
		a[i] = 1;
}
