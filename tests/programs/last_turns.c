// sizes: n=1 m=1; n=7 m=5; n=40 m=300; n=333 m=64
/* What only the last turn of a loop leaves: places and values that a condition on data
 * chooses, beside other work; elements whose number is data, written more than once, not at
 * all, and under a condition; and elements that are kept one behind another, counted first.
 */
void last_turns(int n, int m, const int k[n], const float x[n], const int to[n],
	float a[m], int b[m], short c[m], float y[n], int last[6], float value[4],
	float kept[n], int from[n])
{
	int j = -1, at = 5;
	float v = 3, w;

	for (int i = 0; i < n; i++)
		if (x[i] < 0)
			j = i;
	last[0] = j;
	for (int i = 0; i < n; i++) {
		y[i] = x[i] + 1;
		if (k[i] > 2 && x[i] > -0.5f) {
			at = 2 * i + n;
			v = x[i] * 3;
			w = y[0];
		}
		if (x[i] > 2) {
			at += 1;
			last[5] = i;
		}
	}
	last[1] = at;
	value[0] = v;
	for (int t = 0; t < 3; t++)
		for (int i = t; i < n; i += 2)
			if (k[i] == t)
				value[1] = x[i] + t;
	for (int i = 0; i < n; i++)
		a[(k[i] * 7 + i) % m < 0 ? 0 : (k[i] * 7 + i) % m] = x[i] * 2;
	for (int i = 0; i < n; i++)
		if (x[i] > 0)
			b[to[i] & 7 & (m - 1)] = k[i] - i;
	for (int i = 0; i < n; i++) {
		c[to[i] & 3 & (m - 1)] = (short)i;
		y[i] += 1;
	}
	for (int i = 0; i < n; i++) {
		if (x[i] > 0)
			at = i;
		y[i] += at;
	}
	for (int i = 0; i < n; i++) {
		y[i] -= at;
		if (x[i] > 0.25f)
			at = 3 * i;
	}
	w = 2;
	for (int i = 0; i < n; i++) {
		if (x[i] > 0) {
			w = x[i] * x[i];
			at = i + 4;
		}
		y[i] = w * y[i] + x[i];
		if (at > 7)
			y[i] += w;
	}
	value[3] = w + at;
	j = -1;
	for (int i = 0; i < n; i++)
		if (x[i] > 0) {
			j++;
			kept[j] = x[i];
			from[j] = i;
		}
	last[2] = j;
	j = 0;
	for (int i = 0; i < n - 1; i++)
		if (k[i] < 0)
			kept[++j] = k[i];
	last[3] = j;
	at = 0;
	v = x[0];
	for (int i = 1; i < n; i++) {
		if (x[i] <= v)
			continue;
		at = i;
		v = x[i];
	}
	last[4] = at;
	value[2] = v;
}
