// sizes: n=1; n=7; n=40
/* Loops that end where data have ended others: behind them, and, in a loop around both, in
 * front of them.
 */
void exits_of_exits(int n, const long a[n], long b[n], long c[n], long at[8])
{
	long end = 3, other = 2;
	int i, j;

	for (i = 0; i < n - 1; i++)
		if (a[i] > 0)
			break;
	end = i;
	for (j = 0; j < n && end > 5; j++)
		b[j] = 1;
	at[0] = end;
	at[1] = j;
	for (int t = 0; t < 4; t++) {
		int k, l;

		for (k = 0; k < n && other < 3; k++)
			c[k] = t;
		for (l = 0; l < n; l++)
			if (a[l] < t)
				break;
		other = l;
		at[2 + t] = k;
	}
}
