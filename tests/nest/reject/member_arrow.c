void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = b[i]->x; // ERROR[E150] 14: structures
}
