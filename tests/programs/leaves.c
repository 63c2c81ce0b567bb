// sizes: n=1; n=9; n=41
/* "continue" and "return" behind conditions inside conditions: what follows
 * runs wherever they are not met, once.
 */
static void collide(int x, int y, int *restrict out, int *restrict back,
	int odd)
{
	if (x > 1) {
		*out = y;
		*back = x;
		return;
	} else if (y > 1)
		*back = 3;
	else {
		if (odd)
			return;
		*out = 4;
	}
	*back += 2;
}

static int pick(int x, int y[2])
{
	if (x > 0) {
		y[0] += 2;
		return 1;
	}
	if (x < -2)
		return 2;
	y[1] = 7;
	return x == 0 ? 4 : 8;
}

void leaves(int n, int a[n], int b[n], int c[n], int d[n][2])
{
	if (n == 1) {
		a[0] = 2;
		return;
	}
	for (int i = 0; i < n; i++) {
		if (a[i] > 1)
			c[i] = 1;
		else if (b[i] > 0)
			continue;
		int k = a[i] * 2;
		b[i] = k;
		if (i > 3)
			if (b[i] > 3)
				continue;
		a[i] -= 1;
		for (int j = 0; j < 3; j++) {
			if (j == 1)
				if (c[i] < 1)
					continue;
			b[i] += j;
		}
	}
	for (int i = 0; i < n; i++) {
		if (c[i] > 1)
			a[i] += 1;
		else {
			if (b[i] > 0) {
				c[i] = 3;
				if (a[i] < 0)
					continue;
				b[i] = 1;
				continue;
			} else {
				if (i % 3 == 1) {
					b[i] = 5;
					continue;
				}
				c[i] += 2;
				if (c[i] == 1)
					continue;
				else if (c[i] == 2) {
					a[i] = 11;
					continue;
				};
				a[i] = 7;
			}
			b[i] += 6;
		}
	}
	for (int i = 0; i < n; i++) {
		collide(a[i], b[i], &c[i], &b[i], i % 2);
		a[i] += pick(c[i], d[i]);
	}
}
