/* Numbers that tests of arithmetic try: random ones and special ones. */
#ifndef PICK_NUMBER_H
#define PICK_NUMBER_H

#include <stdint.h>

/* The next 64 random bits of the row that "seed" stands for (splitmix64). */
uint64_t random_bits(uint64_t *seed);

/* Special number "i", below N_SPECIAL: zeros, infinities, NaN, subnormals, powers of two and
 * their neighbours, of either sign.
 */
enum { N_SOME = 12, N_POWER = 19, N_SPECIAL = 2 * (N_SOME + 3 * N_POWER) };
float special(int i);

#endif
