void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		do { a[i] = 1; } while (n); // ERROR[E144] 3: 'do'
}
