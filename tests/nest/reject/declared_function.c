double g(double);
void f(int n, double a[n])
{
	for (int i = 0; i < n; i++)
		a[i] = g; // ERROR[E253] 10: it is a function
}
