/* Check what is said of the pointers that a program is given: every order of
 * inputs and outputs that overlap or do not, against sets of bytes; memory that is
 * too small, foreign or mapped in pieces, on the host device and on a fake GPU.
 */
#include <dlfcn.h>
#include <stdio.h>
#include "fake_cuda.h"
#include "rt_test.h"
#include "runtime/object/call.h"

enum { N_ARRAY = 3, N = 16, BYTES = 4 * N, WORK = 256, SPAN = 1024 };

static struct fake_cuda *fake;

/* Arrays A, B, C of N numbers. */
static struct cetane_rt_op op_n[] = { { CETANE_RT_SIZE, 0 } };
static struct cetane_rt_size sizes[] = { { (char *) "n", false, 0, 0 } };
static struct cetane_rt_array arrays[N_ARRAY];
static struct cetane_rt_record record = { .program = (char *) "p",
	.size = sizes, .array = arrays, .n_size = 1, .n_array = N_ARRAY };
static const int64_t size[] = { N };

static void give_roles(int roles)
{
	static const int role[] = { CETANE_RT_INPUT, CETANE_RT_OUTPUT,
		CETANE_RT_INOUT };
	static char *const name[N_ARRAY] = { (char *) "A", (char *) "B",
		(char *) "C" };

	for (int i = 0; i < N_ARRAY; i++, roles /= 3)
		arrays[i] = (struct cetane_rt_array) { .name = name[i],
			.type = (char *) "f32", .role = role[roles % 3],
			.elem_bytes = 4, .n_dim = 1,
			.extent = { { op_n, 1 } } };
}

/* ---------------------------------------------------------------- overlaps */

/* Does a byte belong to two of the ranges, one of which is written? */
static bool shares(void *const *array, const char *work, const char *base)
{
	for (const char *at = base; at < base + SPAN; at++) {
		bool in_work = at >= work && at < work + WORK;
		int n = in_work, written = in_work;

		for (int i = 0; i < N_ARRAY; i++)
			for (int k = 0; k < BYTES; k++)
				if ((const char *) array[i] + k == at) {
					n++;
					written += arrays[i].role !=
						CETANE_RT_INPUT;
				}
		if (n > 1 && written)
			return true;
	}
	return false;
}

static unsigned draw(unsigned below)
{
	static uint64_t x = 1;

	x = x * 6364136223846793005u + 1442695040888963407u;
	return (unsigned) (x >> 40) % below;
}

/* All roles in all orders; each row is placed at random. */
static void test_overlaps(void **state)
{
	static _Alignas(256) char base[SPAN];
	int n[2] = { 0, 0 };

	(void) state;
	for (int roles = 0; roles < 27; roles++)
		for (int k = 0; k < 40; k++) {
			void *array[N_ARRAY];
			char *work = base + WORK * draw(2);
			bool bad;

			give_roles(roles);
			for (int i = 0; i < N_ARRAY; i++)
				array[i] = base + 4 * draw((SPAN - BYTES) / 4);
			bad = shares(array, work, base);
			n[bad]++;
			assert_int_equal(cetane_rt_check_pointers(&record, NULL,
				size, array, work, WORK, NULL), bad ?
				CETANE_INVALID_VALUE : CETANE_OK);
			if (bad)
				HAS(cetane_last_error(), " overlap");
		}
	assert_true(n[0] > 100 && n[1] > 100);
}

/* Two arrays, in both orders of declaration and of addresses. */
static void test_pairs(void **state)
{
	static _Alignas(256) char base[SPAN];
	static const int shift[] = { 4 - BYTES, -4, 0, 4, BYTES - 4 };
	static const int apart[] = { -BYTES, BYTES };
	const int n_shift = sizeof(shift) / sizeof(shift[0]);

	(void) state;
	for (int roles = 0; roles < 27; roles++)
		for (int p = 0; p < 3; p++)
			for (int s = 0; s < n_shift + 2; s++) {
				int i = p == 2, k = p ? 2 : 1;
				bool near = s < n_shift, bad;
				void *array[N_ARRAY];

				give_roles(roles);
				array[3 - i - k] = base + SPAN - BYTES;
				array[i] = base + 256;
				array[k] = base + 256 + (near ? shift[s] :
					apart[s - n_shift]);
				bad = near && (arrays[i].role !=
					CETANE_RT_INPUT || arrays[k].role !=
					CETANE_RT_INPUT);
				assert_int_equal(cetane_rt_check_pointers(
					&record, NULL, size, array, NULL, 0, NULL),
					bad ? CETANE_INVALID_VALUE :
					CETANE_OK);
			}
}

static void test_null_and_alignment(void **state)
{
	static _Alignas(256) char base[SPAN];
	static const struct {
		int at;		/* of A; -1: NULL, -2: the last bytes there are */
		int work;
		const char *says;
	} row[] = {
		{ -1, 256, "A is NULL, it needs 64 bytes" },
		{ 2, 256, "A is not aligned to 4 bytes" },
		{ 0, 257, "the workspace is not aligned to 256 bytes" },
		{ 0, 384, "the workspace is not aligned to 256 bytes" },
		{ -2, 256, "A ends behind the last address" }
	};

	(void) state;
	give_roles(0);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		void *array[N_ARRAY] = { base + row[i].at, base + 64,
			base + 128 };

		if (row[i].at < 0)
			array[0] = row[i].at == -1 ? NULL : (void *) -4;
		assert_int_equal(cetane_rt_check_pointers(&record, NULL, size,
			array, base + row[i].work, WORK, NULL), CETANE_INVALID_VALUE);
		HAS(cetane_last_error(), row[i].says);
	}
}

/* ------------------------------------------------------------------- sizes */

/* The three arrays and the workspace, of which "short_one" lacks "less" bytes;
 * what is said of them.
 */
static enum cetane_status check_short(struct cetane_device *dev, int short_one,
	size_t less)
{
	cetane_ptr at[N_ARRAY + 1];
	void *array[N_ARRAY];
	enum cetane_status s;

	for (int i = 0; i <= N_ARRAY; i++)
		OK(cetane_malloc(dev, (i == N_ARRAY ? WORK : BYTES) -
			(i == short_one ? less : 0), &at[i]));
	for (int i = 0; i < N_ARRAY; i++)
		array[i] = (void *) (uintptr_t) at[i];
	s = cetane_rt_check_pointers(&record, dev, size, array,
		(void *) (uintptr_t) at[N_ARRAY], WORK, NULL);
	for (int i = 0; i <= N_ARRAY; i++)
		OK(cetane_free(dev, at[i]));
	return s;
}

static void check_sizes(struct cetane_device *dev)
{
	static const size_t less[] = { 1, 4, BYTES / 2, BYTES - 1 };
	static const char *const name[] = { "A", "B", "C", "the workspace" };
	char says[64];

	OK(check_short(dev, -1, 0));
	for (int i = 0; i <= N_ARRAY; i++)
		for (int k = 0; k < 4; k++) {
			int has = i == N_ARRAY ? WORK : BYTES;

			assert_int_equal(check_short(dev, i, less[k]),
				CETANE_INVALID_VALUE);
			snprintf(says, sizeof(says), "%s has %d bytes, it "
				"needs %d", name[i], has - (int) less[k], has);
			HAS(cetane_last_error(), says);
		}
}

/* A begins within an allocation, near its end, at its end, or in none. */
static void check_places(struct cetane_device *dev)
{
	static const struct {
		int at;
		enum cetane_status status;
	} row[] = {
		{ 0, CETANE_OK }, { BYTES, CETANE_OK },
		{ BYTES + 4, CETANE_INVALID_VALUE },
		{ 2 * BYTES - 4, CETANE_INVALID_VALUE },
		{ 2 * BYTES, CETANE_INVALID_ADDRESS }
	};
	cetane_ptr one, two;
	int local[N];

	OK(cetane_malloc(dev, 2 * BYTES, &one));
	OK(cetane_malloc(dev, 2 * BYTES, &two));
	for (size_t i = 0; i <= sizeof(row) / sizeof(row[0]); i++) {
		bool is_local = i == sizeof(row) / sizeof(row[0]);
		void *array[N_ARRAY] = {
			is_local ? local : (void *) (one + (uintptr_t) row[i].at),
			(void *) two, (void *) (two + BYTES)
		};

		assert_int_equal(cetane_rt_check_pointers(&record, dev, size,
			array, NULL, 0, NULL), is_local ? CETANE_INVALID_ADDRESS :
			row[i].status);
	}
	HAS(cetane_last_error(), "A is not in memory that was allocated");
	OK(cetane_free(dev, one));
	OK(cetane_free(dev, two));
}

static void test_host(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);

	(void) state;
	give_roles(0);
	check_sizes(dev);
	check_places(dev);
	cetane_device_close(dev);
}

static void test_cuda(void **state)
{
	static const size_t page[] = { 0, 1, 16, 24, BYTES };
	struct cetane_device *dev;

	(void) state;
	give_roles(0);
	OK(cetane_device_open("cuda", &dev));
	for (size_t i = 0; i < sizeof(page) / sizeof(page[0]); i++) {
		fake->page = page[i];
		check_sizes(dev);
		check_places(dev);
	}
	fake->page = 0;
	fake->fail_name = "cuMemGetAddressRange";
	fake->result = 719;
	assert_int_equal(check_short(dev, -1, 0), CETANE_LAUNCH_FAILED);
	fake->fail_name = NULL;
	cetane_device_close(dev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_null_and_alignment),
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_cuda)
	};
	void *library = dlopen(FAKE_CUDA, RTLD_NOW);

	if (!library)
		return 1;
	fake = dlsym(library, "fake_cuda");
	setenv("CETANE_DRIVER", FAKE_CUDA, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
