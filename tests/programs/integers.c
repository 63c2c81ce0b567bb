// sizes: n=1; n=8; n=13
/* Division truncates, remainders have the sign of the dividend, narrow types
 * are promoted, unsigned values wrap.
 */
void integers(int n, const int x[n], const short s[n], const unsigned char b[n],
	unsigned u[n], int y[n], long z[n], unsigned short h[n])
{
	for (int i = 0; i < n; i++) {
		y[i] = x[i] / 3 + x[i] % 3 - (x[i] >> 1) + (x[i] << 2);
		y[i] ^= ~x[i] & 0x55 | i;
		u[i] = u[i] * 2654435761u - 7u;
		u[i] = u[i] >> 3 ^ u[i] << 5;
		z[i] = s[i] * 1000003L - b[i];
		z[i] += u[i] > 100 ? -1 : b[i] > s[i];
		h[i] = (unsigned short)(s[i] * b[i] - 70000);
		h[i] += s[i];
	}
}
