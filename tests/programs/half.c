// sizes: n=1; n=37
// _Float16, computed with as float; and definitions without a prototype.
static float twice(x)
	_Float16 x;
{
	return 2 * x;
}

void half(int n, const _Float16 a[n], const _Float16 b[n], _Float16 c[n],
	float d[n], _Float16 sum[1])
{
	for (int i = 0; i < n; i++) {
		_Float16 t = a[i] * b[i] + 0.1f16;

		c[i] = t - a[i] / 3;
		c[i] += b[i] > 0 ? twice(a[i]) : -a[i];
		d[i] = a[i] * b[i] + (_Float16)(a[i] * b[i]) + (i > 2048.7f16);
		sum[0] += c[i] * 0.5f;
	}
}
