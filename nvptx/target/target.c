/* nvptx: the table of GPU architectures. A new one is a row of target.def. */
#include <string.h>

#include "nvptx/nvptx.h"
#include "polyir/cost/cost.h"
#include "polyir/layout/layout.h"

/* All facts about an architecture stand in its row; what follows from them is
 * computed here.
 */
static const struct nvptx_target target[] = {
#define TARGET(name_, cc_, ptx_, shared_, threads_, regs_, sm_, room_, \
	blocks_, rates_) { \
	.name = name_, .cc = cc_, .ptx = ptx_, .shared_block = shared_, \
	.threads_block = threads_, .regs_thread = regs_, \
	.multiprocessors = sm_, .threads_sm = room_, .blocks_sm = blocks_, \
	.rates = &poly_rates_##rates_ },
#include "nvptx/target/target.def"
#undef TARGET
};

/* Numbers begin at 0 and end where NULL comes. */
const struct nvptx_target *nvptx_target_at(int i)
{
	int n = sizeof(target) / sizeof(target[0]);

	return i >= 0 && i < n ? &target[i] : NULL;
}

/* Copies of whole boxes of an array, which a unit of the memory system makes.
 */
bool nvptx_has_bulk(const struct nvptx_target *t)
{
	return t->cc >= 90 && t->ptx >= 80;
}

/* Is "t" an architecture alone, with what no other one has?
 *
 * Such names end with an "a", as "sm_90a".
 */
static bool is_own(const struct nvptx_target *t)
{
	return t->name[strlen(t->name) - 1] == 'a';
}

/* The units of "t", as struct poly_target has them.
 *
 * A unit that belongs to one architecture alone is there on no later one.
 */
static unsigned units_of(const struct nvptx_target *t)
{
	unsigned units = 0;

	for (int u = POLY_UNIT_NONE + 1; u < POLY_N_UNIT; u++)
		if (poly_unit(u)->own ? is_own(t) && t->cc == poly_unit(u)->cc :
		    t->cc >= poly_unit(u)->cc)
			units |= 1u << u;
	return units;
}

/* The most blocks of a cluster that any device of the target runs; 0: it has none. */
static int most_cluster(const struct nvptx_target *t)
{
	return t->cc >= 90 ? POLY_MOST_CLUSTER : 0;
}

/* What the schedule may know of the target. Of the shared memory of a block it
 * gets one half, so that two blocks fit.
 */
struct poly_target nvptx_poly_target(const struct nvptx_target *t)
{
	return (struct poly_target){ .shared_bytes = t->shared_block / 2,
		.multiprocessors = t->multiprocessors,
		.threads = t->threads_sm, .blocks = t->blocks_sm,
		.rates = t->rates, .bulk = nvptx_has_bulk(t),
		.cluster = most_cluster(t), .units = units_of(t) };
}

/* Have both targets the same resources, whatever their units and copies are? */
static bool are_alike(const struct poly_target *a, const struct poly_target *b)
{
	return a->shared_bytes == b->shared_bytes &&
		a->multiprocessors == b->multiprocessors &&
		a->threads == b->threads && a->blocks == b->blocks &&
		a->rates == b->rates && a->cluster == b->cluster;
}

/* A program that uses nothing which belongs to one chip alone has the same schedule
 * for all chips of its architecture.
 */
bool nvptx_target_runs(const struct nvptx_target *t, const struct poly_prog *prog)
{
	struct poly_target has = nvptx_poly_target(t);

	if (!are_alike(&has, &prog->target))
		return false;
	for (int i = 0; i < prog->n_kernel; i++)
		if (prog->kernel[i]->unit != POLY_UNIT_NONE &&
		    !(has.units & 1u << prog->kernel[i]->unit))
			return false;
	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->bulk && !has.bulk)
			return false;
	return true;
}

/* What blocks of a cluster tell one another depends on the version of PTX, too. */
bool nvptx_target_shares(const struct nvptx_target *t, const struct nvptx_target *other,
	const struct poly_prog *prog)
{
	if (t->cc != other->cc || !nvptx_target_runs(other, prog))
		return false;
	for (int i = 0; i < prog->n_kernel; i++)
		if (poly_cluster(prog->kernel[i], 0) * poly_cluster(prog->kernel[i], 1) > 1)
			return false;
	return true;
}

/* By the whole name, with its last letter. NULL if the table has none. */
const struct nvptx_target *nvptx_target_find(const char *name)
{
	const struct nvptx_target *t;
	int i;

	for (i = 0; (t = nvptx_target_at(i)); i++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}
