// sizes: n=1 m=1 f=1; n=7 m=5 f=3; n=70 m=33 f=40
/* Loops whose bounds are data: rows that begin anywhere in "val" and may be empty, in a
 * sum, in the largest value, below a loop over features, around another loop, and
 * around one whose bounds are data, too.
 */
static float norm(float x)
{
	return x < 0 ? -x : x;
}

void ragged(int n, int m, int f, const unsigned row[n], const int len[n],
	const unsigned col[17], const float val[17], const float x[9],
	const float B[9][f], const float A[n][f], const int pad[n][9], float y[n],
	float C[n][f], float dots[n], float top[n], int w[n], int count[n],
	int last[n], long twice[n], float key[n], int best[n],
	int all[1])
{
	for (int i = 0; i < n; i++) {
		float s = 0;

		for (int j = row[i]; j < row[i] + (len[i] & 3); j++)
			s += val[j + 4 - 4] * x[col[j]];
		y[i] = s;
	}
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < f; k++)
			C[i][k] = k;
		for (unsigned j = row[i]; j < row[i] + (len[i] & 7); ++j) {
			unsigned c = col[j];
			float v = val[j] * 2;

			for (int k = 0; k < f; k++)
				C[i][k] += v * B[c][k];
		}
	}
	for (int i = 0; i < n; i++) {
		int begin = row[i], end = begin + len[i];
		float sum = 1, most = -9;
		int from = -1;

		for (int j = begin; j <= end; j += 1) {
			float d = 0;

			for (int k = 0; k < f; k++)
				d += A[i][k] * B[col[j]][k];
			sum = sum * 0.5f + norm(d) * val[j];
			if (val[j] > most)
				most = val[j];
			from = j;
		}
		dots[i] = sum;
		top[i] = most;
		last[i] = from;
	}
	for (int i = 0; i < n; i++) {
		int t = 0, c = 0;
		long d = 0;

		for (int j = 0; j < len[i] + 4; j++)
			if (pad[i][j] > 0) {
				t += pad[i][j];
				c++;
			} else if (pad[i][j] < -2)
				t -= 3;
		w[i] = t;
		count[i] = c;
		for (int j = row[i]; j < 9; j++)
			for (int k = pad[i][j]; k < len[i]; k++)
				d += k * j;
		twice[i] = d;
	}
	for (int i = 0; i < n; i++)
		for (int j = len[i]; j < row[i] + 1; j++)
			count[i] += j;
	for (int i = 0; i < n; i++) {
		best[i] = -1;
		for (int j = row[i]; j < row[i] + (len[i] & 7); j++)
			if (val[j] > key[i]) {
				key[i] = val[j];
				best[i] = j;
			}
	}
	all[0] = 3;
	for (int j = len[0]; j < len[n - 1]; j++)
		all[0] ^= j * j;
}
