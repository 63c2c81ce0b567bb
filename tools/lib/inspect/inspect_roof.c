/* cetane inspect --explain: how far a program is from the roofline that reads each input
 * and writes each output once, at the rate of memory, and what lies between:
 *
 *	roofline
 *	  inputs and outputs, each once: 134217728 bytes, 32.6 us; 0.44 of that is reached
 *	  x0 is read by 2 kernels, 134217724 bytes more than once: K needs d0, which is
 *	    known only when all of what it is made of has been read
 *
 * A program with products is bound by these, not by bytes, and has no such line.
 */
#include <math.h>
#include <string.h>

#include "tools/lib/inspect/inspect.h"

/* From which part of the roofline on nothing is told; the part of the bytes, or of the
 * time, that is worth a line; how much longer something takes than memory.
 */
#define NEAR 0.9
#define WORTH 0.05
#define LONGER 1.1

/* The program of a record at its sizes: bytes that go in and out, and the cycles of
 * memory that they take, at "rate" bytes a cycle; "all" are the cycles predicted.
 */
struct roof {
	const struct tool_facts *f;
	const struct poly_rates *rates;
	double bytes, rate, all;
	struct poly_str *out;
};

/* Is launch "at" of the record one of the program's own? */
static bool counts(const struct roof *r, int at)
{
	return !tool_facts_repeats(r->f, at) && !tool_facts_is_before(r->f, at) &&
		tool_facts_launches(r->f, at).n > 0;
}

static double bytes_of(const struct roof *r, int array)
{
	int64_t bytes = 0;

	return cetane_rt_record_bytes(r->f->record, array, r->f->size, &bytes) ==
		CETANE_OK ? (double)bytes : 0;
}

/* Does kernel "at" access the array "name" in global memory so? */
static bool touches(const struct roof *r, int at, const char *name, bool write)
{
	const struct tool_part *part = tool_facts_part(r->f, at);

	for (int i = 0; i < part->n_access; i++) {
		const struct poly_access *a = &part->access[i];

		if (a->kernel == tool_facts_kernel(r->f, at) &&
		    a->write == write && a->array->space == POLY_GLOBAL &&
		    !strcmp(a->array->name, name))
			return true;
	}
	return false;
}

static double us_of(const struct roof *r, double cycles)
{
	return cycles / r->rates->megahertz;
}

/* A temporary that kernel "at" reads and another one makes, as the record has it; NULL:
 * none.
 */
static const char *needed_by(const struct roof *r, int at)
{
	const struct cetane_rt_record *record = r->f->record;

	for (int i = 0; i < record->n_array; i++) {
		const char *name = record->array[i].name;

		if (record->array[i].role == CETANE_RT_TEMP &&
		    touches(r, at, name, false))
			return name;
	}
	return NULL;
}

/* Tell of the input number "array" if several kernels read it. */
static void add_input(const struct roof *r, int array)
{
	const struct cetane_rt_record *record = r->f->record;
	const char *name = record->array[array].name, *needs = NULL;
	double bytes = bytes_of(r, array);
	int n = 0, last = -1;

	for (int i = 0; i < record->n_kernel; i++)
		if (counts(r, i) && touches(r, i, name, false)) {
			n++;
			last = i;
		}
	if (n < 2 || (n - 1) * bytes < WORTH * r->bytes)
		return;
	needs = needed_by(r, last);
	poly_str_printf(r->out, "  %s is read by %d kernels, %.0f bytes more than "
		"once, %.1f us: ", name, n, (n - 1) * bytes,
		us_of(r, (n - 1) * bytes / r->rate));
	if (needs)
		poly_str_printf(r->out, "%s needs %s, which is known only when "
			"all that it is made of has been read; a sum for each "
			"row would need one pass\n", record->kernel[last].name,
			needs);
	else
		poly_str_add(r->out, "they go through it in different orders, "
			"or have no room for what both hold\n");
}

/* Tell of the temporary number "array" if it is large. */
static void add_temporary(const struct roof *r, int array)
{
	const struct cetane_rt_record *record = r->f->record;
	const char *name = record->array[array].name;
	double bytes = bytes_of(r, array);

	if (bytes < WORTH * r->bytes)
		return;
	poly_str_printf(r->out, "  %s is stored and read again, %.0f bytes, %.1f "
		"us: one kernel makes it and another one needs it; a narrower "
		"type would take less\n", name, bytes,
		us_of(r, 2 * bytes / r->rate));
}

/* The access of kernel "at" that moves the most sectors for nothing, NULL: none moves
 * twice as many as it needs.
 */
static const struct poly_access *worst_of(const struct roof *r, int at)
{
	const struct tool_part *part = tool_facts_part(r->f, at);
	const struct poly_access *worst = NULL;

	for (int i = 0; i < part->n_access; i++) {
		const struct poly_access *a = &part->access[i];

		if (a->kernel == tool_facts_kernel(r->f, at) &&
		    a->array->space == POLY_GLOBAL && a->least > 0 &&
		    a->transactions >= 2 * a->least &&
		    (!worst || a->transactions * worst->least >
		    worst->transactions * a->least))
			worst = a;
	}
	return worst;
}

/* Tell of kernel "at" what takes longer than its bytes do. */
static void add_kernel(const struct roof *r, int at)
{
	const struct poly_price *p = tool_facts_price(r->f, at);
	const struct poly_kernel_work *w = tool_facts_work(r->f, at);
	const struct cetane_rt_kernel *k = &r->f->record->kernel[at];
	const struct nvptx_usage *u = tool_facts_usage(r->f, k);
	const struct poly_access *worst = worst_of(r, at);
	double bytes = (w->read + w->written) / r->rate;
	double rest = fmax(fmax(p->memory, p->cache), p->shared);

	if (p->cycles - bytes < WORTH * r->all)
		return;
	if (p->issue > LONGER * bytes && p->issue >= rest && p->issue >= p->chain)
		poly_str_printf(r->out, "  %s: instructions take %.1f us, its bytes "
			"%.1f: fewer or cheaper functions help, fewer bytes do "
			"not\n", k->name, us_of(r, p->issue), us_of(r, bytes));
	else if (p->chain > rest && p->chain > LONGER * bytes)
		poly_str_printf(r->out, "  %s: one thread takes %.1f us, the bytes of "
			"all %.1f: %.0f blocks are too few\n", k->name,
			us_of(r, p->chain), us_of(r, bytes), p->blocks);
	else if (p->cache >= rest && worst)
		poly_str_printf(r->out, "  %s: line %d %s %s in %d sectors, where %d "
			"would do: its last dimension is not the one along "
			"which threads lie\n", k->name, worst->stmt->loc.line,
			worst->write ? "writes" : "reads", worst->array->name,
			worst->transactions, worst->least);
	else if (p->cache >= rest && p->cache > LONGER * bytes)
		poly_str_printf(r->out, "  %s: what threads read takes %.1f us of "
			"the cache, of memory %.1f: they read elements again and "
			"again, as those of windows that overlap; several points "
			"a thread would read fewer\n", k->name,
			us_of(r, p->cache), us_of(r, bytes));
	else if (p->memory > LONGER * bytes)
		poly_str_printf(r->out, "  %s: memory takes %.1f us for bytes of %.1f: "
			"%.0f blocks leave it idle at the beginning and the "
			"end\n", k->name, us_of(r, p->memory), us_of(r, bytes),
			p->blocks);
	if (u && u->spill_stores + u->spill_loads > 0)
		poly_str_printf(r->out, "  %s: its threads hold more than they have "
			"registers for, %d bytes of spills\n", k->name,
			u->spill_stores + u->spill_loads);
}

/* Tell what launches take if that counts. */
static void add_launches(const struct roof *r)
{
	double fixed = 0;
	int n = 0;

	for (int i = 0; i < r->f->record->n_kernel; i++)
		if (counts(r, i)) {
			fixed += tool_facts_price(r->f, i)->fixed;
			n++;
		}
	if (fixed > WORTH * r->all)
		poly_str_printf(r->out, "  launches and barriers of %d kernels take "
			"%.1f us\n", n, us_of(r, fixed));
}

/* Read the record; false if there is nothing to compare. */
static bool read_roof(struct roof *r)
{
	const struct cetane_rt_record *record = r->f->record;
	double us;

	if (!r->f->n_part)
		return false;
	r->rates = poly_rates_of(&r->f->part[0].prog->target);
	r->rate = r->rates->price_memory;
	r->all = tool_facts_predicted(r->f, &us);
	for (int i = 0; i < record->n_array; i++)
		if (record->array[i].role != CETANE_RT_TEMP)
			r->bytes += bytes_of(r, i);
	for (int i = 0; i < record->n_kernel; i++)
		if (counts(r, i) && tool_facts_price(r->f, i)->product > 0)
			return false;
	return r->all > 0 && r->bytes > 0;
}

void tool_facts_roof(const struct tool_facts *f, struct poly_str *out)
{
	struct roof r = { .f = f, .out = out };
	const struct cetane_rt_record *record = f->record;
	double best, part;

	if (!read_roof(&r))
		return;
	best = r.bytes / r.rate;
	part = best / r.all;
	poly_str_printf(out, "\nroofline\n  inputs and outputs, each once: %.0f bytes, "
		"%.1f us; predicted %.1f us, %.2f of the roofline\n", r.bytes,
		us_of(&r, best), us_of(&r, r.all), part);
	if (part >= NEAR)
		return;
	for (int i = 0; i < record->n_array; i++)
		if (record->array[i].role == CETANE_RT_TEMP)
			add_temporary(&r, i);
		else if (record->array[i].role == CETANE_RT_INPUT)
			add_input(&r, i);
	for (int i = 0; i < record->n_kernel; i++)
		if (counts(&r, i))
			add_kernel(&r, i);
	add_launches(&r);
}
