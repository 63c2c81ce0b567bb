// sizes: n=1 w=3; n=37 w=2; n=64 w=5
// Steps that are no literals: local integers, products, a size that is given.
#define B 8
void loop_steps(int n, int w, double a[n], double b[n], double c[n])
{
	const int h = 2 * B;
	int m;
	for (int i = 0; i < n; i += h)
		for (int j = i; j < n && j < i + h; j++)
			a[j] += b[j];
	m = 3;
	for (int t = 0; t < 2; t++)
		for (int i = n - 1; i >= 0; i -= m)
			b[i] *= 0.5;
	for (int i = 1; i < n; i = w + i)
		c[i] = a[i] + 1;
	for (unsigned i = n - 1; i > 2; i -= 2)
		c[i] -= b[i];
}
