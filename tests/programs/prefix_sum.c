// sizes: n=1; n=8; n=13
void prefix_sum(int n, const long x[n], long s[n])
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		s[i] = sum += x[i];
}
