// sizes: n=1; n=37; n=300
/* The least of unsigned numbers that are all greater than any signed one, and where it is:
 * nothing that is looked at is below the largest signed number.
 */
void least_unsigned(int n, const unsigned a[n], const unsigned short b[n],
	const unsigned char c[n], long out[6])
{
	unsigned least = 4294967295u;
	unsigned short lower = 65535;
	unsigned char lowest = 255;
	long first = -1, last = -1, other = -1;

	for (int i = 0; i < n; i++)
		if ((a[i] | 2147483648u) < least) {
			least = a[i] | 2147483648u;
			first = i;
		}
	for (int i = 0; i < n; i++)
		if ((unsigned short)(b[i] | 32768) <= lower) {
			lower = (unsigned short)(b[i] | 32768);
			last = i;
		}
	for (int i = 0; i < n; i++)
		if ((unsigned char)(c[i] | 128) < lowest) {
			lowest = (unsigned char)(c[i] | 128);
			other = i;
		}
	out[0] = least;
	out[1] = first;
	out[2] = lower;
	out[3] = last;
	out[4] = lowest;
	out[5] = other;
}
