void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		f(n, a, b); // ERROR[E161] 3: it is the function that is compiled
}
