// sizes: n=1; n=50
/* A local integer that is made of itself many times over. */
#define ROUND x ^= x << 13; x ^= x >> 17; x ^= x << 5;
#define FOUR ROUND ROUND ROUND ROUND

void unrolled_hash(int n, unsigned a[n])
{
	for (int i = 0; i < n; i++) {
		unsigned x = i + 1;

		FOUR FOUR FOUR FOUR
		a[i] ^= x;
	}
}
