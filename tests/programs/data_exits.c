// sizes: n=1; n=2; n=9; n=40; n=333
/* Loops that data end: searches, sums up to a limit, rows that are searched, places that
 * are asked for behind the loop, "break" with statements around it, downwards, in steps,
 * and where the condition follows from what the loop does.
 */
int data_exits(int n, const float a[n], const int k[n], float b[n], int c[n],
	const int r[7][n], int at[7], long out[25], float f[4], unsigned char e[n])
{
	int p = n, i, j;

	for (int i = 0; i < n; i++)
		if (k[i] < 0) {
			p = i;
			break;
		}
	out[0] = p;
	for (i = 0; i < n && k[i] != 3; i++)
		;
	out[1] = i;
	for (i = n - 1; i >= 0 && a[i] < 0; i--)
		b[i] = a[i];
	out[2] = i;
	for (i = 1; i < n; i += 3) {
		if (a[i] > 2)
			break;
		c[i] = k[i] + 1;
	}
	out[3] = i < n ? i : -1;
	int s = 0;
	for (int i = 0; i < n; i++) {
		s += k[i] & 7;
		if (s > 50)
			break;
		e[i] = s;
	}
	out[4] = s;
	for (int t = 0; t < 7; t++) {
		int found = -1, sum = 0;

		for (int i = 0; i < n; i++) {
			int x = r[t][i] * 2 + t;

			if (x % 5 == 0) {
				found = i;
				sum += 100;
				break;
			}
			sum += x;
		}
		at[t] = found;
		out[5 + t] = sum;
	}
	float m = 0;
	for (int i = 0; i < n; i++) {
		if (k[i] == 5)
			continue;
		if (k[i] > 0) {
			if (a[i] > 1.5f)
				break;
			m += a[i];
		} else if (k[i] == -6) {
			m = -m;
			break;
		}
		m += 1;
	}
	f[0] = m;
	for (int i = 0; i < n; i++) {
		if (i == 30)
			break;
		if (a[i] < -3 && i > 2)
			goto done;
		f[1] = a[i];
	}
done:
	for (int i = 1; i < n; i++) {
		if (c[i] < 0)
			break;
		c[i] = c[i - 1] - c[i];
	}
	float t;
	int last = -1;
	for (int i = 0; i < n; i++) {
		t = a[i] * 0.5f;
		if (t > 1.25f && t < 3)
			break;
		if (t < 0)
			continue;
		last = i;
	}
	out[12] = last;
	f[2] = t;
	for (j = 0; j < n; j++) {
		int z = 0;

		for (i = 0; i < 7; i++)
			if (r[i][j] == 0) {
				z = 1;
				break;
			}
		if (z)
			break;
	}
	out[13] = j;
	unsigned u;
	for (u = 0; u < (unsigned)n && a[u] < 4 && k[u] < 6; u++)
		out[14] = u;
	out[15] = u;
	int q = 0, w = 0;
	for (int i = 0; i < n; i++) {
		q++;
		if (w * w > 40)
			break;
		w = w + (k[i] > 0) + q % 2;
	}
	out[16] = q;
	out[17] = w;
	for (int i = 0; i < n; i++)
		if (i > q || i + 1 > j + n / 2)
			break;
		else
			out[19] = i;
	int y = 0;
	for (i = 2; i <= n && i * i <= n + 5; i++) {
		if ((n + 5) % i == 0)
			break;
		y += i;
	}
	out[20] = y;
	out[21] = i;
	for (i = 0; i < n; i++)
		if (k[i] > 6)
			break;
	out[22] = i;
	for (int i = 0; i < n; i++) {
		if (k[i] == k[0] && i) {
			out[18] = i;
			out[n > 5 ? 23 : 22] = at[i % 7] + k[i];
			break;
		} else if (a[i] != a[i]) {
			out[18] = -1;
		}
	}
	out[24] = 7;
	for (i = 0; i < n; i++) {
		if (a[i] > 1000) {
			out[24] = 1;
			break;
		}
		if (k[i] == k[0])
			break;
	}
	return p;
}
