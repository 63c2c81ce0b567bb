/* What a matrix of the host holds: values that the command line has, or a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tools.h"

/* A vector may have one dimension, a scalar none; so may what has one in the
 * text. What has one of structures there may have theirs, too.
 */
static bool same_shape(const struct tool_npy *a, const struct tool_matrix *m)
{
	int d;

	if (a->n_dim == 1 && m->is_flat)
		return a->dim[0] == m->n;
	if (a->n_dim == 2 && m->is_flat && m->n_dim > 2)
		return a->dim[1] == m->dim[m->n_dim - 1] &&
			tool_elements(a->n_dim, a->dim) == m->n;
	if (a->n_dim == 1 && m->n_dim == 2)
		return a->dim[0] == m->n && (m->dim[0] == 1 || m->dim[1] == 1);
	if (a->n_dim != m->n_dim)
		return a->n_dim == 0 && m->n == 1;
	for (d = 0; d < m->n_dim; d++)
		if (a->dim[d] != m->dim[d])
			return false;
	return true;
}

/* Say which type and shape the file, or the values, has and which it should
 * have.
 */
static void say_shape(const char *path, const struct tool_npy *a,
	const struct tool_matrix *m)
{
	struct poly_str has = { 0 }, want = { 0 };

	poly_str_add(&has, poly_type_name(a->type));
	tool_add_index(&has, a->n_dim, a->dim);
	poly_str_add(&want, poly_type_name(m->type));
	tool_add_index(&want, m->n_dim, m->dim);
	tool_message(MSG_RUN_SHAPE, path, has.s, m->name, want.s);
	poly_str_free(&has);
	poly_str_free(&want);
}

/* Fill the matrix with the contents of a .npy file of the same type and shape;
 * otherwise TOOL_INPUT, told.
 */
static enum tool_exit load_file(struct tool_matrix *m, const char *path)
{
	/* Any type, and a header: more cannot be right. */
	const size_t most = 16 * (size_t)m->n + (1 << 20);
	struct tool_source file;
	enum tool_exit status = tool_source_read(&file, path, most);
	struct tool_npy a;
	const char *error;

	if (status != TOOL_OK)
		return status;
	status = TOOL_INPUT;
	error = tool_npy_read(&a, file.text, file.len, m->type);
	tool_source_free(&file);
	if (error) {
		tool_message(MSG_RUN_NPY, path, error);
	} else if (!same_shape(&a, m)) {
		say_shape(path, &a, m);
	} else {
		memcpy(m->data, a.data, a.size);
		status = TOOL_OK;
	}
	free(a.data);
	return status;
}

/* ----------------------------------------------------------------- values */

/* Nested lists: [[1, 2], [3, 4]]. "depth" brackets are open; "dim" has the lengths
 * that are known, else -1; "n" values are stored.
 */
struct list {
	const char *p;
	struct tool_matrix *m;
	int64_t dim[FE_MAX_DIM];
	int n_dim, depth;
	int64_t n;
	const char *error;
};

static void skip(struct list *l)
{
	l->p += strspn(l->p, " \t");
}

/* A number, or one of the words true, false, nan and inf. */
static void parse_number(struct list *l)
{
	static const char *const word[] = { "false", "true" };
	char *end;
	double x;
	int i;

	for (i = 0; i < 2 && strncmp(l->p, word[i], strlen(word[i])); i++)
		;
	x = i < 2 ? i : strtod(l->p, &end);
	if (i < 2)
		end = (char *)(uintptr_t)l->p + strlen(word[i]);
	if (end == l->p)
		l->error = "a number was expected";
	else if (l->n_dim >= 0 && l->n_dim != l->depth)
		l->error = "lists of different depth";
	else if (l->n < l->m->n)
		tool_set(l->m->type, l->m->data, l->n, x);
	l->n_dim = l->depth;
	l->n++;
	l->p = end;
}

/* The list or number at l->p. */
static void parse_value(struct list *l)
{
	int64_t n = 0;
	int depth = l->depth;

	skip(l);
	if (*l->p != '[') {
		parse_number(l);
		return;
	}
	if (depth == FE_MAX_DIM) {
		l->error = "lists that are nested too deep";
		return;
	}
	l->p++;
	l->depth++;
	do {
		skip(l);
		if (!n && *l->p == ']')
			break;
		parse_value(l);
		n++;
		skip(l);
	} while (!l->error && *l->p == ',' && l->p++);
	l->depth--;
	if (!l->error && *l->p++ != ']')
		l->error = "] or , was expected";
	else if (!l->error && l->dim[depth] >= 0 && l->dim[depth] != n)
		l->error = "lists of different lengths";
	l->dim[depth] = n;
}

/* Is "text" values, and not the name of a file? */
static bool is_values(const char *text)
{
	char *end;

	if (*text == '[' || !strcmp(text, "true") || !strcmp(text, "false"))
		return true;
	strtod(text, &end);
	return end != text && !end[strspn(end, " \t")];
}

/* Fill the matrix with the values of "text", nested lists of its shape;
 * otherwise TOOL_INPUT, told.
 */
static enum tool_exit load_values(struct tool_matrix *m, const char *text)
{
	struct list l = { .p = text, .m = m, .n_dim = -1 };
	struct tool_npy a = { .type = m->type };
	int d;

	for (d = 0; d < FE_MAX_DIM; d++)
		l.dim[d] = -1;
	parse_value(&l);
	skip(&l);
	if (!l.error && *l.p)
		l.error = "text behind the values";
	if (l.error) {
		tool_message(MSG_RUN_NPY, text, l.error);
		return TOOL_INPUT;
	}
	for (d = 0; d < FE_MAX_DIM && l.dim[d] >= 0; d++)
		a.dim[a.n_dim++] = l.dim[d];
	if (same_shape(&a, m))
		return TOOL_OK;
	say_shape(text, &a, m);
	return TOOL_INPUT;
}

enum tool_exit tool_load(struct tool_matrix *m, const char *text)
{
	return is_values(text) ? load_values(m, text) : load_file(m, text);
}
