/* A program in several orders of blocks and threads on the host device, which
 * must all give the same bits.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/compile/compile.h"
#include "tools/tools.h"

/* Compare "m" with "again", of the order with the seed "seed".
 *
 * The bits are compared: the same operations in the same order round alike,
 * whatever order the blocks run in.
 */
static enum tool_exit compare(const struct tool_matrix *m, const void *again,
	long long seed)
{
	int64_t size = poly_type_size(m->type), at[FE_MAX_DIM], i;
	struct poly_str name = { 0 };

	for (i = 0; i < m->n; i++)
		if (memcmp((const char *)m->data + i * size,
			(const char *)again + i * size, (size_t)size))
			break;
	if (i == m->n)
		return TOOL_OK;
	tool_index_of(m->n_dim, m->dim, i, at);
	poly_str_add(&name, m->name);
	tool_add_index(&name, m->n_dim, at);
	tool_message(MSG_RUN_ORDER, name.s ? name.s : m->name,
		tool_get(m->type, again, i), tool_get(m->type, m->data, i),
		seed);
	poly_str_free(&name);
	return TOOL_MISMATCH;
}

/* Compare the outputs with what the last run left on the device.
 *
 * The first output that differs ends it.
 */
static enum tool_exit compare_all(struct tool_run *r, struct tool_exec *x,
	long long seed)
{
	enum tool_exit status = TOOL_OK;
	void *again;
	int i;

	for (i = 0; i < r->n_out && status == TOOL_OK; i++) {
		again = malloc((size_t)(r->out[i].n *
			/* A byte more than needed: malloc(0) may return NULL.
			 */
			poly_type_size(r->out[i].type)) + 1);
		status = again ? tool_exec_download(x, tool_exec_find(x,
			r->out[i].name), again) : tool_no_memory("an output");
		if (status == TOOL_OK)
			status = compare(&r->out[i], again, seed);
		free(again);
	}
	return status;
}

/* Only the host device has an order that can be chosen. With --fp=relaxed sums
 * may come in any order, so that the results are not compared with each other.
 */
enum tool_exit tool_run_orders(struct tool_run *r, struct tool_exec *x,
	enum tool_exit (*run)(struct tool_run *r, struct tool_exec *x))
{
	bool any = tool_is_relaxed(r->o);
	enum tool_exit status = TOOL_OK;
	long long i;

	if (cetane_device_capability(x->dev) != 0)
		return TOOL_OK;
	/* Order 0 has run before; each following one has its own seed. */
	for (i = 1; i < r->o->host_orders && status == TOOL_OK; i++) {
		status = tool_configure(r->o, x->dev, i);
		if (status == TOOL_OK)
			status = run(r, x);
		if (status == TOOL_OK && !any)
			status = compare_all(r, x, r->o->host_seed + i);
	}
	return status;
}
