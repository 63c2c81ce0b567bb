// sizes: n=1; n=8; n=13
void periodic_branch(int n, const double u[n], double v[n])
{
	for (int i = 0; i < n; i++)
		v[i] = u[i == 0 ? n - 1 : i - 1] +
			(i == n - 1 ? u[0] : u[i + 1]);
}
