void f(int n, double a[n])
{
#pragma scop
	for (int i = 0; i < n; i++)
		a[i] = 1;
#pragma endscop
#pragma scop // ERROR[E148] 9: there is another one
	for (int i = 0; i < n; i++)
		a[i] = 2;
#pragma endscop
}
