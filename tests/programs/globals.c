// sizes: n=1; n=8; n=13
/* A function of its own file: globals are its arrays, other functions and
 * declarations do not matter.
 */
#include <stdio.h>

#define N 40
enum { FIRST = 2, LAST = N - 3 };
static const double weight = 0.25;
static const float stencil[2][3] = { { 1, -2, 1 }, { 0.5f } };

static void print(const double x[N])
{
	printf("%g\\n", x[0]);
}

void globals(int n, double x[N], double y[N])
{
	register int i;

	for (i = FIRST; i <= LAST; i++)
		y[i] = weight * (x[i - 1] + x[i + 1]) + n +
			stencil[1][0] * x[i] + stencil[0][i % 3];
}
