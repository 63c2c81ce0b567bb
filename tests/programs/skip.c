// sizes: n=1; n=9; n=40
/* Iterations that end early, by data and by place, and what follows. */
void skip(int n, const double a[n], double b[n], int c[n])
{
	for (int i = 0; i < n; i++) {
		if (i == n / 2)
			continue;
		b[i] = a[i] * 2;
		if (a[i] < 0) {
			c[i] += 1;
			continue;
		} else
			c[i] -= 3;
		b[i] += 1;
		if (c[i] % 2)
			continue;
		c[i] = i;
	}
}
