/* The layouts that the hardware prescribes: of fragments of matrix instructions,
 * and of what the tensor memory accelerator writes to shared memory.
 */
#include <stddef.h>
#include <string.h>

#include "polyir/place/place.h"

static const struct {
	const char *name, *text;
} fragments[] = {
#define FRAGMENT(name, text) { name, text },
#include "polyir/place/fragment.def"
#undef FRAGMENT
};

enum { N_FRAGMENT = sizeof(fragments) / sizeof(fragments[0]) };

const char *poly_fragment_name(int i)
{
	return i < N_FRAGMENT ? fragments[i].name : NULL;
}

struct poly_layout *poly_fragment(const char *name)
{
	const char *wrong;

	for (int i = 0; i < N_FRAGMENT; i++)
		if (!strcmp(fragments[i].name, name))
			return poly_layout_parse(fragments[i].text, &wrong);
	return NULL;
}

struct poly_layout *poly_fragment_wgmma_digits(int n, int size)
{
	int extent[2] = { 64, n }, pair = size == 4;
	struct poly_layout *l;

	if (n < 8 || n > 256 || n % 8 || (size != 2 && size != 4))
		return NULL;
	l = poly_layout_alloc(2, extent);
	poly_layout_add_along(l, POLY_PLACE_WARP, 4, 1, 0, 16);
	poly_layout_add_along(l, POLY_PLACE_LANE, 8, 4, 0, 1);
	poly_layout_add_along(l, POLY_PLACE_LANE, 4, 1, 1, 2);
	poly_layout_add_along(l, POLY_PLACE_REG, n / 8, pair ? 4 : 2, 1, 8);
	poly_layout_add_along(l, POLY_PLACE_REG, 2, pair ? 2 : 1, 0, 8);
	poly_layout_add_along(l, pair ? POLY_PLACE_REG : POLY_PLACE_BYTE, 2,
		pair ? 1 : 2, 1, 1);
	return l;
}

struct poly_layout *poly_fragment_wgmma(int n, int size)
{
	return poly_layout_normal(poly_fragment_wgmma_digits(n, size));
}

struct poly_layout *poly_layout_swizzled_rows(int rows, int bytes, int size)
{
	int extent[2] = { rows, bytes / size };
	struct poly_layout *l;

	if (rows < 1 || (bytes != 32 && bytes != 64 && bytes != 128) ||
	    size < 1 || 16 % size)
		return NULL;
	l = poly_layout_alloc(2, extent);
	poly_layout_add_along(l, POLY_PLACE_BYTE, rows, bytes, 0, 1);
	poly_layout_add_along(l, POLY_PLACE_BYTE, bytes / size, size, 1, 1);
	for (int bit = 4; 1 << bit < bytes; bit++)
		poly_layout_add_swizzle(l, bit, bit + 3);
	return poly_layout_normal(l);
}
