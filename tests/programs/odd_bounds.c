// sizes: n=1; n=8; n=13
/* Bounds with minima, floors, parities and conditions that come and go. */
void odd_bounds(int n, int a[3 * n + 9])
{
	const int half = n / 2;

	for (int i = 0; i < (half < 5 ? half : 5); i++)
		a[i] += 1;
	for (int i = -half; 2 * i < n; i++)
		a[i + half] += 2;
	for (int i = 0; i < n && i * 3 != 21; i++)
		a[i] += 4;
	for (int i = n; i > n % 4; i--)
		a[n - i + n / 3] -= 8;
	for (int i = 1; i <= n; i += 2)
		for (int j = i; j <= n; j += 3)
			if ((i + j) % 4 == 1 || j / 2 == i)
				a[i + j] += i * j;
	for (unsigned i = 3; i < 9; i++)
		a[i - 3u] ^= i;
}
