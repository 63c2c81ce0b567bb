// sizes: n=1 c=0; n=8 c=7; n=37 c=5; n=40 c=39
void cut_loops(int n, int c, const float w[n], float first[n], float middle[n],
	float back[n], float any[n], float turned[n][n], float two[n],
	float sums[n], float edges[n][n], float planes[n])
{
	for (int i = 0; i < n; i++)
		first[i] = first[0] + w[i];
	for (int i = 0; i < n; i++)
		middle[i] = middle[n / 2] * w[i];
	for (int i = 0; i < n; i++)
		back[i] = back[n - 1 - i] - w[i];
	for (int i = n - 1; i >= 0; i--)
		any[i] = any[c] + w[i];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			turned[i][j] = turned[n - 1 - i][n - 1 - j] * w[j];
	for (int t = 0; t < 3; t++)
		for (int i = 0; i < n; i++) {
			two[i] = two[i] + two[c] * w[i];
			sums[i] += two[i] * two[n - 1];
		}
	for (int i = 0; i < n; i++)
		planes[i] = planes[n / 3] + planes[2 * n / 3] * w[i];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			edges[i][j] = edges[0][j] + edges[i][0];
}
