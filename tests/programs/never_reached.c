// sizes: n=1 m=1; n=2 m=9; n=7 m=4; n=31 m=2
// Text that nothing reaches: behind branches that all leave.
static int sign(int x)
{
	if (x < 0)
		return -1;
	else if (x > 0)
		return 1;
	else
		return 0;
	return 7;
}

int never_reached(int n, int m, float a[n], int c[n])
{
	for (int i = 0; i < n; i++) {
		c[i] = sign(c[i]);
		if (i > m) {
			a[i] = 1;
			continue;
		} else {
			if (i == 3)
				continue;
			a[i] = 2;
			continue;
			a[i] = 5;
		}
		a[i] = 3;
	}
	if (m > n) {
		if (m > 2 * n)
			return 1;
		else
			return 2;
		c[0] = 4;
	}
	a[0] += 1;
	if (n > 5)
		return 3;
	else {
		c[0] -= 1;
		return 4;
	}
	for (int i = 0; i < n; i++)
		a[i] = c[i];
	return 5;
}
