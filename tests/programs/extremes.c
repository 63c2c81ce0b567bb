// sizes: n=1; n=9; n=33
// The smallest and the largest of integers, by conditions and by choices: of
// integers of other types than they are compared in, of elements, under other
// conditions; and what looks alike but is none.
long extremes(int n, short a[n][n], short low[n], unsigned char high[n],
	unsigned u[n], int k[n], float x[n])
{
	int most = -100, last = -5, odd = 3;
	unsigned largest = 7;
	long least = 1000;
	float peak = -2;

	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++) {
			low[i] = a[i][j] < low[i] ? a[i][j] : low[i];
			if (high[i] <= (unsigned char)a[i][j])
				high[i] = (unsigned char)a[i][j];
			if (a[j][i] > 2)
				most = most < a[i][j] ? a[i][j] : most;
			if (least > a[i][j] - 3L * j)
				least = a[i][j] - 3L * j;
			if (k[j] < u[i])
				k[j] = u[i];
			if (a[i][j] < last)
				last = a[j][i];
			if (!(odd >= a[i][j]))
				odd = a[i][j] + 1;
		}
		if (k[i] > most)
			most = k[i];
		largest = u[i] > largest ? u[i] : largest;
		if (x[i] > peak)
			peak = x[i];
		else if (x[i] < -0.5f)
			peak = peak - 1;
	}
	x[0] = peak;
	return most + (long)largest + 16 * least + 256 * last + 4096L * odd;
}
