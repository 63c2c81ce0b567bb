void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		1 = a[i]; // ERROR[E147] 3: can be assigned
}
