// sizes: n=1; n=7; n=40
// "++" and "--" inside of expressions, on variables and elements of all types.
static int count(int *from, int by)
{
	return from[0]++ * by;
}

int changes(int n, int d[n], double a[n], const double b[n], unsigned char c[n],
	float f[n], int e[n][4], int hist[16])
{
	int k = 0, m = n, done = 0;
	double s = 0;

	for (int i = 0; i < n; i++) {
		a[i] = d[i]++ * 2 + b[i];
		e[i][0] = --d[i] - 1;
		e[i][1] = c[i]-- + 1;
		e[i][2] = ++c[i];
		f[i] = f[i] + 1;
		s += f[i]++ / 2;
		e[i][3] = hist[i & 15]++;
		if (--d[i] == 1 || b[i] > 2)
			a[i] += 1;
		else if (d[i]++ < 2)
			a[i] -= d[i];
	}
	for (int i = 0; i < n; i++) {
		float before = f[n - 1 - i]++, after = --f[i];

		a[k++] += before + after;
		if (m-- > 3)
			d[i] += 2;
		s += (*&f[i])++;
		*&d[i] += -e[i][0]++;
	}
	for (int i = 0; i < 3; i++)
		done += count(&d[0], i);
	e[0][0]++, ++e[0][1];
	return done++ + k + m + (int)s;
}
