void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		if (b[i] > 4)
			goto end; // ERROR[E144] 4: 'goto' is not
end:
	a[0] = 2;
}
