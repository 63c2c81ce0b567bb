// sizes: n=1; n=2; n=9; n=40; n=333
#include <math.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* The largest floats, with the place of the first or the last one, by conditions that
 * never take a NaN: among zeros of both signs, NaN and infinities.
 */
void extreme_floats(int n, const float a[n], const int k[n], float z[n],
	float y[4], int at[6])
{
	float m, low = a[0], most, none = NAN;
	int first = -1, last = -1, where = 0, place = -5;
	long both = -3;

	for (int i = 0; i < n; i++)
		z[i] = k[i] % 5 == 0 ? -0.0f : k[i] % 5 == 1 ? 0.0f :
			k[i] % 7 == 3 ? NAN : k[i] % 11 == 2 ? -INFINITY :
			-fabsf(a[i]);
	for (int i = 0; i < n; i++)
		if (a[i] > low) {
			low = a[i];
			first = i;
		}
	y[0] = low; at[0] = first;
	m = -2;
	for (int i = 0; i < n; i++)
		if (z[i] > m) { m = z[i]; where = i; }
	y[1] = copysignf(1, m) + m; at[1] = where;
	m = -2;
	for (int i = 0; i < n; i++)
		if (m <= z[i]) { last = i; m = z[i]; both = 3L * i + 1; }
	y[2] = copysignf(1, m) + m; at[2] = last; at[3] = (int)both;
	most = z[0];
	for (int i = 1; i < n; i++)
		most = z[i] > most ? z[i] : most;
	y[3] = isnan(most) ? 99 : copysignf(1, most) + most;
	for (int i = 0; i < n; i++)
		if (z[i] < none) { none = z[i]; place = i; }
	at[4] = place; at[5] = none != none;
}
