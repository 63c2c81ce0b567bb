void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = 1;
	goto end; // ERROR[E144] 2: 'goto'
end:
	a[0] = 2;
}
