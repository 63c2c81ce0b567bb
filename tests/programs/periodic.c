// sizes: n=1 steps=0; n=8 steps=3; n=13 steps=4
void periodic(int n, int steps, const float u[13], float v[13])
{
	float a[13], b[13];

	for (int i = 0; i < 13; i++)
		a[i] = u[i];
	for (int t = 0; t < steps; t++) {
		for (int i = 0; i < 13; i++)
			b[i] = 0.25f * a[(i + 12) % 13] + 0.5f * a[i] +
				0.25f * a[(i + 1) % 13];
		for (int i = 0; i < 13; i++)
			a[i] = b[i];
	}
	for (int i = 0; i < 13; i++)
		v[i] = a[i] + n;
}
