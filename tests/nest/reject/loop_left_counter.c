int f(int n, double a[n])
{
	unsigned u;
	for (u = n; u-- > 0;) { // ERROR[E262] 14: 'u' is a loop variable
		if (u == 5)
			break;
		a[u] = 1;
	}
	return u;
}
