void f(int n, double a[n], int b[n])
{
	int i = b[0];
	for (; i < n; i++) // ERROR[E262] 16: 'i' is a loop variable
		a[i] = 1;
}
