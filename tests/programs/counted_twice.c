// sizes: n=1; n=4; n=9
// Counters that an inner loop moves by what is not known, or only data know.
void counted_twice(int n, double a[n], const int b[n][n], int c[n], int o[3])
{
	int i, j = 0, k = 0, l = 0, m;
	for (i = 0; i < 4; i++) {
		for (m = i; m < n / 2; m++)
			j++;
		j--;
	}
	for (i = 0; i < n; i++) {
		for (m = 0; m < n; m++)
			k += 2;
		k++;
		a[i] += k;
	}
	for (i = 0; i < n; i++) {
		c[i] = l;
		for (m = 0; m < n; m++)
			if (b[i][m] > 0)
				l++;
		l++;
	}
	o[0] = j;
	o[1] = k;
	o[2] = l;
}
