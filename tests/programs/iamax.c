// sizes: n=1; n=8; n=13
#include <math.h>

int iamax(int n, const float x[n])
{
	float best = -1;
	int at = 0;

	for (int i = 0; i < n; i++)
		if (fabsf(x[i]) > best) {
			best = fabsf(x[i]);
			at = i;
		}
	return at;
}
