void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i; // ERROR[E107] 6: expected ']', found ';'
}
