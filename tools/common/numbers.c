/* Memory for the numbers of GMP, which isl computes with.
 *
 * Nearly all of them have one word or a few, and to fetch and return their memory
 * takes malloc up to a fifth of the time that a compilation takes. Here it comes from
 * lists of free blocks, one for each size up to MOST units. Blocks are cut from
 * slabs, which are never given back: a process holds what its numbers have
 * ever needed at one time. Each thread has lists of its own, since a process with
 * threads may compile in several. Where a sanitizer watches memory, malloc does
 * it all.
 *
 * GMP knows no failure: without memory the process ends, as with GMP's own
 * functions, and errno says why.
 */
#include <stdlib.h>
#include <string.h>

#include <gmp.h>

#include "tools/tools.h"

#if defined(__SANITIZE_ADDRESS__)
#define WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#endif
#ifndef WATCHED
#define WATCHED 0
#endif

/* Units of a block, blocks of a slab. */
enum { MOST = 4, BLOCKS = 64 };

/* Two words, so that a number that grows to the second one stays. */
union block {
	union block *next;	/* while it is free */
	mp_limb_t word[2];
};

static _Thread_local union block *spare[MOST + 1];

static size_t units(size_t size)
{
	return (size + sizeof(union block) - 1) / sizeof(union block);
}

static void *checked(void *p)
{
	if (!p)
		abort();
	return p;
}

/* Cut a slab into blocks of "n" units and list all but the first. */
static union block *cut_slab(size_t n)
{
	union block *slab = checked(malloc(BLOCKS * n * sizeof(*slab)));

	for (size_t i = 1; i < BLOCKS; i++) {
		slab[i * n].next = spare[n];
		spare[n] = &slab[i * n];
	}
	return slab;
}

/* Memory for "size" bytes: a free block, or, if that is large or 0, from
 * malloc.
 */
static void *get(size_t size)
{
	size_t n = units(size);
	union block *block;

	if (n == 0 || n > MOST)
		return checked(malloc(size + !size));
	block = spare[n];
	if (!block)
		return cut_slab(n);
	spare[n] = block->next;
	return block;
}

/* Give back memory of "size" bytes, by the way it came. */
static void put(void *p, size_t size)
{
	size_t n = units(size);
	union block *block = p;

	if (n == 0 || n > MOST) {
		free(p);
		return;
	}
	block->next = spare[n];
	spare[n] = block;
}

/* Memory of "size" bytes with what "p", of "old" bytes, holds; "p" is given
 * back unless it is the same.
 */
static void *resize(void *p, size_t old, size_t size)
{
	void *to;

	if (units(old) > MOST && units(size) > MOST)
		return checked(realloc(p, size));
	if (units(old) == units(size))
		return p;
	to = get(size);
	memcpy(to, p, old < size ? old : size);
	put(p, old);
	return to;
}

void tool_keep_numbers(void)
{
	if (!WATCHED)
		mp_set_memory_functions(get, resize, put);
}
