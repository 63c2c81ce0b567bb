// sizes: n=1; n=8; n=13
/* Loops with steps that begin at one of two values. */
void first_of_two(int n, const float x[n + 4], float y[n + 4], int c[n][n + 5])
{
	for (int i = n > 7 ? n - 7 : 1; i < n + 4; i += 3)
		y[i] = 2 * x[i - 1];
	for (int i = n < 8 ? n : 7; i >= 0; i -= 2)
		y[i] += x[i + 1];
	for (int i = 0; i < n; i++)
		for (int j = i < 3 ? 3 : i; j < n + 5; j += 4)
			c[i][j] += i + j;
}
