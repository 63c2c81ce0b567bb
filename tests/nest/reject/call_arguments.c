#include <math.h>
void f(int n, double a[n])
{
	for (int i = 0; i < n; i++)
		a[i] = sqrt(a[i], 2); // ERROR[E113] 10: sqrt takes 1 argument, found 2
}
