/* Check how many blocks a multiprocessor has room for: against figures that are
 * known, and, where the toolkit's headers are, against its own calculator.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "nvptx/nvptx.h"

static void assert_occupancy(const char *arch, int threads, int registers,
	int shared, int blocks, const char *limit)
{
	const struct nvptx_target *t = nvptx_target_find(arch);
	struct nvptx_occupancy o = nvptx_occupancy(t, threads, registers,
		shared);

	assert_int_equal(o.blocks, blocks);
	assert_int_equal(o.warps, blocks * ((threads + 31) / 32));
	assert_int_equal(o.most_warps, t->threads_sm / 32);
	assert_string_equal(o.limit, limit);
}

static void test_known(void **state)
{
	(void)state;
	assert_occupancy("sm_90a", 256, 32, 0, 8, "threads");
	assert_occupancy("sm_90a", 256, 33, 0, 6, "registers");
	assert_occupancy("sm_90a", 256, 128, 0, 2, "registers");
	assert_occupancy("sm_90a", 256, 129, 0, 1, "registers");
	assert_occupancy("sm_90a", 32, 16, 0, 32, "blocks");
	assert_occupancy("sm_90a", 128, 32, 232448, 1, "shared memory");
	assert_occupancy("sm_90a", 128, 32, 115712, 2, "shared memory");
	assert_occupancy("sm_90a", 128, 32, 115713, 1, "shared memory");
	assert_occupancy("sm_90a", 128, 32, 232449, 0, "shared memory");
	assert_occupancy("sm_86", 256, 32, 0, 6, "threads");
	assert_occupancy("sm_75", 1, 16, 0, 16, "blocks");
	assert_occupancy("sm_75", 64, 16, 32768, 2, "shared memory");
	assert_occupancy("sm_75", 64, 16, 32769, 1, "shared memory");
}

#if defined(__has_include)
#if __has_include(<cuda_occupancy.h>)
#define HAVE_CALCULATOR
#endif
#endif

#ifdef HAVE_CALCULATOR
#include <cuda_occupancy.h>

static int calculate(const struct nvptx_target *t, int threads, int registers,
	int shared)
{
	int system = t->cc < 80 ? 0 : 1024;
	struct cudaOccDeviceProp device = {
		.computeMajor = t->cc / 10, .computeMinor = t->cc % 10,
		.maxThreadsPerBlock = t->threads_block,
		.maxThreadsPerMultiprocessor = t->threads_sm,
		.regsPerBlock = 65536, .regsPerMultiprocessor = 65536,
		.warpSize = 32, .sharedMemPerBlock = 49152,
		.sharedMemPerMultiprocessor = t->shared_block + system,
		.numSms = t->multiprocessors,
		.sharedMemPerBlockOptin = t->shared_block,
		.reservedSharedMemPerBlock = system
	};
	struct cudaOccFuncAttributes kernel = {
		.maxThreadsPerBlock = t->threads_block, .numRegs = registers,
		.maxDynamicSharedSizeBytes = shared,
		.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN
	};
	struct cudaOccDeviceState state = { .carveoutConfig = 100 };
	cudaOccResult result;

	assert_int_equal(cudaOccMaxActiveBlocksPerMultiprocessor(&result,
		&device, &kernel, &state, threads, (size_t)shared),
		CUDA_OCC_SUCCESS);
	return result.activeBlocksPerMultiprocessor;
}

static void test_calculator(void **state)
{
	const struct nvptx_target *t;
	uint64_t r = 1;

	(void)state;
	for (int i = 0; (t = nvptx_target_at(i)); i++)
		for (int k = 0; k < 2000; k++) {
			int threads, registers, shared;

			r = r * 6364136223846793005u + 1442695040888963407u;
			threads = 1 + (int)(r >> 33) % 1024;
			registers = 16 + (int)(r >> 43) % 240;
			shared = k % 3 ? (int)(r >> 40) %
				(t->shared_block + 1) : 0;
			assert_int_equal(nvptx_occupancy(t, threads,
				registers, shared).blocks, calculate(t,
				threads, registers, shared));
		}
}
#else
static void test_calculator(void **state)
{
	(void)state;
	skip();
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_calculator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
