// sizes: n=1 m=1; n=4 m=2; n=6 m=7
void size_in_condition(int n, int m, const int b[n], const long c[7],
	unsigned a[n + m])
{
	for (int i = 0; i < 2; i++) {
		long s = 1;

		s = i != m ? s : b[0];
		a[i] = s;
	}
	for (int i = 0; i < 5; i++) {
		long s = c[i];

		s = i != m - 1 ? s : c[i + 2];
		a[i / 3] += s ^ 3;
	}
}
