/* Memory of a unit: blocks that are freed together.
 *
 * Tokens, trees and nodes live exactly as long as the unit, so nothing is
 * freed one by one, and an allocation that fails leaves through the arena's
 * jump buffer: the code that builds need not look at each allocation.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/base/base.h"

/* Bytes of a block, at least. */
enum { BLOCK_SIZE = 64 << 10 };

/* Memory that allocations are cut from, one after another. */
struct fe_block {
	struct fe_block *next;
	max_align_t memory[];
};

/* Begin a new block with room for "size" bytes. */
static void add_block(struct fe_arena *arena, size_t size)
{
	struct fe_block *block;

	if (size < BLOCK_SIZE)
		size = BLOCK_SIZE;
	block = malloc(sizeof(*block) + size);
	if (!block) {
		poly_memory_note();
		longjmp(arena->no_memory, 1);
	}
	block->next = arena->block;
	arena->block = block;
	arena->used = 0;
	arena->size = size;
}

void *fe_arena_alloc(struct fe_arena *arena, size_t size)
{
	size_t unit = sizeof(max_align_t);
	void *memory;

	size = (size + unit - 1) / unit * unit;
	if (!arena->block || arena->size - arena->used < size)
		add_block(arena, size);
	memory = (char *)arena->block->memory + arena->used;
	arena->used += size;
	return memset(memory, 0, size);
}

/* A NUL-terminated copy of the "len" bytes at "text". */
char *fe_arena_text(struct fe_arena *arena, const char *text, size_t len)
{
	char *copy = fe_arena_alloc(arena, len + 1);

	memcpy(copy, text, len);
	return copy;
}

void fe_arena_free(struct fe_arena *arena)
{
	struct fe_block *next;

	for (; arena->block; arena->block = next) {
		next = arena->block->next;
		free(arena->block);
	}
}
