// sizes: n=1; n=8; n=13
void promotions(int n, const float x[n], const int k[n], double y[n],
	float z[n], int t[n])
{
	for (int i = 0; i < n; i++) {
		y[i] = x[i] * 0.1 + k[i] / 2;
		z[i] = x[i] * 0.1f + k[i] / 2.0;
		z[i] += 0.1;
		t[i] = (int)(x[i] * 100) + (x[i] > 0) - !k[i];
		t[i] += x[i] * 10;
		z[i] *= (float)i / (n + 1);
	}
}
