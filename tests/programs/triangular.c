// sizes: n=1; n=8; n=13
void triangular(int n, double a[n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++)
			a[i] += a[j];
}
