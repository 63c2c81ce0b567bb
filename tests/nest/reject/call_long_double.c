double sqrtl(double);
void f(int n, double a[n])
{
	for (int i = 0; i < n; i++)
		a[i] = sqrtl(a[i]); // ERROR[E254] 10: 'sqrtl'
}
