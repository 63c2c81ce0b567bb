// sizes: n=1; n=64; n=1009
// What is compared with the negation of an absolute value: ptxas took it for known.
#define ABS(x) ((x) < 0 ? -(x) : (x))

void absolute(int n, const int x[n], const long y[n], const short z[n],
	const signed char w[n], int below[n], int clamped[n], int half[n],
	long least[n], long most[n], long sum[1], int narrow[n], int count[1])
{
	for (int i = 0; i < n; i++) {
		below[i] = -ABS(x[i]) < -5 ? 3 : x[i];
		clamped[i] = 0 - ABS(x[i]) > -7 ? -ABS(x[i]) : -7;
		half[i] = -ABS(x[i]) >> 1;
		least[i] = -ABS(y[i]) < -5 ? -ABS(y[i]) : -5;
		most[i] = -ABS(y[i]) > -5 ? -ABS(y[i]) : -5;
		narrow[i] = (-ABS(z[i]) > -3) + 2 * (-ABS(w[i]) <= -3);
	}
	sum[0] = 0;
	count[0] = 0;
	for (int i = 0; i < n; i++) {
		if (-ABS(y[i]) >= -4)
			sum[0] += y[i];
		count[0] += -ABS(x[i]) >= -2 ? 1 : 0;
	}
}
