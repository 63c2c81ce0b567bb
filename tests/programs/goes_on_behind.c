// sizes: n=1; n=2; n=9; n=100
/* Loops that go on where data have ended another one, and loops that go as far: what is
 * in front of the first negative number, and what is behind it; a second end; a third
 * loop behind that, and what the variable is in the end; one that
 * ends in front of where it begins.
 */
void goes_on_behind(int n, const int k[n], float a[n], float b[n], float c[n],
	int d[n], int last[5], float e[n])
{
	int i, j;

	for (i = 0; i < n; i++) {
		if (k[i] < 0)
			break;
		a[i] = k[i];
	}
	last[0] = i;
	for (j = 0; j < i; j++)
		c[j] = a[j] + j;
	for (; i < n; i++)
		a[i] = b[i] * 2;
	last[1] = i;
	for (i = 0; i < n && k[i] > -3; i++)
		b[i] += 1;
	while (i < n && k[i] < 3) {
		b[i] = b[i] - k[i];
		i++;
	}
	last[2] = i;
	for (j = 0; j < i; j++)
		d[j] += 2;
	for (; i < n - 2; i++)
		b[i] = 7;
	last[3] = i;
	for (j = i; j < n; j++)
		d[j] = j;
	for (i = 0; i < n && k[i] > -9; i++)
		e[i] = b[i] + 2;
	for (; i < n / 4; i++)
		e[i] = k[i];
	last[4] = i;
}
