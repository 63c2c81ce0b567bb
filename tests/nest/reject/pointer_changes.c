void f(int n, int step[n], double a[n], double *walk)
{
	double b[10];

	for (int i = 0; i < n; i++) {
		walk += step[i]; // ERROR[E253] 3: 'walk' cannot be used: it is a pointer that changes
		a[i] = *walk;
		walk++; // ERROR[E253] 3: a pointer that changes
		b = a; // ERROR[E253] 3: an array as a whole
	}
}
