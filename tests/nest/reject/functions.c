void f(int n, double a[n])
{
	for (int i = 0; i < n; i++)
		a[i] = 1;
}
void g(int n, double a[n]) // ERROR[E154] 6: 2 functions could be meant
{
	for (int i = 0; i < n; i++)
		a[i] = 2;
}
