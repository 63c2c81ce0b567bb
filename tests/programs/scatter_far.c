// sizes: n=1 m=300; n=37 m=301; n=200 m=523
/* Updates of long arrays where data say so: integers at once, in any order, and
 * floats in that of the text.
 */
void scatter_far(int n, int m, const int key[n], int count[300],
	unsigned most[m], long total[m], int bits[20][20], double sum[m],
	int twice[300])
{
	for (int i = 0; i < n; i++)
		count[(key[i] + 4) * 31]++;
	for (int i = 0; i < n; i++)
		if (key[i] > 0)
			total[(i * 7 + key[i]) % m] -= (long)key[i] * i;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < 3; j++)
			bits[(key[i] & 15) + j][i * i % 20] ^= 1 << j;
	for (int i = 0; i < n; i++)
		most[(i + key[i] + 4) % m] |= i;
	for (int i = 0; i < n; i++)
		sum[(key[i] + 4) * 5] -= key[i] * 0.5;
	for (int i = 0; i < 300; i++)
		twice[i] = 2 * count[i] + twice[i];
	for (int i = 0; i < n; i++)
		count[(i * 5 + 3 * key[i] + 12) % 300] += 1000;
}
