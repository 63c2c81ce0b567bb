// sizes: nx=1 ny=1 nz=1; nx=4 ny=3 nz=5; nx=2 ny=7 nz=3    flat: in=(nx+2)*(ny+2)*(nz+2)
#include <stddef.h>

#define AT(i, j, k) (((i) * (ny + 2) + (j)) * (nz + 2) + (k))

/* A grid with a border in one dimension, by a macro and by a local index. */
void flat_stencil(size_t nx, size_t ny, size_t nz, const double *restrict in,
	double out[(nx + 2) * (ny + 2) * (nz + 2)])
{
	for (size_t i = 1; i <= nx; i++)
		for (size_t j = 1; j <= ny; j++)
			for (size_t k = 1; k <= nz; k++) {
				size_t c = AT(i, j, k);

				out[c] = in[AT(i - 1, j, k)] - in[c] * 6 +
					in[AT(i + 1, j, k)] + in[c - 1] +
					in[c + 1] + in[c - (nz + 2)] +
					in[c + (nz + 2)];
			}
}
