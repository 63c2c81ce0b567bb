// Variables that C lets go on from the other side.
void f(int n, int a[300], int m)
{
	unsigned char k;

	for (unsigned char j = 0; j < n; j++) // WARNING[W281] 28: n <= 255
		a[j] += 5;
	for (k = 252; k % 9 <= 5; k++) // ERROR[E264] 16: wraps
		a[k] += 5;
	for (unsigned char j = 250; j != 3; j++) // ERROR[E264] 30: wraps
		a[j] += 5;
	for (unsigned j = 4294967290u; j != 3; j++) // ERROR[E264] 33: wraps
		a[j % 8] += 5;
	for (short j = 32760; j < 32768; j++) // ERROR[E264] 24: wraps
		a[j - 32760] += 5;
	for (unsigned char j = 250; j < 255; j += 5)
		a[j] += 5;
	for (unsigned char j = 0; j < 9; j++) {
		if (j == m)
			break;
		a[j] += 5;
	}
}
