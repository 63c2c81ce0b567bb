/* Check copies of boxes on the host device: where each element of a box lands, that
 * zeros come from outside of the array, and that bytes are counted; boxes that blocks of a
 * cluster send one another; maps of arrays as a launch record has them, and which of these a
 * reader refuses.
 *
 * Array "a" is u16[3][10][72], of which the element (p, r, c) is 1 + (10 p + r) 72 + c.
 * Boxes have 64 columns, and 8 rows of the middle dimension. "b" receives what they
 * find. Its bytes are those of u16[2][5][3][72], too: images of 5 rows of 3 pixels.
 */
#include <stdbool.h>
#include "rt_test.h"
#include "runtime/device/device.h"
#include "runtime/host_abi.h"
#include "runtime/image/image.h"

#define ALL (CETANE_CHECK_BOUNDS | CETANE_CHECK_INIT | CETANE_CHECK_RACE)

enum { P = 3, R = 10, C = 72, ROWS = 8, COLUMNS = 64, ROW = 128 };
enum { SHARED = 4096, BARRIER = SHARED - 8, BOX = ROWS * ROW };

static const char *const site[] = { "a.dsl:1: A", "a.dsl:2: S" };
static struct cetane_rt_op sides[3] = { { CETANE_RT_CONST, 2 },
	{ CETANE_RT_CONST, 5 }, { CETANE_RT_CONST, 3 } };
static struct cetane_rt_op extent[3] = { { CETANE_RT_CONST, P },
	{ CETANE_RT_CONST, R }, { CETANE_RT_SIZE, 0 } };
static struct cetane_rt_size columns = { (char *) "n", false, 0, 0 };
static struct cetane_rt_array images = { (char *) "A", (char *) "u16",
	CETANE_RT_INPUT, 2, 4, { { &sides[0], 1 }, { &sides[1], 1 },
	{ &sides[2], 1 }, { &extent[2], 1 } }, 0, 0, 0, { { NULL, 0 } } };
static struct cetane_rt_array array = { (char *) "A", (char *) "u16",
	CETANE_RT_INPUT, 2, 3, { { &extent[0], 1 }, { &extent[1], 1 },
	{ &extent[2], 1 } }, 0, 0, 0, { { NULL, 0 } } };
static struct cetane_rt_arg map_of_a = { CETANE_RT_ARG_MAP, 0, 1, 1, ROWS, 0, { { 0, 0, 0 } }, 0 };
/* The places of a window along rows, which are two apart and begin a row early, and along
 * the pixels of these, of which the window has two places in front of them.
 */
static struct cetane_rt_arg map_of_images = { CETANE_RT_ARG_MAP, 0, 2, 2, ROWS, 2,
	{ { -1, 3, 2 }, { -2, 4, 1 } }, 0 };
static struct cetane_rt_kernel kernel = { .name = (char *) "k",
	.n = { { &extent[0], 1 }, { &extent[0], 1 } }, .thread = { 1, 1 },
	.cluster = { 1, 1 }, .arg = &map_of_a, .n_arg = 1, .n_map = 1 };
static struct cetane_rt_record record = { .program = (char *) "box",
	.size = &columns, .array = &array, .kernel = &kernel, .n_size = 1,
	.n_array = 1, .n_kernel = 1 };

/* ------------------------------------------------------------------ copies */

/* Which box goes where, and how many bytes are expected. */
static struct {
	int32_t at[6];		/* column, row, plane; or column, pixel, row, image, and how
				 * far off its window is along the two in the middle */
	int to;
	uint32_t bytes;
} box;

static void copy_box(struct cetane_host_thread *t, void **args)
{
	char *shared = t->shared;

	cetane_host_mbarrier_init(t, shared + BARRIER, 1);
	cetane_host_mbarrier_expect(t, shared + BARRIER, box.bytes);
	cetane_host_copy_box(t, shared + box.to, shared + BARRIER, args[0],
		box.at, 1, 0);
	cetane_host_mbarrier_wait(t, shared + BARRIER, 0);
	memcpy(*(void **) args[1], shared + box.to, BOX);
}

/* The element of the box in row "r" and column "c". */
static uint16_t element(int r, int c)
{
	int x[3] = { box.at[0] + c, box.at[1] + r, box.at[2] };

	if (x[0] < 0 || x[0] >= C || x[1] < 0 || x[1] >= R || x[2] < 0 ||
	    x[2] >= P)
		return 0;
	return (uint16_t) (1 + (R * x[2] + x[1]) * C + x[0]);
}

/* Run "code" in a cluster of "blocks" of "threads" threads each, in the order of "seed";
 * it ends with "status", and "text" is in what is found.
 */
static void run(cetane_host_kernel code, unsigned blocks, unsigned threads,
	uint64_t seed, enum cetane_status status, const char *text,
	uint16_t out[BOX / 2])
{
	const struct rt_kernel k = { "boxes", code, 2 };
	const size_t bytes[2] = { CETANE_RT_MAP_BYTES, 8 };
	const struct cetane_rt_shape shape = { .grid = { blocks, 1, 1 },
		.block = { threads, 1, 1 }, .cluster = { blocks, 1 },
		.shared_bytes = SHARED };
	const int64_t size = C;
	struct cetane_device *dev = rt_open(ALL, seed);
	struct cetane_function *fn = rt_function(dev, &k, site, 2);
	unsigned char encoded[CETANE_RT_MAP_BYTES];
	static uint16_t in[P * R * C];
	struct cetane_rt_map map;
	cetane_ptr a, b;
	void *args[2] = { encoded, &b };

	for (int i = 0; i < P * R * C; i++)
		in[i] = (uint16_t) (i + 1);
	OK(cetane_function_set_args(fn, bytes, 2));
	OK(cetane_malloc(dev, sizeof(in), &a));
	OK(cetane_malloc(dev, BOX, &b));
	OK(cetane_copy_to_device(dev, a, in, sizeof(in), NULL));
	OK(cetane_rt_record_map(&record, kernel.arg, &size, a, &map));
	OK(dev->ops->encode(dev, &map, encoded));
	OK(cetane_rt_launch_clusters(fn, &shape, NULL, args));
	assert_int_equal(cetane_stream_synchronize(dev, NULL), status);
	HAS(rt_finding(dev), text);
	if (!*text)
		assert_string_equal(rt_finding(dev), "");
	OK(cetane_copy_from_device(dev, out, b, BOX, NULL));
	OK(cetane_stream_synchronize(dev, NULL));
	cetane_module_unload(*(struct cetane_module **) fn);
	cetane_device_close(dev);
}

static void expect(enum cetane_status status, const char *text,
	uint16_t out[BOX / 2])
{
	run(copy_box, 1, 1, 0, status, text, out);
}

/* Inside, beyond each end, before the first rows, and outside altogether; at places of
 * shared memory where rows begin with different units.
 */
static void test_places(void **state)
{
	static const int32_t at[][3] = { { 0, 0, 0 }, { 0, 2, 1 }, { 64, 4, 1 },
		{ 0, -3, 2 }, { 8, 9, 2 }, { 0, 0, 3 }, { 128, 0, 0 },
		{ -64, 0, 1 } };
	static const int to[] = { 0, ROW, 3 * ROW, 2 * BOX };
	uint16_t out[BOX / 2];

	(void) state;
	box.bytes = BOX;
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		for (size_t k = 0; k < sizeof(to) / sizeof(to[0]); k++) {
			memcpy(box.at, at[i], sizeof(box.at));
			box.to = to[k];
			expect(CETANE_OK, "", out);
			for (int r = 0; r < ROWS; r++)
				for (int c = 0; c < COLUMNS; c++) {
					int unit = c / 8 ^ (box.to / ROW + r) % 8;

					assert_int_equal(element(r, c),
						out[64 * r + 8 * unit + c % 8]);
				}
		}
}

static void test_faults(void **state)
{
	uint16_t out[BOX / 2];

	(void) state;
	memset(box.at, 0, sizeof(box.at));
	box.to = 0;
	box.bytes = BOX - ROW;
	expect(CETANE_DEADLOCK, "wait at barrier for copies", out);
	box.bytes = BOX;
	box.to = 64;
	expect(CETANE_LAUNCH_FAILED, "misaligned copy in kernel boxes", out);
}

/* ------------------------------------------------------------------ pixels */

/* The element of column "c" of the pixel "n" of all, counted from the first image on. */
static uint16_t pixel(int n, int c)
{
	int x = n % 4 - 2 + box.at[4], y = n / 4 % 3 * 2 - 1 + box.at[5], b = n / 12;

	if (x < 0 || x >= 3 || y < 0 || y >= 5 || b < 0 || b >= 2 ||
	    box.at[0] + c >= C)
		return 0;
	return (uint16_t) (1 + ((b * 5 + y) * 3 + x) * C + box.at[0] + c);
}

/* Boxes of 8 of the 12 pixels of an image, from each pixel on and for each place of a
 * window; the last ones lie behind the last image.
 */
static void test_pixels(void **state)
{
	uint16_t out[BOX / 2];

	(void) state;
	kernel.arg = &map_of_images;
	record.array = &images;
	box.bytes = BOX;
	box.to = 0;
	for (int n = 0; n < 25; n += 3)
		for (int place = 0; place < 6; place++) {
			const int32_t at[6] = { place % 2 * 8, n % 4 - 2,
				n / 4 % 3 * 2 - 1, n / 12, place % 3, place / 3 };

			memcpy(box.at, at, sizeof(at));
			expect(CETANE_OK, "", out);
			for (int r = 0; r < ROWS; r++)
				for (int c = 0; c < COLUMNS; c++)
					assert_int_equal(pixel(n + r, c), out[64 * r +
						8 * (c / 8 ^ r) + c % 8]);
		}
	kernel.arg = &map_of_a;
	record.array = &array;
}

/* ---------------------------------------------------------------- clusters */

enum { BLOCKS = 2, TURNS = 3 };

/* What blocks do that send one another boxes: do readers say to all blocks that they have
 * read them, or twice to their own, and when they have?
 */
static struct {
	bool tells_all, tells_late;
	uint32_t bytes;
} role;

/* What a reader finds at byte "at" of its shared memory. */
static uint16_t read_shared(struct cetane_host_thread *t, int at)
{
	char *from = (char *) t->shared + at;

	return cetane_host_check(t, t->shared, from, 2, CETANE_HOST_SHARED, 1) ?
		*(uint16_t *) from : 0;
}

/* Thread 0 sends a box of plane "rank" to the place "rank" of both blocks, row "turn" of it
 * first; thread 1 looks what has come from both.
 */
static void send_boxes(struct cetane_host_thread *t, void **args)
{
	char *full = (char *) t->shared + BARRIER, *vacant = full - 8;
	uint32_t rank = t->ctaid[0];

	if (t->tid[0] == 0) {
		cetane_host_mbarrier_init(t, full, 1);
		cetane_host_mbarrier_init(t, vacant, BLOCKS);
	}
	cetane_host_cluster_sync(t);
	for (int turn = 0; turn < TURNS && t->tid[0] == 0; turn++) {
		const int32_t at[3] = { 0, turn, (int32_t) rank };

		cetane_host_mbarrier_wait(t, vacant, (turn + 1) % 2);
		cetane_host_mbarrier_expect(t, full, role.bytes);
		cetane_host_copy_box_to_all(t, (char *) t->shared + rank * BOX, full,
			args[0], at, 1, 0, BLOCKS);
	}
	for (int turn = 0; turn < TURNS && t->tid[0] == 1; turn++) {
		cetane_host_mbarrier_wait(t, full, turn % 2);
		for (uint32_t r = 0; r < BLOCKS && !role.tells_late; r++)
			cetane_host_mbarrier_arrive_at(t, vacant, r);
		for (uint32_t r = 0; r < BLOCKS; r++)
			(*(uint16_t **) args[1])[(rank * TURNS + (uint32_t) turn) *
				BLOCKS + r] = read_shared(t, (int) r * BOX);
		for (uint32_t r = 0; r < BLOCKS && role.tells_late; r++)
			cetane_host_mbarrier_arrive_at(t, vacant,
				role.tells_all ? r : rank);
	}
	cetane_host_cluster_sync(t);
}

static void test_clusters(void **state)
{
	uint16_t out[BOX / 2];

	(void) state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		role.tells_all = role.tells_late = true;
		role.bytes = BLOCKS * BOX;
		run(send_boxes, BLOCKS, 2, seed, CETANE_OK, "", out);
		for (int i = 0; i < BLOCKS * TURNS * BLOCKS; i++)
			assert_int_equal(out[i], 1 + (R * (i % BLOCKS) +
				i / BLOCKS % TURNS) * C);
		role.tells_late = false;
		run(send_boxes, BLOCKS, 2, seed, CETANE_OK, "shared byte", out);
		role.tells_late = true;
		role.tells_all = false;
		run(send_boxes, BLOCKS, 2, seed, CETANE_OK, "shared byte", out);
		role.tells_all = true;
		role.bytes = BOX;
		run(send_boxes, BLOCKS, 2, seed, CETANE_DEADLOCK, "shared byte", out);
	}
}

/* -------------------------------------------------------------------- maps */

static void test_maps(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_rt_map map;
	int64_t size = 72;
	char bytes[CETANE_RT_MAP_BYTES];

	(void) state;
	OK(cetane_rt_record_map(&record, &map_of_a, &size, 4096, &map));
	assert_int_equal(map.n_dim, 3);
	assert_true(map.size[0] == 72 && map.size[1] == R && map.size[2] == P);
	assert_true(map.stride[1] == 144 && map.stride[2] == 1440);
	assert_true(map.box[0] == 64 && map.box[1] == ROWS && map.box[2] == 1);
	OK(dev->ops->encode(dev, &map, bytes));
	OK(cetane_rt_record_map(&record, &map_of_a, &size, 4104, &map));
	assert_int_equal(dev->ops->encode(dev, &map, bytes),
		CETANE_INVALID_VALUE);
	size = 70;
	OK(cetane_rt_record_map(&record, &map_of_a, &size, 4096, &map));
	assert_int_equal(dev->ops->encode(dev, &map, bytes),
		CETANE_INVALID_VALUE);
	size = 0;
	OK(cetane_rt_record_map(&record, &map_of_a, &size, 4096, &map));
	assert_int_equal(map.size[0], 1);
	cetane_device_close(dev);
}

/* The sizes "p" and "q" are the strides of the array, or would be. */
static struct cetane_rt_size with_strides[3] = { { (char *) "n", false, 0, 0 },
	{ (char *) "p", false, 0, 1 }, { (char *) "q", false, 0, 1 } };

static void refuse_strides(int64_t p, int64_t q, const char *says)
{
	int64_t plain = 72, given[2] = { p, q }, all[3];

	assert_int_equal(cetane_rt_record_sizes(&record, &plain, given, all),
		CETANE_INVALID_VALUE);
	HAS(cetane_last_error(), says);
}

static void test_strides(void **state)
{
	static const int64_t given[][2] = { { 80 * R + 8, 80 }, { 72, 72 * P } };
	int64_t plain = 72, all[3], bytes;
	struct cetane_rt_map map;

	(void) state;
	record.size = with_strides;
	record.n_size = 3;
	OK(cetane_rt_record_sizes(&record, &plain, given[0], all));
	OK(cetane_rt_record_map(&record, &map_of_a, all, 4096, &map));
	assert_true(map.size[0] == 72 && map.stride[1] == 160 &&
		map.stride[2] == 160 * R + 16);
	OK(cetane_rt_record_bytes(&record, 0, all, &bytes));
	assert_int_equal(bytes, 2 * ((P - 1) * (80 * R + 8) + (R - 1) * 80 + 72));
	OK(cetane_rt_record_sizes(&record, &plain, given[1], all));
	OK(cetane_rt_record_bytes(&record, 0, all, &bytes));
	assert_int_equal(bytes, 2 * P * R * 72);
	OK(cetane_rt_record_sizes(&record, &plain, NULL, all));
	assert_true(all[1] == 72 * R && all[2] == 72);
	OK(cetane_rt_record_bytes(&record, 0, all, &bytes));
	assert_int_equal(bytes, 2 * P * R * 72);
	refuse_strides(72 * R, 71, "the pitch of A is 71, not from 72");
	refuse_strides(72 * R - 1, 72, "elements of A overlap");
	refuse_strides(72, 72 * P - 1, "elements of A overlap");
	refuse_strides(71, 72 * P, "stride 0 of A is 71, less than 72");
	record.size = &columns;
	record.n_size = 1;
}

/* Is the record as it is one that can be read back? */
static bool reads_back(void)
{
	struct cetane_rt_image image = { .kind = CETANE_RT_HOST,
		.record = &record }, got;
	struct cetane_rt_record *back = NULL;
	size_t size;
	void *bytes = cetane_rt_image_write(&image, 1, &size);
	int n;
	bool ok;

	assert_non_null(bytes);
	ok = cetane_rt_image_count(bytes, size, &n) == CETANE_OK &&
		cetane_rt_image_get(bytes, size, 0, &got) == CETANE_OK &&
		cetane_rt_record_read(&got, &back) == CETANE_OK;
	if (ok) {
		assert_int_equal(back->kernel[0].n_map, 1);
		assert_memory_equal(&back->kernel[0].arg[0], &map_of_a,
			sizeof(map_of_a));
		cetane_rt_record_free(back);
	}
	free(bytes);
	return ok;
}

static void test_container(void **state)
{
	(void) state;
	assert_true(reads_back());
	map_of_a.across = 2;
	assert_false(reads_back());
	map_of_a.across = 0;
	assert_false(reads_back());
	map_of_a.line = 0;
	assert_true(reads_back());
	map_of_a.across = 1;
	assert_true(reads_back());
	map_of_a.line = 1;
	map_of_a.rows = 0;
	assert_false(reads_back());
	map_of_a.rows = 257;
	assert_false(reads_back());
	map_of_a.rows = ROWS;
	map_of_a.n_walk = 2;
	assert_false(reads_back());
	map_of_a.n_walk = 1;
	assert_false(reads_back());
	map_of_a.walk[0] = (struct cetane_rt_walk) { -3, 4, 2 };
	assert_true(reads_back());
	map_of_a.walk[0].step = 9;
	assert_false(reads_back());
	map_of_a.walk[0] = (struct cetane_rt_walk) { -32769, 4, 2 };
	assert_false(reads_back());
	map_of_a.walk[0] = (struct cetane_rt_walk) { -3, 4, 2 };
	map_of_a.line = 0;
	assert_false(reads_back());
	map_of_a.line = 1;
	map_of_a.n_walk = 0;
	memset(map_of_a.walk, 0, sizeof(map_of_a.walk));
	array.elem_bytes = 6;
	assert_false(reads_back());
	array.elem_bytes = 2;
}

/* Strides belong to arrays of the caller of several dimensions, as many as these but one,
 * and stand behind all other sizes.
 */
static void test_stride_container(void **state)
{
	struct cetane_rt_size *p = &with_strides[1];

	(void) state;
	record.size = with_strides;
	record.n_size = 3;
	assert_true(reads_back());
	p->stride_of = 2;
	assert_false(reads_back());
	p->stride_of = 1;
	p->fixed = true;
	assert_false(reads_back());
	p->fixed = false;
	with_strides[0].stride_of = 1;
	assert_false(reads_back());
	p->stride_of = 0;
	assert_false(reads_back());
	with_strides[0].stride_of = 0;
	assert_false(reads_back());
	p->stride_of = 1;
	array.role = CETANE_RT_TEMP;
	assert_false(reads_back());
	array.role = CETANE_RT_INPUT;
	assert_true(reads_back());
	record.n_size = 2;
	assert_false(reads_back());
	record.size = &columns;
	record.n_size = 1;
}

/* What looks at an array is a kernel that there is, which takes seven numbers, and the
 * array is the caller's.
 */
static void test_look_container(void **state)
{
	struct cetane_rt_arg number[7] = { { .kind = CETANE_RT_ARG_SIZE } };
	struct cetane_rt_kernel both[2] = { kernel, kernel };

	(void) state;
	both[1].arg = number;
	both[1].n_arg = 7;
	both[1].n_map = 0;
	record.kernel = both;
	record.n_kernel = 2;
	array.within[0] = array.within[1] = (struct cetane_rt_formula) { &extent[2], 1 };
	array.look = 2;
	assert_true(reads_back());
	array.role = CETANE_RT_OUTPUT;
	assert_false(reads_back());
	array.role = CETANE_RT_INPUT;
	array.look = 3;
	assert_false(reads_back());
	array.look = 1;
	assert_false(reads_back());
	array.look = 2;
	both[1].n_arg = 6;
	assert_false(reads_back());
	record.kernel = &kernel;
	record.n_kernel = 1;
	array.look = 0;
	assert_true(reads_back());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_pixels),
		cmocka_unit_test(test_clusters),
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_container),
		cmocka_unit_test(test_strides),
		cmocka_unit_test(test_stride_container),
		cmocka_unit_test(test_look_container),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
