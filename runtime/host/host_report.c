/* What the checks of the host device found, as text: which access of which thread, of
 * which instance of which statement.
 */
#include <stdio.h>
#include <string.h>
#include "runtime/host/host_check.h"

/* What messages name; "array" says which bytes the access meant. */
struct names {
	const char *kernel, *site, *verb, *kind;
	const uint32_t *block;
	unsigned thread;
	char instance[512];	/* behind the site: which one is at work */
};

/* The text of the site number "site" of the module. */
static const char *site_text(const struct host_launch *launch, uint32_t site)
{
	const struct host_module *m =
		(const struct host_module *) launch->fn->base.mod;

	return site < (uint32_t) m->n_site ? m->site[site] :
		"an unnamed place";
}

void cetane_host_instance(struct cetane_host_thread *t, const int64_t *index,
	uint32_t n, uint32_t name)
{
	struct host_thread *th = t->priv;

	th->at_work = true;
	th->index = index;
	th->n_index = n;
	th->name = name;
}

/* "[1,2]" if the site names the statement that is at work, or else a tile
 * operation is that the statement of the site belongs to: " of tile[0,1]".
 */
static void name_instance(const struct host_access *a, struct names *n)
{
	const struct host_thread *th = a->t->priv;
	const char *name, *last = strrchr(n->site, ' ');
	size_t at = 0;
	uint32_t i;

	if (!th->at_work)
		return;
	name = site_text(a->c->launch, th->name);
	if (!last || strcmp(last + 1, name) != 0)
		at = (size_t) snprintf(n->instance, 128, " of %.100s", name);
	for (i = 0; i < th->n_index && i < 16; i++)
		at += (size_t) snprintf(n->instance + at,
			sizeof(n->instance) - at, "%c%lld", i ? ',' : '[',
			(long long) th->index[i]);
	snprintf(n->instance + at, sizeof(n->instance) - at, "%s",
		th->n_index ? "]" : "[]");
}

/* What a message says of the access "a". */
static struct names names_of(const struct host_access *a)
{
	const struct host_thread *th = a->t->priv;
	struct names n = {
		.kernel = a->c->launch->fn->name,
		.site = site_text(a->c->launch, a->site),
		.verb = a->flags & CETANE_HOST_WRITE ? "writes" : "reads",
		.kind = a->flags & CETANE_HOST_SHARED ? "shared" : "global",
		.block = a->t->ctaid,
		.thread = th->linear,
	};

	name_instance(a, &n);
	return n;
}

void cetane_rt_host_report_bounds(const struct host_access *a,
	const void *start, const void *addr)
{
	struct host_key key = { FINDING_BOUNDS, a->c->launch->fn->id,
		{ a->site, a->flags } };
	struct host_findings *f = &a->c->launch->hd->findings;
	struct names n = names_of(a);

	if (!start)
		cetane_rt_host_find_add(f, &key, "out of bounds in kernel %s, "
			"block (%u,%u,%u): thread %u %s %u bytes of no "
			"allocation, at %p, at %s%s", n.kernel, n.block[0],
			n.block[1], n.block[2], n.thread, n.verb, a->bytes,
			addr, n.site, n.instance);
	else
		cetane_rt_host_find_add(f, &key, "out of bounds in kernel %s, "
			"block (%u,%u,%u): thread %u %s %u bytes at byte %td "
			"of a %s array of %zu bytes at %s%s", n.kernel,
			n.block[0], n.block[1], n.block[2], n.thread, n.verb,
			a->bytes, (ptrdiff_t) ((uintptr_t) addr -
			(uintptr_t) start), n.kind, a->size, n.site,
			n.instance);
}

void cetane_rt_host_report_alignment(const struct host_access *a,
	const void *addr)
{
	struct host_key key = { FINDING_ALIGNMENT, a->c->launch->fn->id,
		{ a->site, a->flags } };
	struct names n = names_of(a);

	cetane_rt_host_find_add(&a->c->launch->hd->findings, &key, "misaligned access in "
		"kernel %s, block (%u,%u,%u): thread %u %s %u bytes of a %s array "
		"at %p, which is no multiple of %u, at %s%s", n.kernel,
		n.block[0], n.block[1], n.block[2], n.thread, n.verb, a->bytes,
		n.kind, addr, host_alignment_of(a->flags), n.site, n.instance);
}

void cetane_rt_host_report_init(const struct host_access *a, size_t byte)
{
	struct host_key key = { FINDING_INIT, a->c->launch->fn->id,
		{ a->site, 0 } };
	struct names n = names_of(a);

	cetane_rt_host_find_add(&a->c->launch->hd->findings, &key,
		"uninitialised read in kernel %s, block (%u,%u,%u): thread %u "
		"reads %s byte %zu of %zu at %s%s, which nothing wrote",
		n.kernel, n.block[0], n.block[1], n.block[2], n.thread,
		n.kind, byte, a->size, n.site, n.instance);
}

/* The block to which the access "other" of this launch belongs. */
static void block_of(const struct host_check *c, uint64_t other,
	uint32_t ctaid[3])
{
	const struct cetane_rt_shape *shape = &c->launch->shape;
	const unsigned *grid = shape->grid;
	size_t low = 0, high = c->n_first;
	uint64_t index;

	while (low + 1 < high) {
		size_t mid = low + (high - low) / 2;

		if (c->first[mid].segment <= host_segment_of(other))
			low = mid;
		else
			high = mid;
	}
	index = c->first[low].index + (uint64_t) (host_thread_of(other) /
		c->launch->n_thread) * (shape->cluster[0] > 1 ? 1 : grid[0]);
	ctaid[0] = (uint32_t) (index % grid[0]);
	ctaid[1] = (uint32_t) (index / grid[0] % grid[1]);
	ctaid[2] = (uint32_t) (index / grid[0] / grid[1]);
}

void cetane_rt_host_report_race(const struct host_access *a, size_t byte,
	uint64_t other, bool other_wrote)
{
	struct host_key key = { FINDING_RACE, a->c->launch->fn->id,
		{ a->site, host_site_of(other) } };
	struct names n = names_of(a);
	uint32_t b[3];

	block_of(a->c, other, b);
	cetane_rt_host_find_add(&a->c->launch->hd->findings, &key,
		"race in kernel %s, block (%u,%u,%u): thread %u %s %s byte "
		"%zu of %zu at %s%s, thread %u of block (%u,%u,%u) %s it at %s",
		n.kernel, n.block[0], n.block[1], n.block[2], n.thread,
		n.verb, n.kind, byte, a->size, n.site, n.instance,
		host_thread_of(other) % a->c->launch->n_thread, b[0], b[1], b[2],
		other_wrote ? "wrote" : "read",
		site_text(a->c->launch, host_site_of(other)));
}
