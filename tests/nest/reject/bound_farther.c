/* The second loop goes on farther than the first could: how far is data. */
void f(int n, const int k[n], const float b[n], float e[n])
{
	int i, j;

	for (i = 0; i < n / 2; i++) {
		if (k[i] < -3)
			break;
		e[i] = k[i];
	}
	for (; i < n; i++)
		e[i] = b[i] + 2;
	for (j = 0; j < i; j++) // ERROR[E258] 18: this is not affine, which bounds of loops must be
		e[j] *= 3;
}
