/* Call the compiled layer with arrays of the host, and compare with loops. */
#include <math.h>
#include <program.h>
#include <stdio.h>
#include "gemm_gelu.h"

enum { M = 100, K = 40, N = 60 };
static float x[M][K], w[K][N], b[N], y[M][N];

static double expected(int i, int j)
{
	double h = b[j];

	for (int k = 0; k < K; k++)
		h += (double)x[i][k] * w[k][j];
	return 0.5 * h * (1 + tanh(0.7978845608 * (h + 0.044715 * h * h * h)));
}

int main(void)
{
	const int64_t size[] = { M, K, N };
	void *const array[] = { x, w, b, y };	/* as gemm_gelu.h has them */
	double worst = 0;

	for (int k = 0; k < K; k++) {
		for (int i = 0; i < M; i++)
			x[i][k] = (float)((i * 7 + k * 3) % 11) / 11 - 0.5f;
		for (int j = 0; j < N; j++)
			w[k][j] = (float)((k * 5 + j) % 13) / 13 - 0.5f;
	}
	for (int j = 0; j < N; j++)
		b[j] = (float)j / N;
	if (cetane_program_call(gemm_gelu_program(), size, array, 1, ""))
		return fprintf(stderr, "%s\n", cetane_last_error()), 1;
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++)
			worst = fmax(worst, fabs(y[i][j] - expected(i, j)));
	printf("largest error: %.1e\n", worst);
	return !(worst < 1e-4);
}
