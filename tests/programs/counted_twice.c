// sizes: n=1; n=4; n=9
// Counters that an inner loop moves by what is not known.
void counted_twice(int n, double a[n], int o[3])
{
	int i, j = 0, k = 0, m;
	for (i = 0; i < 4; i++) {
		for (m = i; m < n / 2; m++)
			j++;
		j--;
	}
	for (i = 0; i < n; i++) {
		for (m = 0; m < n; m++)
			k += 2;
		k++;
		a[i] += k;
	}
	o[0] = j;
	o[1] = k;
	o[2] = 0;
}
