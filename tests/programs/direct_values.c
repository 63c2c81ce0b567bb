// sizes: n=0; n=1; n=2; n=9; n=40; n=333
/* Running values that the loop only copies: at their place, behind it, in rows, with other
 * readers; and copies that somebody would see written too soon.
 */
void direct_values(int n, const int a[n], const float x[n], int run[n],
	int first[n + 1], int rows[n][4], unsigned low[n], unsigned twice[n],
	unsigned high[n], long sums[n], int kept[n], float most[n], int back[n],
	int half[n], int again[n], int both[n])
{
	int s = 3, f = 5, k = 1, b = 0, h = 0, g = 2, u = 4;
	unsigned l = 9;
	long t = 0;
	float m = -0.5f;

	for (int i = 0; i < n; i++) {
		s += a[i] * 2;
		run[i] = s;
	}
	first[0] = f;
	for (int i = 0; i < n; i++) {
		f += a[i];
		first[i + 1] = f;
	}
	for (int i = 0; i < n; i++) {
		int r = 7;

		for (int j = 0; j < 4; j++) {
			r += a[i] * j;
			rows[i][j] = r;
		}
	}
	for (int i = 0; i < n; i++) {
		high[i] = l * 3;
		l ^= (unsigned)a[i];
		low[i] = l;
		twice[i] = l + 1;
	}
	for (int i = 0; i < n; i++) {
		t += a[i];
		u += a[i] * 3;
		again[i] = kept[i];
		kept[i] = u;
		sums[i] = t;
	}
	for (int i = 0; i < n; i++) {
		if (x[i] > m)
			m = x[i];
		most[i] = m;
	}
	for (int i = 0; i < n; i++) {
		b += a[i];
		back[n - 1 - i] = b;
	}
	for (int i = 0; i < n; i++) {
		h += half[i];
		half[i] = h;
	}
	for (int i = 0; i < n; i++)
		both[i] = a[i] * 5;
	for (int i = 0; i < n; i++) {
		g += a[i];
		again[i] += both[i] + run[i];
		both[i] = g;
	}
}
