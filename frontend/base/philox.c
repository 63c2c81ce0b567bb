/* The interpreters' random bits: Philox4x32-10.
 *
 * J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel random numbers: as easy as
 * 1, 2, 3", SC 2011. A block of four words is a bijection of the counter that the
 * key selects; ten rounds pass the tests of BigCrush. Compiled programs have code of
 * their own (nvptx/math/philox.c).
 */
#include "frontend/base/value.h"

/* One round: each even word is multiplied, and the halves of the product, the upper
 * one with a word of the key, are mixed crosswise into the others.
 */
static void do_round(uint32_t word[4], const uint32_t key[2])
{
	static const uint64_t factor[2] = { 0xD2511F53, 0xCD9E8D57 };
	uint32_t next[4];

	for (int k = 0; k < 2; k++) {
		uint64_t product = factor[!k] * word[2 * !k];

		next[2 * k] = (uint32_t)(product >> 32) ^ word[2 * k + 1] ^
			key[k];
		next[2 * k + 1] = (uint32_t)product;
	}
	for (int k = 0; k < 4; k++)
		word[k] = next[k];
}

/* The low half of the key goes with the first words. */
void fe_philox_block(uint32_t word[4], uint64_t key)
{
	uint32_t half[2] = { (uint32_t)key, (uint32_t)(key >> 32) };

	for (int k = 0; k < 10; k++) {
		do_round(word, half);
		half[0] += 0x9E3779B9;
		half[1] += 0xBB67AE85;
	}
}

/* Four numbers have one counter: its upper half, which streams of their own would
 * have, is 0.
 */
uint32_t fe_philox(uint64_t seed, uint64_t i)
{
	uint32_t word[4] = { (uint32_t)(i / 4), (uint32_t)(i / 4 >> 32) };

	fe_philox_block(word, seed);
	return word[i % 4];
}
