// sizes: n=1 m=0; n=8 m=3; n=13 m=12; n=19 m=40
void breaks(int n, int m, float a[n][n], float b[n], float c[n], float d[n],
	float e[n][n], float f[n], float g[n], int last[n], unsigned char h[40])
{
	float at_end = 0;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			a[i][j] *= 2;
			if (i < 2)
				continue;
			if (i == j)
				break;
			if (j > 7)
				continue;
			if (i + j >= n)
				break;
			a[i][j] += i + j;
		}
	for (int i = 0; i < n; i++) {
		if (i == m)
			break;
		b[i] += 1;
	}
	for (int i = n - 1; i >= 0; i--) {
		c[i] += 1;
		if (i < m || i % 5 == 3)
			break;
		c[i] *= 3;
		at_end = c[i];
	}
	d[0] = at_end;
	for (int i = 1; i < n; i += 3) {
		if (2 * i > m)
			if (i % 2)
				break;
			else
				d[i] = 7;
		else if (i > 9)
			break;
		d[i] += d[0];
	}
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++) {
			if (j > i)
				break;
			e[i][j] = e[i][n - 1 - j] + 1;
		}
		if (i * 2 >= m) {
			e[i][0] = 3;
			break;
		}
		e[i][n - 1] *= 4;
	}
	for (int i = 0; i < n; i++) {
		last[i] = -1;
		for (int j = 0; j < n; j++) {
			if (i + j == m) {
				last[i] = j;
				break;
			}
			if (f[j] > 0.5f)
				f[j] -= 0.25f;
		}
	}
	for (int i = 0; i < n; i++) {
		if (1)
			break;
		g[i] = 0;
	}
	for (unsigned char k = 0; k < 40; k++) {
		h[k] += k;
		if (k == m)
			break;
		h[k] *= 2;
	}
}
