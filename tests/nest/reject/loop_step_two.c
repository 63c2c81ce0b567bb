void f(int n, double a[n], double b[n])
{
	int j = 0;
	for (int i = 0; i < n; i++, j++) // ERROR[E107] 28: expected ')'
		a[i] = 1;
}
