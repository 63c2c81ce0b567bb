void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++) {
		a[i] = 1;
		i = i + 1; // ERROR[E261] 3: 'i' is changed
	}
}
