// sizes: n=1; n=8; n=13
#include <stdbool.h>

void flags(int n, const double x[n], bool up[n], double y[n])
{
	bool any = false;

	for (int i = 0; i < n; i++) {
		up[i] = i > 0 && x[i] > x[i - 1];
		any = any || up[i];
		if (up[i] && i % 2 == 0)
			y[i] = x[i];
		else if (!up[i])
			y[i] = -x[i];
		else
			y[i] = 0;
	}
	if (n > 0 && any)
		y[0] = 7;
}
