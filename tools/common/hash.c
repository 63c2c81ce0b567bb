/* Hashes, and random numbers that are the same on every machine. */
#include "tools/tools.h"

uint64_t tool_mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

uint64_t tool_random_bits(uint64_t seed, uint64_t i)
{
	return tool_mix(seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

uint64_t tool_hash(uint64_t seed, const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ seed;
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return tool_mix(hash);
}
