void f(int n, double a[n], double b[n])
{
	for (int i = 0; ; i++) // ERROR[E145] 18: it has no end
		a[i] = 1;
}
