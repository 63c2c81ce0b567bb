/* What random C nests are compared with: they are compiled by the system's
 * compiler into one program, which runs them on the inputs that "cetane run"
 * makes and prints a line for each array: function, array, number of elements
 * and a hash of their bits, in which all that are no numbers are one.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { F32, F64, I8, I16, I32, I64, U8, U16, U32, U64 };
#define KIND(type) _Generic((type)0, float: F32, double: F64,		\
	signed char: I8, short: I16, int: I32, long: I64,		\
	unsigned char: U8, unsigned short: U16, unsigned: U32,		\
	unsigned long: U64)
static const unsigned char size_of[] = { 4, 8, 1, 2, 4, 8, 1, 2, 4, 8 };

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Element "i" of "data" becomes the integer "x", which its type holds. */
static void set_integer(void *data, enum kind kind, int64_t i, int64_t x)
{
	memcpy((char *)data + i * size_of[kind], &x, size_of[kind]);
}

/* An array with the contents that "cetane run" gives an input "name". */
static void *fill(const char *name, enum kind kind, int64_t n)
{
	void *data = malloc((size_t)n * size_of[kind] + 1);
	uint64_t key, bits;

	key = mix(hash_bytes(UINT64_C(0xcbf29ce484222325) ^ mix(1), name,
		strlen(name)));
	for (int64_t i = 0; i < n; i++) {
		bits = mix(key + ((uint64_t)i + 1) *
			UINT64_C(0x9e3779b97f4a7c15));
		if (kind == F64)
			((double *)data)[i] = (double)(bits >> 11) *
				0x1p-52 - 1;
		else if (kind == F32)
			((float *)data)[i] = (float)((double)(bits >> 11) *
				0x1p-52 - 1);
		else
			set_integer(data, kind, i, (int64_t)(bits % 9) -
				(kind < U8 ? 4 : 0));
	}
	return data;
}

static void report(const char *function, const char *name, enum kind kind,
	const void *data, int64_t n)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	const char *p = data;
	int size = size_of[kind];

	for (int64_t i = 0; i < n; i++, p += size)
		if ((kind == F32 && ((const float *)data)[i] !=
		     ((const float *)data)[i]) ||
		    (kind == F64 && ((const double *)data)[i] !=
		     ((const double *)data)[i]))
			hash = hash_bytes(hash, "nan", 3);
		else
			hash = hash_bytes(hash, p, (size_t)size);
	printf("%s %s %lld %016llx\n", function, name, (long long)n,
		(unsigned long long)hash);
	fflush(stdout);
}
