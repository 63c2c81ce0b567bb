// sizes: n=1; n=8; n=13
#include <math.h>

double asum(int n, const double x[n])
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += fabs(x[i]);
	return s;
}
