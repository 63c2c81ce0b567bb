// sizes: n=1; n=2; n=9; n=40; n=333
#include <math.h>

/* Extremes beside other statements of their loops, of computed values, of integers,
 * with what other arrays hold there, and in a loop around.
 */
void extreme_rows(int n, const double b[n], const int k[n], int at[8],
	double w[4])
{
	double sum = 0, peak = b[0], deep = 1e300;
	unsigned char c = 3;

	int big = -1000000;

	at[6] = at[7] = -7;
	for (int i = 0; i < n; i++)
		if (!(k[i] <= big)) { big = k[i]; at[6] = i; }
	for (int i = 0; i < n; i++) {
		sum += b[i];
		if (fabs(b[i]) > peak) { peak = fabs(b[i]); at[7] = k[i]; }
		if (b[i] - 1 < deep) { deep = b[i] - 1; c = (unsigned char)i; }
	}
	w[0] = sum; w[1] = peak; w[2] = deep; w[3] = c;
	for (int j = 0; j < 3; j++) {
		int best = 1000, at_best = -1;

		for (int i = j; i < n; i += 2)
			if (k[i] + j < best) { best = k[i] + j; at_best = i; }
		at[j] = best;
		at[3 + j] = at_best;
	}
}
