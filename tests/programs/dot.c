// sizes: n=1; n=8; n=13
float dot(int n, const float x[n], const float y[n])
{
	float s = 0;

	for (int i = 0; i < n; ++i)
		s = s + x[i] * y[i];
	return s;
}
