/* Build Fig. 2 of the Diesel paper from a string, and launch it. */
#include <cetane.h>
#include <cetane_rt.h>
#include <stdio.h>

enum { N = 64, BYTES = N * N * sizeof(float) };

int main(void)
{
	const char text[] = "Params M, K, N; Matrix A(M,K); Matrix B(K,N);"
		"Matrix C(M,N); D = A * B; E = D + C; CodeGen(FLOAT, {E});";
	static float x[N * N] = { 2 };	/* A, B and C: 2 at [0,0] */
	int (*fig2)(void *stream, int64_t m, int64_t k, int64_t n, cetane_ptr a,
		cetane_ptr b, cetane_ptr c, cetane_ptr e, void *workspace);
	struct cetane_build *b = cetane_build_new("fig2", text, sizeof(text) - 1);
	struct cetane_device *dev;
	cetane_ptr p;	/* the input, and the output behind it */

	cetane_build_set(b, "emit", "object");
	if (cetane_build_run(b) || !(fig2 = cetane_build_symbol(b, "fig2")))
		return fputs(cetane_build_message(b, 0)->rendered, stderr), 1;
	if ((cetane_device_open("cuda", &dev) && cetane_device_open("host", &dev))
	    || cetane_device_use(dev) || cetane_malloc(dev, 2 * BYTES, &p)
	    || cetane_copy_to_device(dev, p, x, BYTES, NULL)
	    || fig2(NULL, N, N, N, p, p, p, p + BYTES, NULL)
	    || cetane_copy_from_device(dev, x, p + BYTES, BYTES, NULL)
	    || cetane_stream_synchronize(dev, NULL))
		return fprintf(stderr, "%s\n", cetane_last_error()), 1;
	return printf("%s: E[0,0] = %g\n", cetane_device_name(dev), x[0]) < 0;
}
