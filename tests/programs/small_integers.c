// sizes: n=1; n=8; n=13
void small_integers(int n, const unsigned char a[n], const short b[n],
	int y[n], unsigned char z[n], int t[n])
{
	for (int i = 0; i < n; i++) {
		y[i] = a[i] * a[i] + b[i] * b[i];
		z[i] = a[i] + 200;
		t[i] = (a[i] + a[i]) / 2 - (b[i] < 0 ? -b[i] : b[i]);
		t[i] += ~a[i] >> 1;
		t[i] -= (a[i] - 255) * 3;
	}
}
