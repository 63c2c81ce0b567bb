/* Numbers for the inputs of a self-test. The compiler evaluates with them what the
 * outputs must be, and the object runs with them, so both have to make the same.
 */
#include <string.h>
#include "runtime/base/convert.h"
#include "runtime/image/image.h"

/* 64 bits that look random, the same for the same "at". */
static uint64_t mixed(uint64_t at)
{
	at *= UINT64_C(0x9e3779b97f4a7c15);
	at = (at ^ at >> 32) * UINT64_C(0xd6e8feb86659fd93);
	at = (at ^ at >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return at ^ at >> 32;
}

bool cetane_rt_record_is_float(const struct cetane_rt_array *a)
{
	return a->type[0] == 'f' || !strncmp(a->type, "bf", 2) ||
		a->type[0] == 't';
}

/* An integer from "first" to "last". */
static int64_t between(uint64_t bits, int64_t first, int64_t last)
{
	return first + (int64_t) (bits % ((uint64_t) (last - first) + 1));
}

void cetane_rt_record_fill(const struct cetane_rt_array *a, int number, int64_t n,
	int64_t first, int64_t last, void *data)
{
	uint64_t key = mixed((uint64_t) number + 1);
	size_t size = (size_t) a->elem_bytes;
	bool is_float = cetane_rt_record_is_float(a);

	if (first > last) {
		first = a->type[0] == 'i' ? -4 : 0;
		last = !strcmp(a->type, "bool") ? 1 : first + 8;
	}
	for (int64_t i = 0; i < n; i++) {
		uint64_t bits = mixed(key + (uint64_t) i);
		int64_t one;

		if (is_float) {
			cetane_rt_float_store(a->type, data, i,
				(double) (bits >> 11) * 0x1p-52 - 1);
			continue;
		}
		one = between(bits, first, last);
		/* the low bytes come first */
		memcpy((char *) data + (size_t) i * size, &one, size);
	}
}
