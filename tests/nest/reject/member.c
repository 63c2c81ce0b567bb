void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i].x = 1; // ERROR[E150] 7: structures
}
