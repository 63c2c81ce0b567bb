/* nvptx: the table of GPU architectures. A new one is a row of target.def. */
#include <string.h>

#include "nvptx/nvptx.h"
#include "polyir/layout/layout.h"

static const struct nvptx_target target[] = {
#define TARGET(name_, cc_, ptx_, shared_, threads_, regs_, sm_, room_, \
	blocks_) { \
	.name = name_, .cc = cc_, .ptx = ptx_, .shared_block = shared_, \
	.threads_block = threads_, .regs_thread = regs_, \
	.multiprocessors = sm_, .threads_sm = room_, .blocks_sm = blocks_ },
#include "nvptx/target/target.def"
#undef TARGET
};

const struct nvptx_target *nvptx_target_at(int i)
{
	int n = sizeof(target) / sizeof(target[0]);

	return i >= 0 && i < n ? &target[i] : NULL;
}

bool nvptx_has_bulk(const struct nvptx_target *t)
{
	return t->cc >= 90 && t->ptx >= 80;
}

/* Is "t" an architecture alone, with what no other one has? */
static bool is_own(const struct nvptx_target *t)
{
	return t->name[strlen(t->name) - 1] == 'a';
}

unsigned nvptx_units(const struct nvptx_target *t)
{
	unsigned units = 0;

	for (int u = POLY_UNIT_NONE + 1; u < POLY_N_UNIT; u++)
		if (poly_unit(u)->own ? is_own(t) && t->cc == poly_unit(u)->cc :
		    t->cc >= poly_unit(u)->cc)
			units |= 1u << u;
	return units;
}

int nvptx_most_cluster(const struct nvptx_target *t)
{
	return t->cc >= 90 ? 8 : 0;
}

const struct nvptx_target *nvptx_target_find(const char *name)
{
	const struct nvptx_target *t;
	int i;

	for (i = 0; (t = nvptx_target_at(i)); i++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}
