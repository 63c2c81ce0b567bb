/* cetane inspect --explain: for each two kernels of which one needs what the other
 * stores, what both are expected to take apart, and what one kernel of the two would
 * take at least. That kernel has no second launch, and keeps what is passed on if
 * nothing else reads it; whatever else it would lose, tiles or blocks, comes on top. So
 * a pair whose two numbers are close has nothing to gain; where they are not, "not
 * fused" says why it stays.
 */
#include <math.h>
#include <string.h>

#include "tools/lib/inspect/inspect.h"

/* Does kernel "at" of the record read, or write, "array" in global memory? */
static bool touches(const struct tool_facts *f, int at,
	const struct poly_array *array, bool write)
{
	const struct tool_part *part = tool_facts_part(f, at);
	const struct poly_kernel *kernel = tool_facts_kernel(f, at);
	int i;

	for (i = 0; i < part->n_access; i++)
		if (part->access[i].kernel == kernel &&
		    part->access[i].array == array &&
		    part->access[i].write == write)
			return true;
	return false;
}

/* Does a kernel of the program other than the two read "array"? */
static bool is_read_elsewhere(const struct tool_facts *f, int from, int to,
	const struct poly_array *array)
{
	int i;

	for (i = 0; i < f->record->n_kernel; i++)
		if (i != from && i != to &&
		    f->part_of[i] == f->part_of[from] &&
		    touches(f, i, array, false))
			return true;
	return false;
}

/* The bytes of "array", 0 if the record has none of that name. */
static double bytes_of(const struct tool_facts *f, const char *array)
{
	int64_t bytes = 0;
	int i;

	for (i = 0; i < f->record->n_array; i++)
		if (!strcmp(f->record->array[i].name, array))
			break;
	if (i == f->record->n_array || cetane_rt_record_bytes(f->record, i,
			f->size, &bytes) != CETANE_OK)
		return 0;
	return (double)bytes;
}

/* The cycles of memory that one kernel of the two would not take for "array": it is
 * not read again, and not stored either if it is a temporary of the two alone.
 */
static double saved(const struct tool_facts *f, int from, int to,
	const struct poly_array *array)
{
	const struct poly_prog *prog = tool_facts_part(f, from)->prog;
	int times = 1 + (array->role == POLY_TEMP &&
		!is_read_elsewhere(f, from, to, array));

	return times * bytes_of(f, array->name) /
		poly_rates_of(&prog->target)->price_memory;
}

/* The pair of kernels "from" and "to" into "pair"; false if neither needs the other. */
static bool find_pair(const struct tool_facts *f, int from, int to,
	struct tool_pair *pair)
{
	const struct tool_part *part = tool_facts_part(f, from);
	const struct poly_price *a = tool_facts_price(f, from);
	const struct poly_price *b = tool_facts_price(f, to);
	double less = 0;
	int i;

	*pair = (struct tool_pair){ from, to, NULL, a->cycles, b->cycles, 0 };
	for (i = 0; i < part->prog->n_array; i++) {
		const struct poly_array *array = part->prog->array[i];

		if (array->space != POLY_GLOBAL ||
		    !touches(f, from, array, true) ||
		    !touches(f, to, array, false))
			continue;
		less += saved(f, from, to, array);
		pair->array = pair->array ? pair->array : array->name;
	}
	less += fmin(a->fixed, b->fixed);
	pair->together = fmax(a->cycles + b->cycles - less,
		fmax(a->fixed, b->fixed));
	return pair->array != NULL;
}

void tool_facts_pairs(const struct tool_facts *f, tool_see_pair *see,
	void *user)
{
	struct tool_pair pair;
	int i, k;

	for (k = 1; f->n_part && k < f->record->n_kernel; k++)
		for (i = 0; i < k; i++)
			if (f->part_of[i] == f->part_of[k] &&
			    !tool_facts_is_before(f, i) &&
			    !tool_facts_is_before(f, k) &&
			    !tool_facts_repeats(f, i) &&
			    !tool_facts_repeats(f, k) &&
			    find_pair(f, i, k, &pair))
				see(f, &pair, user);
}
