/* A kernel from its text, and the words and small numbers that lines are made of.
 */
#include <string.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"

/* The position of "text" in "word" (ended by NULL), or -1. */
static int find_word(const char *const *word, const char *text)
{
	int i;

	for (i = 0; text && word[i]; i++)
		if (!strcmp(word[i], text))
			return i;
	return -1;
}

/* "word" ends in NULL. The enumerations of ir.h have the order of their lists.
 */
int poly_scan_choice(struct poly_scan *s, const char *const *word,
	const char *what)
{
	int i = find_word(word, poly_scan_peek(s)->text);

	if (s->failed || i < 0 || !poly_scan_accept(s, word[i])) {
		poly_scan_error(s, "expected %s", what);
		return -1;
	}
	return i;
}

/* Bounds are those of hardware, or generous: they keep arithmetic on them
 * within an int.
 */
bool poly_scan_small(struct poly_scan *s, const char *what, int min, int max,
	int *value)
{
	int64_t v;

	if (!poly_scan_int(s, what, min, max, &v))
		return false;
	*value = (int)v;
	return true;
}

/* Take the name of a unit that runs contractions; an error if there is none. */
static void read_unit(struct poly_scan *s, enum poly_unit *unit)
{
	*unit = poly_find_unit(poly_scan_peek(s)->text);
	if (*unit == POLY_UNIT_NONE)
		poly_scan_error(s, "expected a unit that runs contractions");
	else
		poly_scan_word(s, "a unit");
}

/* thread 16 16 tile 128 128 8 vec 4 4 steps 2 stages 3 unit NAME cluster 1 2. All
 * from "vec" on may be missing, and means 1, or none.
 */
bool poly_scan_block(struct poly_scan *s, struct poly_block *b)
{
	*b = (struct poly_block){ .vec = { 1, 1 }, .vec_k = 1, .stages = 1 };
	poly_scan_expect(s, "thread");
	for (int d = 0; d < 2; d++)
		poly_scan_small(s, "threads", 1, POLY_MOST_THREADS, &b->thread[d]);
	poly_scan_expect(s, "tile");
	for (int d = 0; d < 2; d++)
		poly_scan_small(s, "a tile", 1, 1 << 20, &b->tile[d]);
	poly_scan_small(s, "a tile", 0, 1 << 20, &b->tile_k);
	for (int d = 0; d < 2 && (d || poly_scan_accept(s, "vec")); d++)
		poly_scan_small(s, "a vector", 1, 1024, &b->vec[d]);
	if (poly_scan_accept(s, "steps"))
		poly_scan_small(s, "steps", 1, 1024, &b->vec_k);
	if (poly_scan_accept(s, "stages"))
		poly_scan_small(s, "stages", 1, 1024, &b->stages);
	if (poly_scan_accept(s, "unit"))
		read_unit(s, &b->unit);
	for (int d = 0; d < 2 && (d || poly_scan_accept(s, "cluster")); d++)
		poly_scan_small(s, "blocks", 1, 16, &b->cluster[d]);
	return !s->failed;
}

/* The order of optional words is that of print.c. A kernel with more batch
 * digits than there may be is refused at the token behind them.
 */
void poly_parse_kernel(struct poly_scan *s, struct poly_prog *prog)
{
	static const char *const how[] = { "naive", "tiled", "block",
		"together", "apart", NULL };
	struct poly_kernel *kernel;
	struct poly_block block;
	int d, kind;

	poly_scan_accept(s, "kernel");
	kernel = poly_prog_add_kernel(prog, poly_scan_peek(s)->text);
	if (!kernel) {
		poly_scan_error(s, "expected a new name");
		return;
	}
	poly_scan_word(s, "a name");
	kind = poly_scan_choice(s, how, "naive, tiled, block, together or apart");
	kernel->tiled = kind == 1;
	kernel->block = kind >= 2;
	kernel->together = kind == 3;
	kernel->apart = kind == 4;
	poly_scan_block(s, &block);
	poly_kernel_set_block(kernel, &block);
	if (poly_scan_accept(s, "blocks"))
		poly_scan_small(s, "blocks", 1, 1 << 20, &kernel->blocks);
	kernel->chained = poly_scan_accept(s, "chained");
	kernel->near = poly_scan_accept(s, "near");
	if (kernel->near && poly_scan_accept(s, "slice"))
		poly_scan_small(s, "rows", 1, INT32_MAX, &kernel->slice);
	kernel->ranked = poly_scan_accept(s, "ranked");
	kernel->given = poly_scan_accept(s, "given");
	poly_scan_expect(s, "grid");
	for (d = 0; d < 2; d++)
		kernel->grid[d] = poly_scan_size(s);
	if (poly_scan_accept(s, "batch"))
		do
			kernel->batch[kernel->n_batch++] = poly_scan_size(s);
		while (kernel->n_batch < POLY_MAX_BATCH &&
		       poly_scan_peek(s)->kind == POLY_TOKEN_STRING);
	poly_scan_line(s);
}

/* "stride NAME ..", if it is next. */
static void parse_stride(struct poly_scan *s, struct poly_prog *prog,
	struct poly_array *array)
{
	int first = -1;

	if (!poly_scan_accept(s, "stride"))
		return;
	for (int d = 0; d < array->n_dim - 1; d++) {
		const struct poly_param *param =
			poly_prog_find_param(prog, poly_scan_peek(s)->text);

		if (!param || param->hidden != POLY_KNOWN || param->fixed ||
		    (d && param != &prog->param[first + d])) {
			poly_scan_error(s, d ? "expected the next size" :
				"expected the name of a size");
			return;
		}
		first = d ? first : (int)(param - prog->param);
		poly_scan_word(s, "a size");
	}
	if (first >= 0)
		poly_array_set_stride(prog, array, first);
	else
		poly_scan_error(s, "an array of one dimension has no strides");
}

void poly_parse_layout(struct poly_scan *s, struct poly_prog *prog,
	struct poly_array *array)
{
	parse_stride(s, prog, array);
	if (poly_scan_accept(s, "within"))
		array->within = poly_scan_index(s);
}
