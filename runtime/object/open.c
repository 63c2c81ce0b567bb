/* Programs out of the bytes of objects, without a linker. Launches on a GPU need the
 * container alone, which begins with words that nothing else has.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/image/image.h"
#include "runtime/program.h"

/* A program and the copy of its container. */
struct opened {
	struct cetane_program program;
	char container[];
};

/* The little-endian number of 8 bytes at "at". */
static uint64_t number(const char *at)
{
	uint64_t n = 0;
	int i;

	for (i = 7; i >= 0; i--)
		n = n << 8 | (unsigned char) at[i];
	return n;
}

/* The first container in the "size" bytes, which ends among them; NULL. */
static const char *find(const char *bytes, size_t size, uint64_t *length)
{
	static const char magic[] = CETANE_RT_MAGIC;
	const char *at = bytes, *end = bytes + size;
	int n;

	while ((at = memmem(at, (size_t) (end - at), magic, 8))) {
		if (end - at >= CETANE_RT_HEADER) {
			*length = number(at + 16);
			if (*length <= (uint64_t) (end - at) &&
				cetane_rt_image_count(at, *length, &n) ==
				CETANE_OK)
				return at;
		}
		at++;
	}
	return NULL;
}

enum cetane_status cetane_program_open(const void *bytes, size_t size,
	struct cetane_program **p)
{
	uint64_t length;
	const char *at = find(bytes, size, &length);
	struct opened *o;

	if (!at)
		return cetane_rt_fail(CETANE_BAD_CONTAINER, "there is no "
			"program of this version in these %zu bytes", size);
	o = calloc(1, sizeof(*o) + length);
	if (!o)
		return cetane_rt_no_memory();
	memcpy(o->container, at, length);
	o->program = (struct cetane_program) { CETANE_RT_ABI, 0, o->container,
		length, NULL, NULL };
	*p = &o->program;
	return CETANE_OK;
}

void cetane_program_close(struct cetane_program *p)
{
	if (!p)
		return;
	cetane_program_unload_all(p);
	free(p);
}
