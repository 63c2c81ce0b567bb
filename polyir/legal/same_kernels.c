/* Kernels that do the same to other arrays, such as the layers of a network.
 *
 * What the checks read of a kernel (seen.c) is printed, and each name of the program in
 * it replaced by a number, in the order in which they come. Two kernels with one text
 * come from one another by renaming, so that what holds of one holds of the other.
 * Which part of an array they access does not count if they access only one: the
 * weights of one layer in F(3,k,c). That part is in the array in both of them.
 *
 * Texts of equal objects may differ by the objects' history. Then kernels that are alike
 * are not found to be so, which costs time alone.
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/base/base.h"
#include "polyir/ir/facts.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/legal/legal.h"

/* ------------------------------------------------------------------- parts */

enum { NONE = -1, NO_ACCESS = -2 };

/* The parts of the arrays of "prog" that accesses have had so far. */
struct parts {
	const struct poly_prog *prog;
	int64_t *at;
};

/* Note an access at "index" to "array"; NULL: at any place. */
static void note_part(struct parts *p, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index)
{
	int64_t at = NONE;
	int k = 0;

	while (p->prog->array[k] != array)
		k++;
	if (p->at[k] == NONE)
		return;
	if (index && array->n_dim > 1 && array->space == POLY_GLOBAL && !array->stride &&
	    !array->scattered && !array->gathered && !array->within)
		at = poly_only_value(isl_multi_pw_aff_get_at(index, 0));
	if (at >= poly_only_value(isl_multi_pw_aff_get_at(array->extent, 0)))
		at = NONE;
	p->at[k] = p->at[k] == NO_ACCESS || p->at[k] == at ? at : NONE;
}

static void note_read(struct poly_expr *leaf, void *user)
{
	note_part(user, leaf->array, leaf->index);
}

static void note_gather(struct poly_expr *leaf, void *user)
{
	note_part(user, leaf->array, NULL);
}

static void note_stmt(struct parts *p, const struct poly_stmt *s)
{
	if (s->write_array)
		note_part(p, s->write_array, s->write_index);
	if (s->rhs) {
		poly_expr_each_access(s->rhs, note_read, p);
		poly_expr_each_gather(s->rhs, note_gather, p);
	}
	for (int i = 0; i < s->n_member; i++)
		note_stmt(p, s->member[i]);
}

/* The parts of all arrays that "kernel" accesses; NULL without memory. */
static int64_t *parts_of(struct poly_prog *prog, const struct poly_kernel *kernel)
{
	int n = 0;
	struct poly_stmt **list = poly_named_stmts(prog, kernel, &n);
	struct parts p = { prog, calloc(prog->n_array + 1, sizeof(*p.at)) };

	for (int i = 0; p.at && i < prog->n_array; i++)
		p.at[i] = NO_ACCESS;
	for (int i = 0; p.at && list && i < n; i++)
		note_stmt(&p, list[i]);
	for (int i = 0; p.at && i < prog->n_array; i++)
		p.at[i] = p.at[i] < 0 ? NONE : p.at[i];
	if (!list) {
		free(p.at);
		p.at = NULL;
	}
	free(list);
	return p.at;
}

/* ------------------------------------------------------------------- names */

/* A name of the program; the number of its array, or -1; its number in a text, or 0. */
struct name {
	const char *text;
	size_t length;
	int array, number;
};
struct names {
	struct name *name;
	int n, given;
};

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	size_t n = x->length < y->length ? x->length : y->length;
	int order = memcmp(x->text, y->text, n);

	return order ? order : (x->length > y->length) - (x->length < y->length);
}

static void add_name(struct names *t, const char *text, int array)
{
	t->name[t->n++] = (struct name){ text, strlen(text), array, 0 };
}

/* All names of "prog", sorted, once each: a kernel may be called as an array is. False
 * without memory.
 */
static bool names_of(struct names *t, const struct poly_prog *prog)
{
	int n = 0;

	t->name = calloc(prog->n_array + prog->n_stmt + prog->n_kernel + 1,
		sizeof(*t->name));
	if (!t->name)
		return false;
	for (int i = 0; i < prog->n_array; i++)
		add_name(t, prog->array[i]->name, i);
	for (int i = 0; i < prog->n_stmt; i++)
		add_name(t, prog->stmt[i]->name, NONE);
	for (int i = 0; i < prog->n_kernel; i++)
		add_name(t, prog->kernel[i]->name, NONE);
	if (t->n)
		qsort(t->name, t->n, sizeof(*t->name), compare_names);
	for (int i = 0; i < t->n; i++) {
		if (n && !compare_names(&t->name[n - 1], &t->name[i])) {
			if (t->name[i].array >= 0)
				t->name[n - 1].array = t->name[i].array;
			continue;
		}
		t->name[n++] = t->name[i];
	}
	t->n = n;
	return true;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '_' || c == '$' || c == '.' || c == '\'';
}

/* Append the word of "n" bytes at "p" to the text of "a", as a number if it is a name. */
static void add_word(struct poly_alike *a, struct names *t, const char *p, size_t n)
{
	struct name key = { p, n, NONE, 0 };
	struct name *found = t->n ? bsearch(&key, t->name, t->n, sizeof(key),
		compare_names) : NULL;

	if (!found) {
		poly_str_addn(&a->text, p, n);
		return;
	}
	if (!found->number) {
		found->number = ++t->given;
		if (found->array >= 0)
			a->array[a->n_array++] = found->array;
	}
	poly_str_printf(&a->text, "#%d", found->number);
}

/* Append "text" to that of "a". */
static void add_text(struct poly_alike *a, struct names *t, const char *text)
{
	for (const char *p = text; *p;) {
		size_t n = 0;

		while (is_word(p[n]))
			n++;
		if (n)
			add_word(a, t, p, n);
		else
			poly_str_addn(&a->text, p, n = 1);
		p += n;
	}
	poly_str_add(&a->text, "\n");
}

/* ------------------------------------------------------------------ kernels */

/* Print what has been seen. */
static void print(struct poly_alike *a, struct names *t, const struct poly_seen *s)
{
	if (s->text.failed || !s->text.s) {
		poly_str_fail(&a->text);
		return;
	}
	add_text(a, t, s->text.s);
	for (int i = 0; i < s->n; i++) {
		char *text = s->object[i].class->print(s->object[i].obj);

		if (text)
			add_text(a, t, text);
		else
			poly_str_fail(&a->text);
		free(text);
	}
}

struct poly_alike *poly_alike_take(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	struct poly_alike *a = calloc(1, sizeof(*a));
	struct names t = { NULL, 0, 0 };
	struct poly_seen *seen;

	if (!a)
		return NULL;
	a->part = parts_of(prog, kernel);
	a->array = calloc(prog->n_array + 1, sizeof(*a->array));
	seen = a->part ? poly_seen_parts(prog, kernel, a->part) : NULL;
	if (!seen || !a->array || !names_of(&t, prog))
		a = poly_alike_free(a);
	else
		print(a, &t, seen);
	poly_seen_free(seen);
	free(t.name);
	return a;
}

struct poly_alike *poly_alike_free(struct poly_alike *a)
{
	if (!a)
		return NULL;
	poly_str_free(&a->text);
	free(a->array);
	free(a->part);
	free(a);
	return NULL;
}

bool poly_alike_same(const struct poly_alike *a, const struct poly_alike *b)
{
	return a && b && !a->text.failed && !b->text.failed && a->text.len == b->text.len &&
		!memcmp(a->text.s, b->text.s, a->text.len);
}

int *poly_alike_first(struct poly_prog *prog, const bool *known)
{
	struct poly_alike **a = calloc(prog->n_kernel + 1, sizeof(*a));
	int *first = calloc(prog->n_kernel + 1, sizeof(*first));
	int n = 0;

	for (int i = 0; i < prog->n_kernel; i++)
		n += !known[i];
	for (int i = 0; a && first && i < prog->n_kernel; i++) {
		if (n > 1 && !known[i])
			a[i] = poly_alike_take(prog, prog->kernel[i]);
		first[i] = 0;
		while (first[i] < i && !poly_alike_same(a[first[i]], a[i]))
			first[i]++;
	}
	for (int i = 0; a && i < prog->n_kernel; i++)
		poly_alike_free(a[i]);
	if (!a) {
		free(first);
		first = NULL;
	}
	free(a);
	return first;
}
