/* Memory for the numbers of GMP, which isl computes with.
 *
 * Nearly all of them have one word or a few, and to fetch and return their memory
 * takes malloc up to a fifth of the time that a compilation takes. Here it comes from
 * shelves of free blocks, one for each size up to MOST units. Blocks are cut from
 * slabs, which are never given back: a process holds what its numbers have
 * ever needed at one time. Each thread has shelves of its own, since a process with
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
struct block {
	mp_limb_t word[2];
};

/* The free blocks of one size, the last "n" that were given back; there is room for
 * "room".
 *
 * A list through the blocks would read a block to find the next one: memory that
 * nothing else needs, and that is often in no cache. A block that is taken from here
 * is only written, and nobody waits for that.
 */
struct shelf {
	struct block **block;
	size_t n, room;
};

static _Thread_local struct shelf spare[MOST + 1];

static size_t units(size_t size)
{
	return (size + sizeof(struct block) - 1) / sizeof(struct block);
}

static void *checked(void *p)
{
	if (!p)
		abort();
	return p;
}

/* Put "block" onto the shelf; without memory for that it is lost. */
static void add(struct shelf *s, struct block *block)
{
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : BLOCKS;
		struct block **more = realloc(s->block,
			room * sizeof(struct block *));

		if (!more)
			return;
		s->block = more;
		s->room = room;
	}
	s->block[s->n++] = block;
}

/* Cut a slab into blocks of "n" units, and shelve all but the first, so that they are
 * taken in the order in which they lie.
 */
static struct block *cut_slab(size_t n)
{
	struct block *slab = checked(malloc(BLOCKS * n * sizeof(*slab)));

	for (size_t i = BLOCKS; i-- > 1;)
		add(&spare[n], &slab[i * n]);
	return slab;
}

/* Memory for "size" bytes: a free block, or, if that is large or 0, from
 * malloc.
 */
static void *get(size_t size)
{
	size_t n = units(size);
	struct shelf *s;

	if (n == 0 || n > MOST)
		return checked(malloc(size + !size));
	s = &spare[n];
	return s->n ? s->block[--s->n] : cut_slab(n);
}

/* Give back memory of "size" bytes, by the way it came. */
static void put(void *p, size_t size)
{
	size_t n = units(size);

	if (n == 0 || n > MOST)
		free(p);
	else
		add(&spare[n], p);
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
