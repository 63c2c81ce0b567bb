void f(int n, double a[n])
{
#pragma scop // ERROR[E148] 9: it does not end
	for (int i = 0; i < n; i++)
		a[i] = 1;
}
