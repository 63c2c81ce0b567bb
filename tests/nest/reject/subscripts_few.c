void f(int n, double a[n], double b[n])
{
	double t[3][3];
	for (int i = 0; i < 3; i++)
		a[i] = t[i]; // ERROR[E256] 10: 't' has 2 dimensions
}
