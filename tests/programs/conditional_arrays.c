// sizes: n=1; n=6; n=33
/* Arrays that are declared under conditions, and such of which some elements have a
 * value under conditions only.
 */
struct pair {
	int x[2], y;
};

void conditional_arrays(int n, const int k[n], const int a[n], const int b[n],
	int c[n], double d[n], int e[n], float f[n])
{
	for (int i = 0; i < n; i++)
		if (k[i] > 0) {
			int t[2];
			t[0] = a[i];
			t[1] = b[i];
			c[i] = t[0] + t[1];
		}
	for (int i = 0; i < n; i++) {
		if (k[i] <= 0)
			continue;
		int t[2];
		double w[3];
		struct pair q;
		t[0] = a[i];
		q.y = 3;
		q.x[1] = a[i];
		if (b[i] > 0)
			t[1] = b[i];
		for (int j = 0; j < 3; j++)
			w[j] = a[i];
		if (b[i] > 0) {
			int s;
			for (int j = 0; j < 2; j++) {
				if (j == 0)
					s = 0;
				s += t[j];
			}
			e[i] = t[0] + t[1] + s + q.x[1] * q.y;
		}
		for (int j = 0; j < 3; j++)
			if (b[i] < 2)
				w[j] += 1.5;
		d[i] = w[0] + w[2];
	}
	int last[2];
	last[0] = -1;
	for (int i = 0; i < n; i++) {
		if (a[i] > 1)
			last[0] = i;
		if (last[0] >= 0) {
			float u[2][2];
			if (b[i] > 0)
				u[1][0] = i;
			else
				u[0][1] = 2 * i;
			f[i] = b[i] > 0 ? u[1][0] : u[0][1];
		}
	}
}
