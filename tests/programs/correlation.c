// sizes: m=1 n=2; m=4 n=8; m=11 n=13
#include <math.h>

void correlation(int m, int n, double data[n][m], double corr[m][m],
	double mean[m], double stddev[m])
{
	double eps = 0.1;

	for (int j = 0; j < m; j++) {
		mean[j] = 0.0;
		for (int i = 0; i < n; i++)
			mean[j] += data[i][j];
		mean[j] /= (double)n;
	}
	for (int j = 0; j < m; j++) {
		stddev[j] = 0.0;
		for (int i = 0; i < n; i++)
			stddev[j] += (data[i][j] - mean[j]) *
				(data[i][j] - mean[j]);
		stddev[j] = sqrt(stddev[j] / n);
		stddev[j] = stddev[j] <= eps ? 1.0 : stddev[j];
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++) {
			data[i][j] -= mean[j];
			data[i][j] /= sqrt(1.0 * n) * stddev[j];
		}
	for (int i = 0; i < m; i++) {
		corr[i][i] = 1.0;
		for (int j = i + 1; j < m; j++) {
			corr[i][j] = 0;
			for (int k = 0; k < n; k++)
				corr[i][j] += data[k][i] * data[k][j];
			corr[j][i] = corr[i][j];
		}
	}
}
