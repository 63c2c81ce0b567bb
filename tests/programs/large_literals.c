// sizes: n=1; n=21
// Literals that a double does not hold, infinities, and absolute values.
#include <math.h>
#include <stdlib.h>
void large_literals(int n, unsigned long s[n], long t[n], const double x[n],
	const float y[n], double low[1], float high[1])
{
	low[0] = INFINITY;
	high[0] = -INFINITY;
	for (int i = 0; i < n; i++) {
		s[i] = s[i] * 6364136223846793005UL + 1442695040888963407UL;
		s[i] ^= 0xcbf29ce484222325UL;
		t[i] = labs(t[i] - 9007199254740993) + (t[i] < -4611686018427387905);
		low[0] = x[i] < low[0] ? x[i] : low[0];
		if (y[i] > high[0])
			high[0] = y[i];
		if (low[0] == HUGE_VAL || high[0] == -HUGE_VALF)
			t[i] = 0;
	}
}
