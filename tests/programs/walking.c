// sizes: n=1; n=2; n=7; n=40
/* Pointers that walk along arrays, in one step and in several, up and down, some from
 * where a row begins; a loop that "return" ends.
 */
void walking(int n, float a[n], const float b[n], const float c[n], int d[n][n],
	const int e[n], double f[2 * n], long g[n], int h[n])
{
	float *p = a;
	const float *u = b, *w = c + n;
	double *even = f;
	const int *first = e;
	long *from = g + n - 1;

	for (int i = 0; i < n; i++) {
		*p = *u + *--w;
		p++;
		u++;
	}
	for (int i = 0; i < n; i++) {
		int *row = d[i];

		for (int k = 0; k < n; k++)
			*row++ = e[k] * i + k;
	}
	for (int i = 0; i < n; i++) {
		even[0] += 2 * even[1];
		*(even + 1) = i;
		even += 2;
	}
	for (int i = 0; i < n; i++) {
		*from = first[0] + *first;
		from -= 1;
		++first;
	}
	for (int i = 0; i < n; i++) {
		if (e[i] > 100)
			return;
		h[i] += e[i];
	}
}
