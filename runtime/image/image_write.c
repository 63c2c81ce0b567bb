/* Write a container, as image.h describes it. The compiler does this; a
 * program that only runs kernels does not link it.
 *
 * Both passes go the same way, first to count, then to write; so the size is
 * right by construction. Integers are written byte by byte: a container does
 * not depend on the machine it is made on.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/image/image.h"

/* Bytes that are written so far; "p" is NULL in the pass that only counts. */
struct sink {
	unsigned char *p;
	size_t n;
};

/* Append "n" bytes, or count them.
 *
 * Nothing is checked: the second pass has room for what the first has counted.
 */
static void put_bytes(struct sink *s, const void *data, size_t n)
{
	if (s->p && n)
		memcpy(s->p + s->n, data, n);
	s->n += n;
}

/* "v" in "bytes" bytes, the lowest first. */
static void put(struct sink *s, uint64_t v, int bytes)
{
	unsigned char b[8];
	int i;

	for (i = 0; i < bytes; i++)
		b[i] = (unsigned char) (v >> 8 * i);
	put_bytes(s, b, bytes);
}

/* Its length, then its bytes, without a NUL. */
static void put_text(struct sink *s, const char *text)
{
	put(s, strlen(text), 4);
	put_bytes(s, text, strlen(text));
}

/* A formula, as take_formula (image.c) reads it. */
static void put_formula(struct sink *s, const struct cetane_rt_formula *f)
{
	int i;

	put(s, f->n, 4);
	for (i = 0; i < f->n; i++) {
		put(s, f->op[i].code, 4);
		put(s, (uint64_t) f->op[i].value, 8);
	}
}

/* An array, as take_array (image.c) reads it. */
static void put_array(struct sink *s, const struct cetane_rt_array *a)
{
	int i;

	put_text(s, a->name);
	put_text(s, a->type);
	put(s, a->role, 4);
	put(s, a->elem_bytes, 4);
	put(s, a->align, 4);
	put(s, a->version, 4);
	put(s, a->n_dim, 4);
	for (i = 0; i < a->n_dim; i++)
		put_formula(s, &a->extent[i]);
	put(s, a->look, 4);
	for (i = 0; a->look && i < 2; i++)
		put_formula(s, &a->within[i]);
}

static void put_walks(struct sink *s, const struct cetane_rt_arg *a)
{
	put(s, a->n_walk, 4);
	for (int i = 0; i < a->n_walk; i++) {
		put(s, CETANE_RT_MOST_WALK_LOW + a->walk[i].low, 4);
		put(s, a->walk[i].count, 4);
		put(s, a->walk[i].step, 4);
	}
}

/* One kernel of a launch record, as take_kernel (image.c) reads it. */
static void put_kernel(struct sink *s, const struct cetane_rt_kernel *k)
{
	int i;

	put_text(s, k->name);
	put(s, k->thread[0], 4);
	put(s, k->thread[1], 4);
	put(s, k->cluster[0], 4);
	put(s, k->cluster[1], 4);
	put(s, k->shared_bytes, 4);
	put(s, k->early, 4);
	put(s, k->n_iter, 4);
	put(s, k->n_arg, 4);
	put_formula(s, &k->n[0]);
	put_formula(s, &k->n[1]);
	for (i = 0; i < k->n_arg; i++) {
		put(s, k->arg[i].kind, 4);
		put(s, k->arg[i].index, 4);
		if (k->arg[i].kind == CETANE_RT_ARG_ARRAY)
			put(s, (uint64_t) k->arg[i].offset, 8);
		if (k->arg[i].kind == CETANE_RT_ARG_MAP) {
			put(s, k->arg[i].line, 4);
			put(s, k->arg[i].across, 4);
			put(s, k->arg[i].rows, 4);
			put_walks(s, &k->arg[i]);
		}
	}
}

/* A step, as take_step (image.c) reads it. */
static void put_step(struct sink *s, const struct cetane_rt_step *step)
{
	int i;

	put(s, step->kind, 4);
	put(s, step->index, 4);
	put(s, step->n_formula, 4);
	for (i = 0; i < step->n_formula; i++)
		put_formula(s, &step->formula[i]);
}

/* A version, as take_version (image.c) reads it. */
static void put_version(struct sink *s, const struct cetane_rt_version *v)
{
	int i;

	put(s, v->n_step, 4);
	put(s, v->aligned, 4);
	put(s, v->n_cost, 4);
	put_formula(s, &v->condition);
	for (i = 0; i < v->n_cost; i++)
		put_formula(s, &v->cost[i]);
}

/* A launch record, as take_record (image.c) reads it. */
static void put_record(struct sink *s, const struct cetane_rt_record *r)
{
	int i;

	put(s, r->n_size, 4);
	put(s, r->n_array, 4);
	put(s, r->n_kernel, 4);
	put(s, r->n_version, 4);
	put(s, r->n_step, 4);
	put_text(s, r->program);
	for (i = 0; i < r->n_size; i++) {
		put_text(s, r->size[i].name);
		put(s, r->size[i].fixed, 4);
		put(s, r->size[i].stride_of, 4);
		put(s, r->size[i].fixed ? (uint64_t) r->size[i].value : 0, 8);
	}
	for (i = 0; i < r->n_array; i++)
		put_array(s, &r->array[i]);
	for (i = 0; i < r->n_kernel; i++)
		put_kernel(s, &r->kernel[i]);
	for (i = 0; i < r->n_version; i++)
		put_version(s, &r->version[i]);
	for (i = 0; i < r->n_step; i++)
		put_step(s, &r->step[i]);
}

/* The bytes that the record takes.
 *
 * By the same way as it is written.
 */
static size_t record_size(const struct cetane_rt_record *r)
{
	struct sink s = { NULL, 0 };

	put_record(&s, r);
	return s.n;
}

/* The entry of "image", whose record begins at "at" with its data behind.
 *
 * The record comes before the image's bytes.
 */
static void put_entry(struct sink *s, const struct cetane_rt_image *image,
	size_t at)
{
	size_t size = record_size(image->record);

	put(s, image->kind, 4);
	put(s, image->capability, 4);
	put(s, image->specific, 4);
	put(s, image->ptx, 4);
	put(s, at + size, 8);
	put(s, image->size, 8);
	put(s, at, 8);
	put(s, size, 8);
}

/* The header, the table of the "n" images, and for each its record and its bytes;
 * "total" bytes in all.
 *
 * 8 bytes of the header are reserved and 0.
 */
static void put_all(struct sink *s, const struct cetane_rt_image *image,
	int n, size_t total)
{
	size_t at = CETANE_RT_HEADER + (size_t) n * CETANE_RT_ENTRY;
	int i;

	put_bytes(s, CETANE_RT_MAGIC, 8);
	put(s, CETANE_RT_ABI, 4);
	put(s, n, 4);
	put(s, total, 8);
	put(s, 0, 8);
	for (i = 0; i < n; i++) {
		put_entry(s, &image[i], at);
		at += record_size(image[i].record) + image[i].size;
	}
	for (i = 0; i < n; i++) {
		put_record(s, image[i].record);
		put_bytes(s, image[i].data, image[i].size);
	}
}

/* NULL without memory; the caller frees it. "*size" is set in both cases. */
void *cetane_rt_image_write(const struct cetane_rt_image *image, int n,
	size_t *size)
{
	struct sink s = { NULL, 0 };

	put_all(&s, image, n, 0);
	*size = s.n;
	s = (struct sink) { malloc(s.n), 0 };
	if (s.p)
		put_all(&s, image, n, *size);
	return s.p;
}
