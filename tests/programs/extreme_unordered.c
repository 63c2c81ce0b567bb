// sizes: n=1; n=2; n=9; n=40; n=333
#include <math.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* The largest and smallest floats by conditions that take a NaN, and after it whatever
 * follows.
 */
void extreme_unordered(int n, const float a[n], const int k[n], float z[n],
	float y[4], int at[4])
{
	float high = -1e30f, least, any = -5, worst = NAN;
	int odd = 7, place = -5;

	for (int i = 0; i < n; i++)
		z[i] = k[i] % 5 == 0 ? -0.0f : k[i] % 5 == 1 ? 0.0f :
			k[i] % 7 == 3 ? NAN : k[i] % 11 == 2 ? -INFINITY :
			-fabsf(a[i]);
	for (int i = 0; i < n; i++)
		high = MAX(high, z[i]);
	y[0] = high != high ? 99 : copysignf(1, high) + high;
	least = z[n - 1];
	for (int i = 0; i < n; i++)
		least = MIN(least, z[i]);
	y[1] = least != least ? 99 : copysignf(1, least) + least;
	for (int i = 0; i < n; i++)
		if (!(z[i] <= any)) { any = z[i]; odd = i; }
	y[2] = any != any ? 99 : copysignf(1, any) + any; at[0] = odd;
	for (int i = 0; i < n; i++)
		if (!(z[i] >= worst)) { worst = z[i]; place = i; }
	y[3] = worst != worst ? 99 : copysignf(1, worst) + worst;
	at[1] = place; at[2] = isfinite(worst); at[3] = signbit(worst) != 0;
}
