/* Run the self-test of NAME on the host device, as the object has it: prints its status
 * and reason. With SAMPLES, the program three is also run with numbers of our own, right
 * ones, wrong ones, and all beginnings of them.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "runtime/program.h"

int SELFTEST(void);

#ifdef SAMPLES
struct cetane_program *three_program(void);

/* y(i) = 3 * i for five elements, of which the first and the last are looked at. */
static void own_samples(void)
{
	int64_t word[] = { 1, 5, 0, -1, 2, 0, 0, 0, 4, 12, 0 };
	enum { N = sizeof(word) / sizeof(word[0]) };

	assert(cetane_program_selftest(three_program(), word, N) == CETANE_OK);
	word[9] = 13;
	assert(cetane_program_selftest(three_program(), word, N) ==
		CETANE_MISMATCH);
	printf("%s\n", cetane_last_error());
	word[9] = 12;
	for (int n = 0; n < N; n++)
		assert(cetane_program_selftest(three_program(), word, n) ==
			CETANE_BAD_CONTAINER);
	word[8] = 5;
	assert(cetane_program_selftest(three_program(), word, N) ==
		CETANE_BAD_CONTAINER);
	word[8] = 4;
	word[4] = INT64_MAX / 2;
	assert(cetane_program_selftest(three_program(), word, N) ==
		CETANE_BAD_CONTAINER);
}
#endif

int main(void)
{
	struct cetane_device *dev;
	int s;

	assert(SELFTEST() != CETANE_OK);	/* no device is in use */
	assert(cetane_device_open("host", &dev) == CETANE_OK);
	assert(cetane_device_use(dev) == CETANE_OK);
	s = SELFTEST();
	printf("%d %s\n", s, s ? cetane_last_error() : "");
#ifdef SAMPLES
	own_samples();
#endif
	cetane_device_close(dev);
	return 0;
}
