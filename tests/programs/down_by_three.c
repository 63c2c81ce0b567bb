// sizes: n=1; n=8; n=13
void down_by_three(int n, const float x[n], float y[n])
{
	int i;

	for (i = n - 1; i >= 0; i = i - 3)
		y[i] = 2 * x[i];
	for (i = 1; i < n; i += 3)
		y[i] -= x[i - 1];
}
