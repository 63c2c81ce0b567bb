// sizes: n=1; n=8; n=13
void axpy(int n, float a, const float x[n], float y[n])
{
	for (int i = 0; i < n; i++)
		y[i] += a * x[i];
}
