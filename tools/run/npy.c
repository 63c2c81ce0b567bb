/* NumPy's .npy files, versions 1 and 2: C order, little endian, the types of
 * the language. NumPy has no bfloat16; such an array is stored as its bits in
 * "<u2", and read from "<u2" or from the "|V2" that ml_dtypes writes. So "<u2"
 * is bf16 where a bf16 is wanted, and u16 elsewhere. f8e4m3 and f8e5m2 are "|u1" so,
 * tf32 "<f4".
 *
 * Layout: magic, version, length of the header, the header (a Python
 * dictionary as text, padded so that the data is aligned to 64), the data.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/tools.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, ALIGN = 64 };

/* The first row of a type is the one that is written; the others are read. */
static const struct {
	enum poly_type type;
	const char *descr;
} descrs[] = {
	{ POLY_I8, "|i1" }, { POLY_I16, "<i2" }, { POLY_I32, "<i4" },
	{ POLY_I64, "<i8" }, { POLY_F8E4M3, "|u1" }, { POLY_F8E5M2, "|u1" },
	{ POLY_F8E4M3, "|V1" }, { POLY_F8E5M2, "|V1" },
	{ POLY_F8E4M3, "<f1" }, { POLY_F8E5M2, "<f1" },
	{ POLY_U8, "|u1" }, { POLY_BF16, "<u2" },
	{ POLY_U16, "<u2" }, { POLY_U32, "<u4" }, { POLY_U64, "<u8" },
	{ POLY_BOOL, "|b1" }, { POLY_F16, "<f2" }, { POLY_BF16, "|V2" },
	{ POLY_BF16, "<V2" }, { POLY_TF32, "<f4" }, { POLY_F32, "<f4" },
	{ POLY_F64, "<f8" },
};
enum { N_DESCR = sizeof(descrs) / sizeof(descrs[0]) };

/* A place in the header; NULL after an error. */
struct text {
	const char *p, *end;
};

/* A NUL is no space, although strchr() finds it. */
static void skip_space(struct text *t)
{
	while (t->p < t->end && strchr(" \t\n", *t->p) && *t->p)
		t->p++;
}

/* Step over "word", which may follow spaces. */
static bool accept(struct text *t, const char *word)
{
	size_t len = strlen(word);

	skip_space(t);
	if ((size_t)(t->end - t->p) < len || memcmp(t->p, word, len))
		return false;
	t->p += len;
	return true;
}

/* A string in quotes into "s".
 *
 * Names in a header have no escapes. One that does not fit "s" is no string.
 */
static bool read_string(struct text *t, char *s, size_t size)
{
	size_t n = 0;
	char quote;

	if (!accept(t, "'") && !accept(t, "\""))
		return false;
	quote = t->p[-1];
	while (t->p < t->end && *t->p != quote && n + 1 < size)
		s[n++] = *t->p++;
	s[n] = '\0';
	return t->p < t->end && *t->p++ == quote;
}

/* Read a size; Python 2 writes an L behind it. False if there is none, or it
 * has more than 63 bits.
 */
static bool read_dim(struct text *t, int64_t *dim)
{
	const char *begin;

	skip_space(t);
	begin = t->p;
	*dim = 0;
	while (t->p < t->end && *t->p >= '0' && *t->p <= '9') {
		if (*dim > (INT64_MAX - 9) / 10)
			return false;
		*dim = 10 * *dim + (*t->p++ - '0');
	}
	accept(t, "L");
	return t->p > begin;
}

/* Read the sizes, a tuple of up to eight.
 *
 * A tuple of one has a comma behind it: "(3,)". An empty one is the shape of a
 * scalar.
 */
static bool read_shape(struct text *t, struct tool_npy *a)
{
	if (!accept(t, "("))
		return false;
	a->n_dim = 0;
	while (!accept(t, ")")) {
		if (a->n_dim == 8 || !read_dim(t, &a->dim[a->n_dim++]))
			return false;
		if (!accept(t, ",")) {
			if (!accept(t, ")"))
				return false;
			break;
		}
	}
	return true;
}

/* Does NumPy have no name for "t"? Another type of that size stands for it where it is
 * wanted.
 */
static bool has_no_name(enum poly_type t)
{
	return t == POLY_BF16 || t == POLY_TF32 || t == POLY_F8E4M3 || t == POLY_F8E5M2;
}

/* Read the type of the elements, which must be "want"; NULL, or what is wrong.
 *
 * All rows are tried, since "<u2" and "<f4" stand in two of them, and "|u1" in three.
 */
static const char *read_type(struct text *t, struct tool_npy *a,
	enum poly_type want)
{
	char descr[16];
	int i;

	if (!read_string(t, descr, sizeof(descr)))
		return "the header has no readable element type";
	for (i = 0; i < N_DESCR; i++) {
		a->type = descrs[i].type;
		if (!strcmp(descr, descrs[i].descr) &&
		    (!has_no_name(a->type) || want == a->type))
			return a->type == want ? NULL :
				"the elements have another type";
	}
	return "the elements have a type that Cetane does not know";
}

/* The dictionary; its keys may come in any order.
 *
 * Each key has a bit in "seen": all three must have come.
 */
static const char *read_header(struct text *t, struct tool_npy *a,
	enum poly_type want)
{
	unsigned seen = 0;
	const char *error;
	char key[32];

	if (!accept(t, "{"))
		return "the header is no dictionary";
	while (!accept(t, "}")) {
		if (!read_string(t, key, sizeof(key)) || !accept(t, ":"))
			return "the header is not readable";
		if (!strcmp(key, "descr")) {
			if ((error = read_type(t, a, want)))
				return error;
			seen |= 1;
		} else if (!strcmp(key, "fortran_order")) {
			if (accept(t, "True"))
				return "the array is in Fortran order";
			if (!accept(t, "False"))
				return "the header is not readable";
			seen |= 2;
		} else if (!strcmp(key, "shape")) {
			if (!read_shape(t, a))
				return "the shape is not readable";
			seen |= 4;
		} else {
			return "the header has an unknown key";
		}
		accept(t, ",");
	}
	return seen == 7 ? NULL : "the header is incomplete";
}

/* Find the header: "*t" and where the data begins.
 *
 *	6 bytes	magic
 *	1 + 1	version
 *	2 or 4	length of the header, in version 1 or 2
 *	..	the header
 */
static const char *find_header(const unsigned char *text, size_t len,
	struct text *t, size_t *data)
{
	size_t begin, n;

	if (len < MAGIC + 4 || memcmp(text, magic, MAGIC))
		return "this is no .npy file";
	if (text[6] != 1 && text[6] != 2)
		return "the .npy version is neither 1 nor 2";
	begin = text[6] == 1 ? 10 : 12;
	if (len < begin)
		return "the file is cut off";
	n = text[8] | (size_t)text[9] << 8;
	if (text[6] == 2)
		n |= (size_t)text[10] << 16 | (size_t)text[11] << 24;
	if (n > len - begin)
		return "the file is cut off";
	t->p = (const char *)text + begin;
	t->end = t->p + n;
	*data = begin + n;
	return NULL;
}

/* The data are copied: "text" may go away. The memory has a byte more, so that
 * an empty array has some.
 */
const char *tool_npy_read(struct tool_npy *a, const void *text, size_t len,
	enum poly_type want)
{
	struct text t = { 0 };
	const char *error;
	size_t data = 0;
	int64_t size;

	*a = (struct tool_npy){ .type = want };
	error = find_header(text, len, &t, &data);
	if (!error)
		error = read_header(&t, a, want);
	if (error)
		return error;
	size = tool_bytes(tool_elements(a->n_dim, a->dim),
		poly_type_size(a->type));
	/* A file with anything behind its data does not fit, either. */
	if (size < 0 || (size_t)size != len - data)
		return "the file's length does not fit its shape";
	a->size = (size_t)size;
	a->data = malloc(a->size + 1);
	if (!a->data)
		return "not enough memory";
	memcpy(a->data, (const char *)text + data, a->size);
	return NULL;
}

/* Only types of the language are asked for. */
static const char *descr_of(enum poly_type type)
{
	int i;

	for (i = 0; i < N_DESCR; i++)
		if (descrs[i].type == type)
			return descrs[i].descr;
	return "";
}

/* Version 1: the length has two bytes, which the longest header fits. The two
 * bytes are written as 0 and set when the header is complete. With its newline
 * the header ends at a multiple of 64.
 */
bool tool_npy_write(int fd, const struct tool_npy *a)
{
	struct poly_str head = { 0 };
	size_t len;
	bool ok;
	int i;

	poly_str_addn(&head, magic, MAGIC);
	poly_str_addn(&head, "\1\0\0\0", 4);
	poly_str_printf(&head, "{'descr': '%s', 'fortran_order': False, "
		"'shape': (", descr_of(a->type));
	for (i = 0; i < a->n_dim; i++)
		poly_str_printf(&head, "%lld,%s", (long long)a->dim[i],
			i + 1 < a->n_dim ? " " : "");
	poly_str_add(&head, "), }");
	while (!head.failed && (head.len + 1) % ALIGN)
		poly_str_add(&head, " ");
	poly_str_add(&head, "\n");
	ok = !head.failed;
	if (ok) {
		len = head.len - 10;
		head.s[8] = (char)(len & 0xff);
		head.s[9] = (char)(len >> 8);
	}
	ok = ok && tool_write(fd, head.s, head.len) &&
		tool_write(fd, a->data, a->size);
	poly_str_free(&head);
	return ok;
}
