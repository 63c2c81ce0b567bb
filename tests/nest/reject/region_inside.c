void f(int n, double a[n])
{
#pragma scop
	for (int i = 0; i < n; i++) {
		a[i] = 1;
#pragma endscop // ERROR[E107] 9: found the end of the region
	}
}
