// sizes: n=1; n=8; n=13
#include <math.h>

double nrm2(int n, const double x[n])
{
	double s = 0.0;
	int i;

	for (i = n - 1; i >= 0; --i)
		s += x[i] * x[i];
	return sqrt(s);
}
