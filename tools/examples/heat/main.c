/* A plate that is hot at one edge: where the middle of each row ends up. */
#include <program.h>
#include <stdio.h>
#include "heat.h"

enum { N = 17, STEPS = 2000 };
static double u[N][N], v[N][N];

int main(void)
{
	const int64_t size[] = { N, STEPS };
	void *const array[] = { u, v };

	for (int j = 0; j < N; j++)
		u[0][j] = 100;
	if (cetane_program_call(heat_program(), size, array, 1, ""))
		return fprintf(stderr, "%s\n", cetane_last_error()), 1;
	for (int i = 0; i < N; i += 4)
		printf("%7.3f\n", u[i][N / 2]);
	return 0;
}
