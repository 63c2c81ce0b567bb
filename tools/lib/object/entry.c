/* From the arguments of a C function to the sizes and arrays of its program.
 *
 * The front end says what each argument of the function is, the program and the
 * record have sizes and arrays by number. Names connect them.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/object/object.h"

/* The number of the size, by its name in the program, or -1.
 *
 * Sizes in the lowered program have names that may differ from those of the
 * source.
 */
static int find_size(const struct poly_prog *prog, const char *name)
{
	int i;

	for (i = 0; i < prog->n_param; i++)
		if (!strcmp(prog->param[i].name, name))
			return i;
	return -1;
}

/* The number of the array among those that the caller passes, or -1.
 *
 * Temporaries are not passed, so they are not counted.
 */
static int find_array(const struct cetane_rt_record *r, const char *name)
{
	int i, n = 0;

	for (i = 0; i < r->n_array; i++) {
		if (r->array[i].role == CETANE_RT_TEMP)
			continue;
		if (!strcmp(r->array[i].name, name))
			return n;
		n++;
	}
	return -1;
}

/* The members of structures among the arguments; NULL without memory.
 *
 * A first round counts, the second one fills in. Each member has the number of
 * its argument.
 */
static struct nvptx_member *find_members(const struct fe_entry *e,
	const struct cetane_rt_record *r, const struct poly_prog *prog, int *n)
{
	struct nvptx_member *m;
	int i, k;

	for (i = 0, *n = 0; i < e->n_arg; i++)
		*n += e->arg[i].n_member;
	m = calloc((size_t)*n + 1, sizeof(*m));
	for (i = 0, *n = 0; m && i < e->n_arg; i++)
		for (k = 0; k < e->arg[i].n_member; k++) {
			const struct fe_entry_member *from =
				&e->arg[i].member[k];

			m[(*n)++] = (struct nvptx_member){ i,
				from->is_size ? find_size(prog, from->lowered) :
				-1, from->is_size ? -1 :
				find_array(r, from->lowered), from->type,
				from->n, from->offset };
		}
	return m;
}

/* The caller frees "arg" and "member". Either is NULL without memory, which the
 * caller sees.
 */
struct nvptx_drop_in tool_drop_in(const struct fe_entry *e,
	const struct cetane_rt_record *r, struct poly_prog *prog)
{
	static const enum nvptx_pass pass[] = {
		[FE_ENTRY_VALUE] = NVPTX_PASS_VALUE,
		[FE_ENTRY_RECORD] = NVPTX_PASS_RECORD,
		[FE_ENTRY_POINTER] = NVPTX_PASS_POINTER,
		[FE_ENTRY_GLOBAL] = NVPTX_PASS_GLOBAL,
		[FE_ENTRY_OWN] = NVPTX_PASS_OWN
	};
	struct nvptx_argument *arg = calloc((size_t)e->n_arg + 1,
		sizeof(*arg));
	struct nvptx_drop_in d = { .arg = arg, .n_param = e->n_param,
		.n_arg = e->n_arg, .returns = e->returns, .type = e->type,
		.result = -1, .valid = e->valid, .prog = prog };
	int i;

	/* An argument is a size, an array, or neither: then both numbers are
	 * -1.
	 */
	d.member = find_members(e, r, prog, &d.n_member);
	for (i = 0; arg && i < e->n_arg; i++) {
		const struct fe_entry_arg *from = &e->arg[i];
		const char *name = from->lowered;

		arg[i] = (struct nvptx_argument){ pass[from->kind],
			from->type, from->name,
			name && from->is_size ? find_size(prog, name) : -1,
			name && !from->is_size ? find_array(r, name) : -1,
			from->count, from->bytes, from->align,
			from->integers, from->floats };
	}
	if (e->result)
		d.result = find_array(r, e->result);
	return d;
}
