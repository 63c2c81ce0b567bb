void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		a[i] = 1
	b[0] = 2; // ERROR[E107] 2: expected ';', found 'b'
}
