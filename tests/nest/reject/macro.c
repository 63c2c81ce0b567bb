#define TWICE(x) (2 * (x) + yy)
void f(int n, double a[n])
{
	for (int i = 0; i < n; i++)
		a[i] = TWICE(a[i]); // ERROR[E251] 3: is not declared
}
