/* The names of random numbers: rows of random.def. */
#include <string.h>

#include "frontend/base/base.h"

static const char *const names[FE_N_RANDOM] = {
#define RANDOM(id, name) name,
#include "frontend/base/random.def"
#undef RANDOM
};

enum fe_random fe_random_find(const char *name, size_t len)
{
	int k;

	for (k = 0; k < FE_N_RANDOM; k++)
		if (strlen(names[k]) == len && !memcmp(names[k], name, len))
			break;
	return (enum fe_random)k;
}
