void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++)
		switch (i) { case 0: a[i] = 1; } // ERROR[E144] 3: 'switch'
}
