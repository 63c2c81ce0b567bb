// sizes: w=1 h=1; w=7 h=5; w=20 h=11    flat: a=h*h
/* Values returned by the branches of the last statement, subscripts that are
 * kept inside an image, and a diagonal of a flat matrix.
 */
static int most(int a, int b, int c)
{
	int k;

	if (a <= b)
		k = b;
	else
		k = a;
	if (k <= c) {
		return c;
	} else {
		return k;
	}
}

void tails(int w, int h, const float src[h * w], float dst[h * w], float *a,
	int m[h][w])
{
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			float s = 0;

			for (int d = -1; d <= 1; d++) {
				int yy = y + d, xx = x - d;

				if (yy < 0)
					yy = 0;
				if (yy >= h)
					yy = h - 1;
				if (xx < 0)
					xx = 0;
				else if (xx >= w)
					xx = w - 1;
				s += src[yy * w + xx] * (d + 2);
			}
			dst[y * w + x] = s;
			m[y][x] = most(m[y][x], m[y][0], x - y);
		}
	for (int d = 1; d < h; d++)
		for (int i = 0; i <= d; i++) {
			int at = i * h + (d - i);

			a[at] += d > i ? a[at + h - 1] * 0.5f : 1;
		}
	for (int i = 0; i < h; i++)
		for (int j = 0; j <= i; j++)
			a[i * h + j] -= a[j * h + j] * a[j * h + i];
}
