#define EACH(a, p, n) \
	for (int i = 0; i < n; i++) { \
		a[2 * i] = *p; \
		a[2 * i + 1] = *p; \
	}

void f(int n, double a[2 * n], double **p)
{
	EACH(a, p, n) // ERROR[E253] 10: 'p' cannot be used
}
