/* Memory of the host device.
 *
 * An allocation lies between two redzones of a known pattern, so that a
 * kernel without checks that writes beside an array is caught after its
 * launch. Fresh memory is filled with another pattern, never with zeros. The
 * table of allocations is sorted by address: checks look up to which array
 * an address belongs.
 *
 * While the device checks for uninitialised reads, each allocation has one
 * byte of shadow a byte; one that was made before, or that unchecked code may
 * have written, has none and counts as initialised.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/host/host.h"

/* 0xA5: a pattern that no common value has; HOST_POISON is another one. */
#define REDZONE_BYTE 0xA5

static struct host_device *to_host(struct cetane_device *dev)
{
	return (struct host_device *) dev;
}

/* Index of the first allocation whose base is greater than "addr".
 *
 * Binary search; equal bases do not occur.
 */
static int upper_bound(const struct host_memory *m, uintptr_t addr)
{
	int low = 0, high = m->n_alloc;

	while (low < high) {
		int mid = low + (high - low) / 2;

		if ((uintptr_t) m->alloc[mid].base > addr)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* An address one behind the end belongs to the allocation, too, so that
 * messages can name the array it was meant for.
 */
struct host_alloc *cetane_rt_host_find(struct host_device *hd, uintptr_t addr)
{
	int i = upper_bound(&hd->memory, addr) - 1;
	struct host_alloc *a;

	if (i < 0)
		return NULL;
	a = &hd->memory.alloc[i];
	return addr - (uintptr_t) a->base <= a->size ? a : NULL;
}

/* NULL if the range is not within one allocation. "size" may be 0. */
struct host_alloc *cetane_rt_host_range(struct host_device *hd,
	cetane_ptr ptr, size_t size)
{
	struct host_alloc *a = cetane_rt_host_find(hd, (uintptr_t) ptr);

	if (!a || size > a->size - ((uintptr_t) ptr - (uintptr_t) a->base))
		return NULL;
	return a;
}

/* Make room for one more entry of the table. */
static bool grow(struct host_memory *m)
{
	int cap = m->cap ? 2 * m->cap : 16;
	struct host_alloc *alloc;

	if (m->n_alloc < m->cap)
		return true;
	alloc = realloc(m->alloc, cap * sizeof(*alloc));
	if (!alloc)
		return false;
	m->alloc = alloc;
	m->cap = cap;
	return true;
}

/* Fill in "a": redzones, poison and, if "tracked", the shadow.
 *
 * Redzones are HOST_REDZONE bytes each, before and behind; the shadow says
 * which bytes were written.
 */
static bool fill_in(struct host_alloc *a, size_t size, bool tracked)
{
	size_t total;

	memset(a, 0, sizeof(*a));
	/* no sum of sizes below overflows */
	if (size > PTRDIFF_MAX - 3 * HOST_REDZONE)
		return false;
	total = (size + 3 * HOST_REDZONE - 1) / HOST_REDZONE * HOST_REDZONE;
	if (tracked && !(a->shadow.init = calloc(size, 1)))
		return false;
	a->block = aligned_alloc(HOST_REDZONE, total);
	if (!a->block) {
		free(a->shadow.init);
		return false;
	}
	a->base = (unsigned char *) a->block + HOST_REDZONE;
	a->size = size;
	memset(a->block, REDZONE_BYTE, HOST_REDZONE);
	memset(a->base, HOST_POISON, size);
	memset(a->base + size, REDZONE_BYTE, HOST_REDZONE);
	return true;
}

static void free_alloc(struct host_alloc *a)
{
	free(a->block);
	free(a->shadow.init);
	free(a->shadow.race);
}

/* The table moves up by one: allocations are rare, look-ups are not. */
enum cetane_status cetane_rt_host_malloc(struct cetane_device *dev,
	size_t size, cetane_ptr *ptr)
{
	struct host_device *hd = to_host(dev);
	struct host_memory *m = &hd->memory;
	struct host_alloc a;
	bool ok;
	int i;

	pthread_mutex_lock(&hd->lock);
	ok = grow(m) && fill_in(&a, size, hd->checks & CETANE_CHECK_INIT);
	if (ok) {
		i = upper_bound(m, (uintptr_t) a.base);
		memmove(m->alloc + i + 1, m->alloc + i,
			(m->n_alloc - i) * sizeof(a));
		m->alloc[i] = a;
		m->n_alloc++;
		*ptr = (uintptr_t) a.base;
	}
	pthread_mutex_unlock(&hd->lock);
	return ok ? CETANE_OK : cetane_rt_fail(CETANE_OUT_OF_MEMORY,
		"cetane_malloc: no %zu bytes of memory", size);
}

/* Work that was queued may use the memory: it runs first, and its failure is
 * returned, but the memory is freed all the same.
 *
 * Address and failure are told apart: CETANE_INVALID_ADDRESS frees nothing.
 */
enum cetane_status cetane_rt_host_free(struct cetane_device *dev,
	cetane_ptr ptr)
{
	struct host_device *hd = to_host(dev);
	struct host_memory *m = &hd->memory;
	enum cetane_status s = CETANE_INVALID_ADDRESS;
	int i;

	pthread_mutex_lock(&hd->lock);
	i = upper_bound(m, (uintptr_t) ptr) - 1;
	if (i >= 0 && (uintptr_t) m->alloc[i].base == ptr) {
		s = cetane_rt_host_drain(hd);
		free_alloc(&m->alloc[i]);
		m->n_alloc--;
		memmove(m->alloc + i, m->alloc + i + 1,
			(m->n_alloc - i) * sizeof(*m->alloc));
	} else {
		cetane_rt_fail(s, "cetane_free: %#llx was not allocated",
			(unsigned long long) ptr);
	}
	pthread_mutex_unlock(&hd->lock);
	return s;
}

/* As on a GPU, from any address within an allocation. */
enum cetane_status cetane_rt_host_rest(struct cetane_device *dev,
	cetane_ptr ptr, size_t *rest)
{
	struct host_device *hd = to_host(dev);
	const struct host_alloc *a;
	bool found;

	pthread_mutex_lock(&hd->lock);
	a = cetane_rt_host_range(hd, ptr, 1);
	found = a != NULL;
	if (found)
		*rest = a->size - ((uintptr_t) ptr - (uintptr_t) a->base);
	pthread_mutex_unlock(&hd->lock);
	return found ? CETANE_OK : cetane_rt_fail(CETANE_INVALID_ADDRESS,
		"%s", cetane_status_text(CETANE_INVALID_ADDRESS));
}

/* Marks bytes as initialised, as a copy to the device does. */
void cetane_rt_host_wrote(struct host_device *hd, cetane_ptr ptr, size_t size)
{
	struct host_alloc *a = cetane_rt_host_range(hd, ptr, size);

	if (a && a->shadow.init)
		memset(a->shadow.init + ((uintptr_t) ptr -
			(uintptr_t) a->base), 1, size);
}

/* After a launch without checks nothing is known, so everything counts as
 * written.
 */
void cetane_rt_host_wrote_all(struct host_device *hd)
{
	int i;

	for (i = 0; i < hd->memory.n_alloc; i++) {
		free(hd->memory.alloc[i].shadow.init);
		hd->memory.alloc[i].shadow.init = NULL;
	}
}

/* The first byte of the redzone at "zone" that changed, or NULL.
 *
 * Sixteen bytes at a time, since all zones are looked at after each launch.
 */
static unsigned char *changed(unsigned char *zone)
{
	static const unsigned char row[16] = {
		REDZONE_BYTE, REDZONE_BYTE, REDZONE_BYTE, REDZONE_BYTE,
		REDZONE_BYTE, REDZONE_BYTE, REDZONE_BYTE, REDZONE_BYTE,
		REDZONE_BYTE, REDZONE_BYTE, REDZONE_BYTE, REDZONE_BYTE,
		REDZONE_BYTE, REDZONE_BYTE, REDZONE_BYTE, REDZONE_BYTE
	};
	int i = 0;

	while (i < HOST_REDZONE && memcmp(zone + i, row, sizeof(row)) == 0)
		i += sizeof(row);
	while (i < HOST_REDZONE && zone[i] == REDZONE_BYTE)
		i++;
	return i < HOST_REDZONE ? zone + i : NULL;
}

/* Both zones are repaired, so that one mistake is told once. "*offset" is
 * negative in front of the array.
 */
struct host_alloc *cetane_rt_host_broken(struct host_device *hd,
	ptrdiff_t *offset)
{
	int i;

	for (i = 0; i < hd->memory.n_alloc; i++) {
		struct host_alloc *a = &hd->memory.alloc[i];
		unsigned char *at = changed(a->block);

		if (!at)
			at = changed(a->base + a->size);
		if (!at)
			continue;
		*offset = at - a->base;
		memset(a->block, REDZONE_BYTE, HOST_REDZONE);
		memset(a->base + a->size, REDZONE_BYTE, HOST_REDZONE);
		return a;
	}
	return NULL;
}

/* All of the table; pointers into it are void. */
void cetane_rt_host_memory_free(struct host_device *hd)
{
	int i;

	for (i = 0; i < hd->memory.n_alloc; i++)
		free_alloc(&hd->memory.alloc[i]);
	free(hd->memory.alloc);
}
