struct s { double x; };
void f(int n, double a[n], struct s s)
{
	for (int i = 0; i < n; i++)
		a[i] = s.x; // ERROR[E253] 10: 's' cannot be used
}
