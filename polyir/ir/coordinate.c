/* Names of the coordinates of launches, blocks and threads.
 *
 * Filters of mapped programs bind them as parameters of isl's sets, beside the
 * sizes. They are called b0, b1, .., t0, t1, h0, h1, ..; if a size has that name,
 * the first of b0_1, b0_2, .. that no size has. The names follow from the sizes
 * alone, so the text of a program need not tell them.
 */
#include <stdio.h>
#include <string.h>

#include "polyir/ir/ir.h"

/* The letter and the number of coordinate "c".
 *
 * b2, b3, .. are the batch's digits; of launches and threads there are as many
 * as enum poly_coordinate says.
 */
static void write_plain(char *name, size_t size, int c)
{
	if (c < POLY_BLOCK)
		snprintf(name, size, "h%d", c - POLY_LAUNCH);
	else if (c < POLY_THREAD)
		snprintf(name, size, "b%d", c - POLY_BLOCK);
	else
		snprintf(name, size, "t%d", c - POLY_THREAD);
}

/* Runs again for each size that is added: a size called b0 moves the block to
 * b0_1. Terminates, since a program has finitely many sizes.
 */
void poly_coordinates_choose(struct poly_prog *prog)
{
	for (int c = 0; c < POLY_N_COORDINATE; c++) {
		char *name = prog->coordinate[c];
		size_t plain;

		write_plain(name, POLY_COORDINATE_TEXT, c);
		plain = strlen(name);
		for (int i = 1; poly_prog_find_param(prog, name); i++)
			snprintf(name + plain, POLY_COORDINATE_TEXT - plain,
				"_%d", i);
	}
}

const char *poly_coordinate(const struct poly_prog *prog, int c)
{
	return prog->coordinate[c];
}

/* -1 of a size: it is how passes tell the two kinds of parameters apart. */
int poly_find_coordinate(const struct poly_prog *prog, const char *name)
{
	for (int c = 0; c < POLY_N_COORDINATE; c++)
		if (!strcmp(prog->coordinate[c], name))
			return c;
	return -1;
}

bool poly_is_launch(const struct poly_prog *prog, const char *name)
{
	int c = poly_find_coordinate(prog, name);

	return c >= POLY_LAUNCH && c < POLY_BLOCK;
}
