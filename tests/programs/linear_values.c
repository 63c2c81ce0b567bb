// sizes: n=1; n=9; n=333
/* Values that are linear functions of the one before, of which some are read. */
float linear_values(int n, const float a[n], const int k[n], float y[n],
	unsigned z[n], int w[n])
{
	float smooth = 0.5f, rate = 0.125f;
	unsigned hash = 17;
	int first = 0, second = 1;

	for (int i = 0; i < n; i++) {
		smooth = (1 - rate) * smooth + rate * a[i];
		y[i] = smooth - a[i];
	}
	for (int i = 0; i < n; i++) {
		hash = hash * 31 + (unsigned)k[i];
		z[i] = hash;
	}
	for (int i = 0; i < n; i++) {
		int both = first + second & 1023;

		first = second;
		second = both;
		w[i] = first + k[i];
	}
	return smooth;
}
