/* A chain over every third element. */
void every_third(int n, float a[n], const float b[n])
{
	for (int i = 3; i < n; i++)
		a[i] = a[i - 3] * 0.5f + b[i];
}
