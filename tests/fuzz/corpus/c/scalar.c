typedef double real;
enum { N = 30 };
static real A[N][N], x[N];
void forward(void)
{
	for (long i = N - 1; i >= 0; i--) {
		real s = x[i];
		for (int j = 0; j < i; j += 2)
			s -= A[i][j + 1] * x[j];
		x[i] = s / A[i][i];
	}
}
