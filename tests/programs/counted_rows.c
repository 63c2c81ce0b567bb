// sizes: n=1 m=1; n=2 m=3; n=7 m=5; n=7 m=2
// Variables that loops inside of others count, which may not run or may break.
int counted_rows(int n, int m, float a[8 * n * m + 8 * n + 40],
	const float b[n * m])
{
	int k = 0, w = 0;

	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < n - 2; j++)
			a[k++] = i;
		for (int j = m; j > 0; j -= 1)
			a[k++] += j;
	}
	k = 0;
	for (int i = 0; i < n; i++) {
		a[k++] = -1;
		for (int j = 1; j < m; j++) {
			a[k++] = b[w];
			w++;
		}
		w++;
		a[k++] += 3;
	}
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < m; j++) {
			if (j == 2)
				break;
			a[j] += 1;
			k++;
		}
		a[i] += k;
	}
	return k + w * 100;
}
