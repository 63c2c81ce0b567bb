void f(int n, double a[1][1][1][1][1][1][1][1][1])
{
	for (int i = 0; i < n; i++)
		a[0][0][0][0][0][0][0][0][0] = 1; // ERROR[E253] 3: more than 8 dimensions
}
