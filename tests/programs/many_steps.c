// sizes: n=1; n=2; n=37
/* More statements than isl's scheduler is asked to order: rows of blocks of four
 * words, mixed block by block in place. Each block reads what the next one is
 * before that is mixed.
 */
void many_steps(int n, unsigned word[n][n + 1][4], unsigned out[n][n])
{
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++) {
			unsigned a = word[j][i][0], b = word[j][i][1];
			unsigned c = word[j][i + 1][2], d = word[j][i][3];
			unsigned mixed[6];

			b += a * 3u;
			d ^= b;
			mixed[0] = d + (c >> 1);
			c += mixed[0];
			a ^= c >> 3;
			word[j][i][0] = a + b;
			b += a * 5u;
			d ^= b;
			mixed[1] = d + (c >> 2);
			c += mixed[1];
			a ^= c >> 4;
			word[j][i][1] = a + b;
			b += a * 7u;
			d ^= b;
			mixed[2] = d + (c >> 3);
			c += mixed[2];
			a ^= c >> 5;
			word[j][i][2] = a + b;
			b += a * 9u;
			d ^= b;
			mixed[3] = d + (c >> 4);
			c += mixed[3];
			a ^= c >> 6;
			word[j][i][3] = a + b;
			b += a * 11u;
			d ^= b;
			mixed[4] = d + (c >> 5);
			c += mixed[4];
			a ^= c >> 7;
			word[j][i][0] = a + b;
			b += a * 13u;
			d ^= b;
			mixed[5] = d + (c >> 6);
			c += mixed[5];
			a ^= c >> 8;
			word[j][i][1] = a + b;
			mixed[0] ^= word[j][i + 1][0];
			a += mixed[0] * mixed[5];
			d = a ^ (d >> 5);
			word[j][i][0] ^= d;
			b += word[j][i][2];
			mixed[1] ^= word[j][i + 1][1];
			a += mixed[1] * mixed[4];
			d = a ^ (d >> 5);
			word[j][i][1] ^= d;
			b += word[j][i][3];
			mixed[2] ^= word[j][i + 1][2];
			a += mixed[2] * mixed[3];
			d = a ^ (d >> 5);
			word[j][i][2] ^= d;
			b += word[j][i][0];
			mixed[3] ^= word[j][i + 1][3];
			a += mixed[3] * mixed[2];
			d = a ^ (d >> 5);
			word[j][i][3] ^= d;
			b += word[j][i][1];
			mixed[4] ^= word[j][i + 1][0];
			a += mixed[4] * mixed[1];
			d = a ^ (d >> 5);
			word[j][i][0] ^= d;
			b += word[j][i][2];
			mixed[5] ^= word[j][i + 1][1];
			a += mixed[5] * mixed[0];
			d = a ^ (d >> 5);
			word[j][i][1] ^= d;
			b += word[j][i][3];
			out[j][i] = a ^ b ^ c ^ d;
		}
}
