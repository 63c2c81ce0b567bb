// sizes: n=1; n=2; n=9; n=40; n=333
/* Values that go from one iteration to the next: running sums, extremes and products
 * that the loop reads, what is kept for the next turn, in rows and behind the loop.
 */
int running_values(int n, const int a[n], const float x[n], float y[n],
	int run[n][3], float w[n + 1], int rows[n][4], unsigned char small[n])
{
	int s = 3, most = -9, even = 0;
	float last = x[n - 1], before = 2, value = 0.5f;
	unsigned char c = 7;

	for (int i = 0; i < n; i++) {
		run[i][0] = s;
		s += a[i] * 2;
		run[i][1] = s;
		if (a[i] > most)
			most = a[i];
		run[i][2] = most;
	}
	for (int i = 0; i < n; i++) {
		y[i] = x[i] + last - before;
		before = last;
		last = x[i] * 2;
	}
	w[0] = 1;
	for (int i = 0; i < n; i++)
		w[i + 1] = w[i] + x[i];
	for (int i = 0; i < n; i++) {
		int t = i;

		for (int j = 0; j < 4; j++) {
			if (a[i] % 3 == j)
				t += j;
			rows[i][j] = t;
		}
		if (a[i] % 2 == 0)
			even++;
		small[i] = even + c;
		c += a[i];
		value += x[i];
		y[i] = y[i] * value;
	}
	return s + most + (int)last + even + c;
}
