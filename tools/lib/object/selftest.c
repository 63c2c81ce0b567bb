/* The samples of a self-test: what elements of the outputs must be for inputs that are
 * made up, as the interpreter evaluates the text. It shares no lowering with the code
 * that the object runs. runtime/program.h says how they lie in the object; trial.c has
 * the sizes and the inputs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/object/object.h"

/* Samples of an output; operations that a case may take. */
enum { N_SAMPLE = 512 };
static const double MOST_COST = 3e7;

/* ------------------------------------------------------------------- words */

/* Add a word; without memory, t->memory is set. */
static void add_word(struct tool_trial *t, struct tool_words *w, int64_t word)
{
	int64_t *more;

	if (w->n == w->cap) {
		w->cap = 2 * w->cap + 64;
		more = realloc(w->word, (size_t)w->cap * sizeof(*more));
		if (!more) {
			t->memory = true;
			w->cap = w->n;
			return;
		}
		w->word = more;
	}
	w->word[w->n++] = word;
}

static int64_t bits_of(double x)
{
	int64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/* ----------------------------------------------------------------- samples */

/* Add the sample number "at" of array "i"; false if it cannot be evaluated. What has
 * no bound is left out.
 */
static bool add_sample(struct tool_trial *t, struct tool_words *w, int i, int64_t at,
	int64_t *n)
{
	bool is_float = cetane_rt_record_is_float(&t->record->array[i]);
	struct fe_value v;

	if (!tool_trial_eval(t, i, at, &v))
		return false;
	if (is_float && !isfinite(v.bound))
		return true;
	add_word(t, w, at);
	add_word(t, w, is_float ? bits_of(v.wide) : v.integer);
	add_word(t, w, bits_of(v.bound));
	++*n;
	return true;
}

/* Add the samples of array "i", which is written: all elements, or some that lie apart
 * by a step that does not divide their number, with the last. Returns whether there are
 * any.
 */
static bool add_samples(struct tool_trial *t, struct tool_words *w, int i)
{
	int64_t n = tool_trial_elements(t, i), step = n / N_SAMPLE + 1, place;
	int64_t found = 0;

	place = w->n;
	add_word(t, w, 0);
	while (n > N_SAMPLE && step > 1 && n % step == 0)
		step++;
	fe_interp_limit(t->interp, MOST_COST);
	for (int64_t at = 0; at < n; at += step)
		if (!add_sample(t, w, i, at, &found))
			break;
	if (n > 1 && (n - 1) % step)
		add_sample(t, w, i, n - 1, &found);
	if (!t->memory)
		w->word[place] = found;
	return found > 0;
}

/* Add a case for the sizes to the words "user"; false if there is none for them. */
static bool add_case(struct tool_trial *t, void *user)
{
	const struct cetane_rt_record *r = t->record;
	struct tool_words *w = user;
	int64_t range[2], begin = w->n;
	bool made = tool_trial_inputs(t, 0), any = false;

	for (int i = 0; i < cetane_rt_record_plain(r) && made; i++)
		add_word(t, w, t->size[i]);
	for (int i = 0; i < r->n_array && made && !t->memory; i++) {
		if (r->array[i].role == CETANE_RT_TEMP)
			continue;
		tool_trial_range(t, i, range);
		add_word(t, w, range[0]);
		add_word(t, w, range[1]);
		if (r->array[i].role == CETANE_RT_INPUT)
			add_word(t, w, 0);
		else
			any |= add_samples(t, w, i);
	}
	tool_trial_drop(t);
	if (!made || !any || t->memory)
		w->n = begin;
	return w->n > begin;
}

enum tool_exit tool_selftest(const struct tool_object *b,
	const struct tool_options *o, const struct fe_unit *unit,
	struct poly_prog *prog, struct tool_words *out)
{
	struct tool_trial t;
	int n_case = 0;

	if (tool_trial_init(&t, b, o, unit, prog)) {
		add_word(&t, out, 0);
		n_case = tool_trial_cases(&t, add_case, out);
		if (!t.memory)
			out->word[0] = n_case;
	}
	if (t.memory) {
		tool_trial_free(&t);
		return tool_no_memory("the self-test");
	}
	tool_trial_free(&t);
	if (n_case)
		return TOOL_OK;
	tool_message(MSG_SELFTEST, b->name);
	return TOOL_INPUT;
}
