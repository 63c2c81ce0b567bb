void f(int n, double *p, double a[n])
{
	for (int i = 0; i < n; i++) {
		*p++ = a[i]; // ERROR[E253] 4: 'p' cannot be used: it is a pointer that changes
		a[i] = *p--; // ERROR[E253] 11: it is a pointer that changes
		++*p;
		(*p)++;
	}
}
