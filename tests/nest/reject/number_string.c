void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = "x"; // ERROR[E103] 10: is not a number
}
