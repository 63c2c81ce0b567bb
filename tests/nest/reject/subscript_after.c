void f(int n, double *a, double b[n])
{
	int k = 0;
	for (int i = 0; i < n; i += 2) {
		a[k] = b[i]; // ERROR[E284] 5: declare a[SIZE], or give --extent=a=SIZE
		if (b[i] > 0)
			k++;
	}
}
