/* The rows of a run: which forms, at which sizes, and the programs that they
 * need.
 *
 * Which file a program is in depends on all that decides its code, so that a
 * folder may keep the programs of many runs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench.h"

/* Marks do not matter: they only choose sizes. */
bool tool_bench_same_size(const struct tool_bench_size *a,
	const struct tool_bench_size *b)
{
	return a->count == b->count &&
		!memcmp(a->n, b->n, (size_t)a->count * sizeof(*a->n));
}

/* Programs are few; they are looked for one by one. */
struct tool_bench_program *tool_bench_program_of(struct tool_bench *b,
	const struct tool_bench_form *form,
	const struct tool_bench_size *size, enum tool_bench_how how)
{
	int i;

	for (i = 0; i < b->n_program; i++)
		if (b->program[i].form == form &&
		    b->program[i].how == how &&
		    tool_bench_same_size(&b->program[i].size, size))
			return &b->program[i];
	return NULL;
}

/* The side of the cube that has as many multiplications. */
struct tool_bench_size tool_bench_rival_size(
	const struct tool_bench_form *form, const struct tool_bench_size *size)
{
	int64_t n = (int64_t)round(cbrt(form->work(size->n) / 2));

	return (struct tool_bench_size){ { n, n, n }, 3, "" };
}

/* Where the program is, or is to be, compiled: the name tells what it is.
 *
 *	FOLDER/SUITE-FORM-SIZE-ARCH-HASH.cetane
 *
 * The hash is that of the mapping, the text and, where these are used, of what
 * --tuning or --config say.
 */
static char *path_of(const struct tool_bench *b,
	const struct tool_bench_program *p)
{
	uint64_t hash = tool_hash(b->o->mapping, p->form->text,
		strlen(p->form->text));
	char size[96], *path;

	if (p->how == TOOL_BENCH_TUNED)
		hash = tool_hash(hash, &b->tuning, sizeof(b->tuning));
	if (p->how == TOOL_BENCH_CONFIGURED)
		hash = tool_hash(hash, &b->config, sizeof(b->config));
	tool_bench_size_text(&p->size, size, sizeof(size));
	if (asprintf(&path, "%s/%s-%s-%s-%s-%08x.cetane", b->folder,
			p->form->suite, p->form->name,
			p->how == TOOL_BENCH_ANY ? "any" : size,
			b->target->name, (unsigned)hash) < 0)
		return NULL;
	return path;
}

/* The same file in the folder of --against.
 *
 * The other build gives its files the same names.
 */
static char *other_of(const struct tool_bench *b,
	const struct tool_bench_program *p)
{
	char *path;

	return asprintf(&path, "%s%s", b->o->against,
		strrchr(p->path, '/')) < 0 ? NULL : path;
}

/* Add a program of "form" for "size", unless it is there; one that is a row and
 * a rival, too, is a row. False without memory.
 *
 * One program is compiled for all rows that need it.
 */
static bool add_program(struct tool_bench *b,
	const struct tool_bench_form *form, const struct tool_bench_size *size,
	enum tool_bench_how how, bool is_row)
{
	struct tool_bench_program *more, *p = tool_bench_program_of(b, form,
		size, how);

	if (p) {
		p->is_row |= is_row;
		return true;
	}
	more = realloc(b->program, (size_t)(b->n_program + 1) *
		sizeof(*more));
	if (!more)
		return false;
	b->program = more;
	p = &b->program[b->n_program++];
	*p = (struct tool_bench_program){ .form = form, .size = *size,
		.is_row = is_row, .how = how };
	p->path = path_of(b, p);
	if (p->path && b->o->against)
		p->other = other_of(b, p);
	return p->path && (p->other || !b->o->against);
}

/* A row, with the program of its rival, or the one for these sizes alone. What
 * another build has made is all that a row is measured against.
 *
 * With --parametric the row's program is for any sizes; the one for these sizes
 * alone is then a base.
 */
bool tool_bench_add_row(struct tool_bench *b, const struct tool_bench_form *f,
	const struct tool_bench_size *size)
{
	const char *rival = f->base[0].rival;
	enum tool_bench_how how = b->o->parametric ? TOOL_BENCH_ANY :
		TOOL_BENCH_FIXED;
	struct tool_bench_size other;

	if (!add_program(b, f, size, how, true))
		return false;
	if (b->o->against)
		return true;
	if (b->tuning && !add_program(b, f, size, TOOL_BENCH_TUNED, false))
		return false;
	if (b->config &&
	    !add_program(b, f, size, TOOL_BENCH_CONFIGURED, false))
		return false;
	if (!rival)
		return add_program(b, f, size, TOOL_BENCH_FIXED, false);
	other = tool_bench_rival_size(f, size);
	return add_program(b, tool_bench_find(rival, "nn"), &other, how,
		false);
}

/* The rows of a form.
 *
 * Sizes from the command line count if they have as many numbers as the form's.
 * Otherwise it has its own.
 */
static bool add_form(struct tool_bench *b, const struct tool_bench_form *f)
{
	struct tool_bench_sizes own = { 0 }, *s = &b->sizes;
	bool ok = true, has_t = false;
	int i;

	if (!s->n || s->item[0].count != tool_bench_words(f->sizes)) {
		ok = tool_bench_sizes_add(&own, f->list,
			tool_bench_words(f->sizes));
		s = &own;
	}
	/* A form that is "marked" takes only sizes with a "t", if any has one.
	 */
	for (i = 0; i < s->n; i++)
		has_t |= strchr(s->item[i].mark, 't') != NULL;
	for (i = 0; i < s->n && ok; i++) {
		if (b->o->mark && !strstr(s->item[i].mark, b->o->mark))
			continue;
		if (f->marked && has_t && !strchr(s->item[i].mark, 't'))
			continue;
		ok = tool_bench_add_row(b, f, &s->item[i]);
	}
	tool_bench_sizes_free(&own);
	return ok;
}

/* True if "list", words parted by commas, has "suite" or "suite/form".
 *
 * "all" is every suite.
 */
static bool is_chosen(const char *list, const struct tool_bench_form *f)
{
	char name[64];
	size_t len;

	snprintf(name, sizeof(name), "%s/%s", f->suite, f->name);
	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if ((len == strlen(f->suite) && !strncmp(list, f->suite,
				len)) ||
		    (len == strlen(name) && !strncmp(list, name, len)) ||
		    (len == 3 && !strncmp(list, "all", 3)))
			return true;
	}
	return false;
}

/* Each word must name something: a word that is wrong would leave rows out
 * unseen.
 */
enum tool_exit tool_bench_check_suites(const char *list)
{
	char word[64];
	size_t len;
	int i;

	do {
		len = strcspn(list, ",");
		snprintf(word, sizeof(word), "%.*s", (int)len, list);
		for (i = 0; i < tool_bench_n_form; i++)
			if (len && is_chosen(word, &tool_bench_form[i]))
				break;
		if (i == tool_bench_n_form) {
			tool_message(MSG_USAGE_VALUE, "suite", "suites, "
				"suite/form, or all", word, "; see ",
				"--suite=all --list");
			return TOOL_USAGE;
		}
		list += len + (list[len] == ',');
	} while (*list);
	return TOOL_OK;
}

/* In the order of the table, whatever order the list has. */
enum tool_exit tool_bench_plan(struct tool_bench *b)
{
	int i;

	for (i = 0; i < tool_bench_n_form; i++)
		if (is_chosen(b->o->suite, &tool_bench_form[i]) &&
		    !add_form(b, &tool_bench_form[i])) {
			return tool_no_memory("the rows");
		}
	return TOOL_OK;
}
