/* Numbers that tests of arithmetic try (pick_number.h). */
#include <math.h>

#include "pick_number.h"

uint64_t random_bits(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

float special(int i)
{
	static const float some[N_SOME] = {
		0, INFINITY, NAN, 1, 3, 1.1f, 0x1.fffffep127f, 0x1p-149f, 0x3p-149f,
		0x1.fffffcp-127f, 1e30f, 7e-31f,
	};
	static const int power[N_POWER] = { -126, -125, -102, -101, -100, -99, -76, -75,
		-25, -24, -23, 0, 1, 23, 24, 25, 99, 100, 127 };
	int k = i / 2 - N_SOME;
	float v;

	if (k < 0) {
		v = some[i / 2];
	} else {
		v = ldexpf(1, power[k / 3]);
		v = k % 3 == 0 ? v : nextafterf(v, k % 3 == 1 ? 0 : INFINITY);
	}
	return i % 2 ? -v : v;
}
