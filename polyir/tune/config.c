/* Blocks and parts that the user gives in place of the model's (model.c).
 *
 *	cetane-config 1
 *	program chain
 *	kernel chain_C thread 8 16 tile 64 128 32 vec 1 4 steps 4 stages 2
 *	parts C 8
 *	copies bulk
 *
 * "kernel" has the words that a kernel of the text form has (README.md).
 * "parts" says into how many parts the sums into an array are divided; 1: none.
 * "copies" says whether whole rows are copied "async", as all else, or in "bulk"; if
 * nothing does, boxes into swizzled buffers are in bulk, and no rows.
 * What stands below "program" is for programs of that name, what stands above
 * the first one for any. Lines that fit the program but nothing in it are
 * errors, except for "copies": a program may have none that could be in bulk.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/tune/tune.h"

/* A line. "program" is NULL if it is for any, and "name" if it is for any product.
 */
struct entry {
	enum about { KERNEL, PARTS, COPIES } about;
	char *program, *name;
	struct poly_block block;
	int parts;
	bool bulk, used;
};

/* The lines of a configuration. */
struct poly_config {
	struct entry *entry;
	int n;
};

/* A new entry for "name"; NULL without memory. */
static struct entry *add(struct poly_config *c, enum about about,
	const char *program, const char *name)
{
	struct entry *more = realloc(c->entry, (c->n + 1) * sizeof(*more));
	struct entry *e;

	if (!more)
		return NULL;
	c->entry = more;
	e = &c->entry[c->n++];
	*e = (struct entry){ .about = about,
		.name = name ? strdup(name) : NULL,
		.program = program ? strdup(program) : NULL };
	return (e->name || !name) && (e->program || !program) ? e : NULL;
}

/* Read the rest of "copies WORD" of the section "program". */
static bool read_copies(struct poly_config *c, struct poly_scan *s,
	const char *program)
{
	struct entry *e = add(c, COPIES, program, NULL);

	if (!e)
		return false;
	e->bulk = poly_scan_accept(s, "bulk");
	return e->bulk || poly_scan_expect(s, "async");
}

/* Read a line of the section "program". */
static bool read_entry(struct poly_config *c, struct poly_scan *s,
	const char *program)
{
	bool is_kernel = poly_scan_accept(s, "kernel");
	struct entry *e;
	const char *name;
	int64_t n;

	if (poly_scan_accept(s, "copies"))
		return read_copies(c, s, program);
	if (!is_kernel && !poly_scan_expect(s, "parts"))
		return false;
	name = poly_scan_word(s, "a name");
	e = name ? add(c, is_kernel ? KERNEL : PARTS, program, name) : NULL;
	if (!e)
		return false;
	if (is_kernel)
		return poly_scan_block(s, &e->block);
	if (!poly_scan_int(s, "a number of parts", 1, 64, &n))
		return false;
	e->parts = (int)n;
	return true;
}

/* Read the head and all entries; "program NAME" begins a section, for which the
 * entries behind it are. False, reported but for memory, at the first mistake.
 */
static bool read_lines(struct poly_config *c, struct poly_scan *s)
{
	char *program = NULL;
	bool ok = poly_scan_line(s) && poly_scan_accept(s, "cetane-config") &&
		poly_scan_accept(s, "1");

	if (!ok)
		poly_scan_error(s, "expected \"cetane-config 1\"");
	while (ok && poly_scan_line(s)) {
		if (poly_scan_accept(s, "program")) {
			const char *name = poly_scan_word(s, "a name");

			free(program);
			program = name ? strdup(name) : NULL;
			ok = program != NULL;
		} else {
			ok = read_entry(c, s, program);
		}
	}
	free(program);
	return ok && !s->failed;
}

bool poly_config_add(struct poly_config *c, isl_ctx *ctx, const char *text,
	size_t len, struct poly_report *report)
{
	struct poly_scan s;
	bool ok = poly_scan_start(&s, ctx, text, len, report) && c &&
		read_lines(c, &s);

	if (!ok && !s.failed)
		poly_report_add(report, MSG_NO_MEMORY, NULL,
			"the configuration");
	poly_scan_free(&s);
	return ok;
}

struct poly_config *poly_config_alloc(void)
{
	return calloc(1, sizeof(struct poly_config));
}

struct poly_config *poly_config_read(isl_ctx *ctx, const char *text,
	size_t len, struct poly_report *report)
{
	struct poly_config *c = poly_config_alloc();

	return poly_config_add(c, ctx, text, len, report) ? c :
		poly_config_free(c);
}

struct poly_config *poly_config_make(const struct poly_block *block)
{
	struct poly_config *c = calloc(1, sizeof(*c));
	struct entry *e = c ? add(c, KERNEL, NULL, NULL) : NULL;

	if (!e)
		return poly_config_free(c);
	e->block = *block;
	return c;
}

struct poly_config *poly_config_free(struct poly_config *c)
{
	for (int i = 0; c && i < c->n; i++) {
		free(c->entry[i].program);
		free(c->entry[i].name);
	}
	if (c)
		free(c->entry);
	free(c);
	return NULL;
}

/* ----------------------------------------------------------------- asking */

static bool is_for(const struct entry *e, const struct poly_prog *prog)
{
	return !e->program || !strcmp(e->program, prog->name);
}

/* The last entry about the kernel or array "name", or about copies. */
static struct entry *find(const struct poly_prog *prog, enum about about,
	const char *name)
{
	const struct poly_config *c = prog->request.config;

	for (int i = c ? c->n - 1 : -1; i >= 0; i--) {
		struct entry *e = &c->entry[i];

		if (is_for(e, prog) && e->about == about &&
		    (!e->name || (name && !strcmp(e->name, name)))) {
			e->used = true;
			return e;
		}
	}
	return NULL;
}

/* Is "b" for another target? An object has code for several. */
static bool lacks_unit(const struct poly_prog *prog, const struct poly_block *b)
{
	return b->unit && !(prog->target.units >> b->unit & 1);
}

bool poly_config_block(const struct poly_prog *prog, const char *kernel,
	struct poly_block *block)
{
	const struct entry *e = find(prog, KERNEL, kernel);

	if (!e || lacks_unit(prog, &e->block))
		return false;
	*block = e->block;
	return true;
}

int poly_config_parts(const struct poly_prog *prog, const char *array)
{
	const struct entry *e = find(prog, PARTS, array);

	return e ? e->parts : 0;
}

enum poly_copies poly_config_copies(const struct poly_prog *prog)
{
	const struct entry *e = find(prog, COPIES, NULL);

	return !e ? POLY_COPIES_BEST : e->bulk ? POLY_COPIES_BULK :
		POLY_COPIES_ASYNC;
}

isl_stat poly_config_refuse(struct poly_prog *prog, const char *name,
	const char *why)
{
	poly_report_add(prog->report, MSG_CONFIG, NULL, name, why);
	return isl_stat_error;
}

isl_stat poly_config_check(struct poly_prog *prog)
{
	const struct poly_config *c = prog->request.config;

	for (int i = 0; c && i < c->n; i++) {
		const struct entry *e = &c->entry[i];

		if (is_for(e, prog) && e->about != COPIES && !e->used)
			return poly_config_refuse(prog, e->name ? e->name :
				prog->name, e->about == PARTS ?
				"no sum of a product goes into this array, or "
				"its order is fixed or a size is not" :
				"there is no kernel of this name with a "
				"product");
	}
	return isl_stat_ok;
}

/* ---------------------------------------------------------------- judging */

/* Do the threads of a block "b" hold fragments of its unit? */
static bool fits_unit(const struct poly_block *b)
{
	struct poly_kernel kernel = { .tiled = true };

	poly_kernel_set_block(&kernel, b);
	return poly_unit_fits(&kernel);
}

/* Are clusters of "b" along one axis, on which there are whole ones, if there are any? */
static bool has_clusters(const struct poly_block *b, const struct poly_work *w)
{
	bool has = true;

	for (int d = 0; d < 2; d++)
		has &= b->cluster[d] <= 1 || (b->cluster[!d] <= 1 &&
			b->cluster[d] <= w->target.cluster &&
			poly_unit_is_async(b->unit) && poly_work_is_known(w) &&
			(int64_t)ceil(w->points[d] / b->tile[d]) %
			b->cluster[d] == 0);
	return has;
}

const char *poly_block_fault(const struct poly_block *b,
	const struct poly_work *w)
{
	int64_t points = 1;

	if (b->thread[0] * b->thread[1] > POLY_MOST_THREADS)
		return "a block has more than 1024 threads";
	if (b->tile_k < 1 || b->tile_k % b->vec_k)
		return "the steps of a tile are no multiple of a run of steps";
	for (int d = 0; d < 2; d++) {
		if (b->tile[d] % (b->thread[d] * b->vec[d]))
			return "a tile is no multiple of its threads and runs";
		points *= b->tile[d] / b->thread[d];
	}
	if (b->unit && !(w->units >> b->unit & 1))
		return "the product does not run on this unit";
	if (b->unit && !fits_unit(b))
		return "its threads hold no fragments of the unit";
	if (!has_clusters(b, w))
		return "its clusters have no whole number of tiles of warpgroups";
	if (points * w->words > POLY_ACCUMULATOR_WORDS)
		return "a thread accumulates more than fits into its registers";
	return w->target.shared_bytes && poly_shared_bytes(w, b) >
		2.0 * w->target.shared_bytes -
		POLY_SHARED_REST ? "its buffers take more shared memory than a "
		"block may use" : NULL;
}
