/* Fuzz the reader of containers: header, table of images, launch records,
 * and what a record says for several sizes.
 *
 * What is accepted is written and read again, which must give the same.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "runtime/image/image.h"

enum { MOST_IMAGE = 8, MOST_SIZE = 64 };

static const int64_t values[] = { 0, 1, 1000, INT32_MAX, -1 };
enum { N_VALUE = sizeof(values) / sizeof(values[0]) };

static void need(bool ok)
{
	if (!ok)
		abort();
}

/* Evaluate the record with all sizes "value", fixed ones as compiled. */
static void evaluate(const struct cetane_rt_record *r, int64_t value)
{
	cetane_ptr *offset = calloc((size_t)r->n_array + 1, sizeof(*offset));
	int64_t size[MOST_SIZE], bytes, total;
	int i;

	need(offset != NULL);
	for (i = 0; i < r->n_size; i++)
		size[i] = r->size[i].fixed ? r->size[i].value : value;
	if (cetane_rt_record_check(r, size) == CETANE_OK) {
		for (i = 0; i < r->n_array; i++)
			if (cetane_rt_record_bytes(r, i, size, &bytes) ==
				CETANE_OK)
				need(bytes >= 0);
		if (cetane_rt_record_layout(r, size, offset, &total) ==
			CETANE_OK)
			need(total >= 0);
	}
	free(offset);
}

/* The record of "image", evaluated; NULL if it is not accepted. */
static struct cetane_rt_record *read_record(
	const struct cetane_rt_image *image)
{
	struct cetane_rt_record *r;
	int i;

	if (cetane_rt_record_read(image, &r) != CETANE_OK)
		return NULL;
	for (i = 0; i < N_VALUE && r->n_size <= MOST_SIZE; i++)
		evaluate(r, values[i]);
	return r;
}

/* What was read, written again, reads as the same and is written the same
 * once more.
 */
static void rewrite(const struct cetane_rt_image *image, int n)
{
	struct cetane_rt_image again[MOST_IMAGE];
	size_t size, size2;
	void *bytes = cetane_rt_image_write(image, n, &size), *bytes2;
	int i, m;

	need(bytes != NULL);
	need(cetane_rt_image_count(bytes, size, &m) == CETANE_OK && m == n);
	for (i = 0; i < n; i++) {
		need(cetane_rt_image_get(bytes, size, i, &again[i]) ==
			CETANE_OK);
		need(again[i].size == image[i].size && (!again[i].size ||
			!memcmp(again[i].data, image[i].data, again[i].size)));
		again[i].record = read_record(&again[i]);
		need(again[i].record != NULL);
	}
	bytes2 = cetane_rt_image_write(again, n, &size2);
	need(bytes2 && size2 == size && !memcmp(bytes, bytes2, size));
	for (i = 0; i < n; i++)
		cetane_rt_record_free((struct cetane_rt_record *)
			(uintptr_t)again[i].record);
	free(bytes2);
	free(bytes);
}

static void read_images(const void *container, size_t size, int n)
{
	struct cetane_rt_record *record[MOST_IMAGE] = { NULL };
	struct cetane_rt_image image[MOST_IMAGE];
	bool all = true;
	int i;

	for (i = 0; i < n; i++) {
		need(cetane_rt_image_get(container, size, i, &image[i]) ==
			CETANE_OK);
		record[i] = read_record(&image[i]);
		image[i].record = record[i];
		all = all && record[i];
	}
	if (all)
		rewrite(image, n);
	for (i = 0; i < n; i++)
		cetane_rt_record_free(record[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int capability[] = { 0, 75, 86, 90, 103, 121 };
	struct cetane_rt_image image;
	size_t i;
	int n;

	for (i = 0; i < sizeof(capability) / sizeof(capability[0]); i++)
		cetane_rt_image_pick(data, size, capability[i], &image);
	if (cetane_rt_image_count(data, size, &n) == CETANE_OK &&
		n <= MOST_IMAGE)
		read_images(data, size, n);
	return 0;
}
