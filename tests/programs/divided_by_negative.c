// sizes: n=1; n=7; n=16; n=50
// Division and remainder by negative numbers, some of them in an arm that is
// never taken, as code generators write quotients that round up and down.
#define CEILD(n, d) ((n) < 0 ? -(-(n) / (d)) : (d) < 0 ? \
	(-(n) + -(d) - 1) / -(d) : ((n) + (d) - 1) / (d))
#define FLOORD(n, d) ((n) * (d) < 0 ? -((-(n) + (d) - 1) / (d)) : (n) / (d))
void divided_by_negative(int n, float a[n], float b[2 * n + 8])
{
	for (int c = 0; c <= FLOORD(n - 1, 16); c++)
		for (int i = 16 * c > 1 ? 16 * c : 1;
		     i <= (n - 2 < 16 * c + 15 ? n - 2 : 16 * c + 15); i++)
			b[i] = a[i - 1] + a[i + 1];
	for (int c = CEILD(-n, 8); c < 0; c++)
		b[n - 1 + c] += 8 * c;
	for (int i = 0; i < n; i++)
		a[i] = i / -3 + i % -5 + (i - n) / -4 +
			b[n + 6 + (i - n) % -7] + b[-(i / -2)];
}
