void f(int n, double **a)
{
	for (int i = 0; i < n; i++)
		a[i][0] = 1; // ERROR[E253] 3: it is a pointer to pointers
}
