/* Check programs in containers: what a reader makes of any bytes, which image
 * a device gets, and what load, launch and unload do, on the host device and
 * on a fake GPU.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include "fake_cuda.h"
#include "rt_test.h"
#include "runtime/image.h"
#include "runtime/program.h"

static struct fake_cuda *fake;

/* ------------------------------------------------------------ a container */

/* B[n,m] from A[n,m], in two kernels with a temporary T[n+1,2]. */
static struct cetane_rt_op op_n[] = { { CETANE_RT_SIZE, 0 } };
static struct cetane_rt_op op_m[] = { { CETANE_RT_SIZE, 1 } };
static struct cetane_rt_op op_n1[] = {
	{ CETANE_RT_SIZE, 0 }, { CETANE_RT_CONST, 1 }, { CETANE_RT_ADD, 0 }
};
static struct cetane_rt_op op_2[] = { { CETANE_RT_CONST, 2 } };
static struct cetane_rt_op op_n32[] = {
	{ CETANE_RT_SIZE, 0 }, { CETANE_RT_CONST, 31 }, { CETANE_RT_ADD, 0 },
	{ CETANE_RT_CONST, 32 }, { CETANE_RT_DIV, 0 }
};
static struct cetane_rt_op op_m16[] = {
	{ CETANE_RT_SIZE, 1 }, { CETANE_RT_CONST, 15 }, { CETANE_RT_ADD, 0 },
	{ CETANE_RT_CONST, 16 }, { CETANE_RT_DIV, 0 }
};
static struct cetane_rt_size sizes[] = {
	{ (char *) "n", false, 0 }, { (char *) "m", false, 0 }
};
static struct cetane_rt_array arrays[] = {
	{ (char *) "A", (char *) "f32", CETANE_RT_INPUT, 4, 2,
		{ { op_n, 1 }, { op_m, 1 } }, 0, 0 },
	{ (char *) "B", (char *) "f32", CETANE_RT_OUTPUT, 4, 2,
		{ { op_n, 1 }, { op_m, 1 } }, 0, 0 },
	{ (char *) "T", (char *) "f64", CETANE_RT_TEMP, 8, 2,
		{ { op_n1, 3 }, { op_2, 1 } }, 0, 0 },
	{ (char *) "U", (char *) "i8", CETANE_RT_TEMP, 1, 1,
		{ { op_m, 1 } }, 0, 0 }
};
static struct cetane_rt_arg arg0[] = { { CETANE_RT_ARG_ARRAY, 0 },
	{ CETANE_RT_ARG_ARRAY, 2 }, { CETANE_RT_ARG_SIZE, 0 } };
static struct cetane_rt_arg arg1[] = { { CETANE_RT_ARG_ARRAY, 2 },
	{ CETANE_RT_ARG_ARRAY, 1 }, { CETANE_RT_ARG_SIZE, 1 } };
static struct cetane_rt_kernel kernels[] = {
	{ (char *) "first", { { op_n32, 5 }, { op_m16, 5 } },
		{ 4, 8 }, { 1, 1 }, 100, 0, arg0, 3 },
	{ (char *) "second", { { op_n, 1 }, { op_m, 1 } },
		{ 1, 1 }, { 1, 1 }, 60000, 0, arg1, 3 }
};
static struct cetane_rt_step steps[] = {
	{ CETANE_RT_LAUNCH, 0, 0, NULL, 0 }, { CETANE_RT_LAUNCH, 1, 0, NULL, 0 }
};
static struct cetane_rt_record record = { (char *) "pair", sizes, arrays,
	kernels, NULL, steps, 2, 4, 2, 0, 2 };

/* What the kernels of the host device were given. */
static struct {
	unsigned grid[3], block[3];
	uint64_t arg[3];
	int calls;
} seen[2];
static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;

static void note(int k, const struct cetane_host_thread *t, void **args)
{
	int i;

	pthread_mutex_lock(&seen_lock);
	memcpy(seen[k].grid, t->nctaid, sizeof(seen[k].grid));
	memcpy(seen[k].block, t->ntid, sizeof(seen[k].block));
	for (i = 0; i < 3; i++)
		memcpy(&seen[k].arg[i], args[i], 8);
	seen[k].calls++;
	pthread_mutex_unlock(&seen_lock);
}

static void first(struct cetane_host_thread *t, void **args)
{
	note(0, t, args);
}

static void second(struct cetane_host_thread *t, void **args)
{
	note(1, t, args);
}

static const cetane_host_kernel entries[] = { first, second };

#define CUBIN(cc, a) { .kind = CETANE_RT_CUBIN, .capability = cc, \
	.specific = a, .ptx = 78, .data = "\177ELF " #cc " " #a, \
	.size = sizeof("\177ELF " #cc " " #a), .record = &record }
#define PTX(cc) { .kind = CETANE_RT_PTX, .capability = cc, .ptx = 78, \
	.data = "ptx " #cc, .size = sizeof("ptx " #cc), .record = &record }
#define HOST { .kind = CETANE_RT_HOST, .record = &record }
static const struct cetane_rt_image images[] = {
	PTX(80), CUBIN(80, 0), CUBIN(90, 1), CUBIN(86, 0), CUBIN(100, 0),
	CUBIN(103, 1), HOST
};
enum { N_IMAGE = sizeof(images) / sizeof(images[0]) };

static void make(struct cetane_program *p, const struct cetane_rt_image *im,
	int n)
{
	size_t size;

	memset(p, 0, sizeof(*p));
	p->abi = CETANE_RT_ABI;
	p->n_kernel = 2;
	p->container = cetane_rt_image_write(im, n, &size);
	assert_non_null(p->container);
	p->size = size;
	p->kernel = entries;
}

static void drop(struct cetane_program *p)
{
	assert_null(p->instance);
	free((void *) (uintptr_t) p->container);
}

/* ---------------------------------------------------------------- reading */

static void assert_formula(const struct cetane_rt_formula *a,
	const struct cetane_rt_formula *b)
{
	int i;

	assert_int_equal(a->n, b->n);
	for (i = 0; i < a->n; i++) {
		assert_int_equal(a->op[i].code, b->op[i].code);
		assert_int_equal(a->op[i].value, b->op[i].value);
	}
}

/* A program whose first kernel has clusters of this shape. */
static void make_clusters(struct cetane_program *p, int cluster0, int cluster1)
{
	int *cluster = kernels[0].cluster;

	cluster[0] = cluster0;
	cluster[1] = cluster1;
	make(p, images, N_IMAGE);
	cluster[0] = cluster[1] = 1;
}

static void test_write_and_read(void **state)
{
	struct cetane_rt_record *r;
	struct cetane_rt_image im;
	struct cetane_program p;
	int i, k, n;

	(void) state;
	make(&p, images, N_IMAGE);
	OK(cetane_rt_image_count(p.container, p.size, &n));
	assert_int_equal(n, N_IMAGE);
	for (i = 0; i < n; i++) {
		OK(cetane_rt_image_get(p.container, p.size, i, &im));
		assert_int_equal(im.kind, images[i].kind);
		assert_int_equal(im.capability, images[i].capability);
		assert_int_equal(im.specific, images[i].specific);
		assert_int_equal(im.ptx, images[i].ptx);
		assert_int_equal(im.size, images[i].size);
		if (im.size)
			assert_memory_equal(im.data, images[i].data, im.size);
	}
	OK(cetane_rt_record_read(&im, &r));
	assert_string_equal(r->program, "pair");
	assert_int_equal(r->n_size, 2);
	assert_string_equal(r->size[1].name, "m");
	assert_int_equal(r->n_array, 4);
	for (i = 0; i < 4; i++) {
		assert_string_equal(r->array[i].name, arrays[i].name);
		assert_string_equal(r->array[i].type, arrays[i].type);
		assert_int_equal(r->array[i].role, arrays[i].role);
		assert_int_equal(r->array[i].elem_bytes, arrays[i].elem_bytes);
		assert_int_equal(r->array[i].n_dim, arrays[i].n_dim);
		for (k = 0; k < arrays[i].n_dim; k++)
			assert_formula(&r->array[i].extent[k],
				&arrays[i].extent[k]);
	}
	assert_int_equal(r->n_kernel, 2);
	for (i = 0; i < 2; i++) {
		assert_string_equal(r->kernel[i].name, kernels[i].name);
		assert_memory_equal(r->kernel[i].thread, kernels[i].thread, 8);
		assert_memory_equal(r->kernel[i].cluster, kernels[i].cluster,
			8);
		assert_int_equal(r->kernel[i].shared_bytes,
			kernels[i].shared_bytes);
		assert_formula(&r->kernel[i].n[0], &kernels[i].n[0]);
		assert_formula(&r->kernel[i].n[1], &kernels[i].n[1]);
		assert_int_equal(r->kernel[i].n_arg, 3);
		for (k = 0; k < 3; k++) {
			assert_int_equal(r->kernel[i].arg[k].kind,
				kernels[i].arg[k].kind);
			assert_int_equal(r->kernel[i].arg[k].index,
				kernels[i].arg[k].index);
		}
	}
	cetane_rt_record_free(r);
	drop(&p);
}

/* Clusters have from 1 to 16 blocks along each axis. */
static void test_read_clusters(void **state)
{
	static const int pair[][2] = { { 2, 1 }, { 1, 16 }, { 3, 5 }, { 0, 1 },
		{ 1, 0 }, { 17, 1 }, { 1, 17 }, { -1, 1 } };
	struct cetane_rt_record *r;
	struct cetane_rt_image im;
	struct cetane_program p;
	int i;

	(void) state;
	for (i = 0; i < 8; i++) {
		make_clusters(&p, pair[i][0], pair[i][1]);
		OK(cetane_rt_image_get(p.container, p.size, 0, &im));
		if (i < 3) {
			OK(cetane_rt_record_read(&im, &r));
			assert_memory_equal(r->kernel[0].cluster, pair[i], 8);
			assert_int_equal(r->kernel[0].shared_bytes, 100);
			assert_int_equal(r->kernel[1].cluster[0], 1);
			cetane_rt_record_free(r);
		} else {
			assert_int_equal(cetane_rt_record_read(&im, &r),
				CETANE_BAD_CONTAINER);
		}
		drop(&p);
	}
}

/* Read all that can be read; false if anything is refused. */
static bool read_all(const void *bytes, size_t size)
{
	const int64_t value[] = { 100, 1000 };
	struct cetane_rt_record *r;
	struct cetane_rt_image im;
	volatile unsigned char sum = 0;
	bool ok = true;
	int64_t total;
	int i, n;
	size_t k;

	if (cetane_rt_image_count(bytes, size, &n) != CETANE_OK)
		return false;
	for (i = 0; i < n; i++) {
		if (cetane_rt_image_get(bytes, size, i, &im) != CETANE_OK)
			return false;
		for (k = 0; k < im.size; k++)
			sum += ((const unsigned char *) im.data)[k];
		if (cetane_rt_record_read(&im, &r) != CETANE_OK) {
			ok = false;
			continue;
		}
		if (r->n_size == 2)
			cetane_rt_record_layout(r, value, NULL, &total);
		cetane_rt_record_free(r);
	}
	return ok;
}

/* The copy has the exact size, so that a sanitizer sees each byte too far. */
static bool read_copy(const void *bytes, size_t size)
{
	void *copy = malloc(size ? size : 1);
	bool ok;

	memcpy(copy, bytes, size);
	ok = read_all(copy, size);
	free(copy);
	return ok;
}

static void test_truncated(void **state)
{
	struct cetane_program p;
	size_t n;

	(void) state;
	make(&p, images, N_IMAGE);
	assert_true(read_copy(p.container, p.size));
	for (n = 0; n < p.size; n++)
		assert_false(read_copy(p.container, n));
	drop(&p);
}

static void test_flipped(void **state)
{
	struct cetane_program p;
	unsigned char *byte;
	size_t n, refused = 0;
	int bit;

	(void) state;
	make(&p, images, N_IMAGE);
	byte = (unsigned char *) (uintptr_t) p.container;
	for (n = 0; n < p.size; n++)
		for (bit = 0; bit < 8; bit++) {
			byte[n] ^= 1 << bit;
			refused += !read_copy(byte, p.size);
			byte[n] ^= 1 << bit;
		}
	assert_true(refused > p.size);
	assert_true(read_copy(p.container, p.size));
	drop(&p);
}

/* Random bytes over a part, and random parts copied elsewhere. */
static void test_scrambled(void **state)
{
	struct cetane_program p;
	unsigned char *copy;
	uint64_t x = 1;
	int i, k;

	(void) state;
	make(&p, images, N_IMAGE);
	copy = malloc(p.size);
	for (i = 0; i < 20000; i++) {
		memcpy(copy, p.container, p.size);
		for (k = 0; k < 1 + i % 7; k++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			copy[(x >> 33) % p.size] = x >> 20;
			copy[(x >> 40) % p.size] = 0xff;
		}
		read_copy(copy, p.size);
	}
	free(copy);
	drop(&p);
}

/* Sizes so large that the end of data or record wraps around. */
static void test_wrapping(void **state)
{
	struct cetane_program p;
	unsigned char *entry, saved[8];
	uint64_t at, wrap;
	int i, k, b;

	(void) state;
	make(&p, images, N_IMAGE);
	for (i = 0; i < N_IMAGE; i++)
		for (k = 16; k <= 32; k += 16) {
			entry = (unsigned char *) (uintptr_t) p.container +
				CETANE_RT_HEADER + i * CETANE_RT_ENTRY + k;
			for (b = 7, at = 0; b >= 0; b--)
				at = at << 8 | entry[b];
			wrap = 1 - at;
			memcpy(saved, entry + 8, 8);
			for (b = 0; b < 8; b++)
				entry[8 + b] = wrap >> 8 * b;
			assert_int_equal(cetane_rt_image_count(p.container,
				p.size, &b), CETANE_BAD_CONTAINER);
			memcpy(entry + 8, saved, 8);
		}
	assert_true(read_copy(p.container, p.size));
	drop(&p);
}

/* The driver reads PTX in place, up to its NUL. */
static void test_open_text(void **state)
{
	struct cetane_rt_image im;
	struct cetane_program p;
	int n;

	(void) state;
	make(&p, images, N_IMAGE);
	OK(cetane_rt_image_get(p.container, p.size, 0, &im));
	((char *) (uintptr_t) im.data)[im.size - 1] = '.';
	assert_int_equal(cetane_rt_image_count(p.container, p.size, &n),
		CETANE_BAD_CONTAINER);
	HAS(cetane_last_error(), "an image is damaged");
	drop(&p);
}

static void test_abi(void **state)
{
	struct cetane_program p;
	unsigned char *byte;
	int n;

	(void) state;
	make(&p, images, N_IMAGE);
	byte = (unsigned char *) (uintptr_t) p.container;
	byte[8]++;
	assert_int_equal(cetane_rt_image_count(byte, p.size, &n),
		CETANE_BAD_CONTAINER);
	HAS(cetane_last_error(), "ABI 7, this library knows ABI 6");
	byte[8]--;
	p.abi = CETANE_RT_ABI + 1;
	fake->current = &p;
	assert_int_equal(cetane_program_load(&p), CETANE_BAD_CONTAINER);
	HAS(cetane_last_error(), "the object is of ABI 7");
	p.abi = CETANE_RT_ABI;
	OK(cetane_program_load(&p));
	OK(cetane_program_unload(&p));
	fake->current = NULL;
	drop(&p);
}

/* ---------------------------------------------------------------- picking */

/* The image for each capability, by the text of its data; NULL for none. */
static const char *best_for(int cc)
{
	if (cc < 80)
		return NULL;
	if (cc < 86)
		return "\177ELF 80 0";
	if (cc < 90)
		return "\177ELF 86 0";
	if (cc == 90)
		return "\177ELF 90 1";
	if (cc >= 100 && cc < 110)
		return cc == 103 ? "\177ELF 103 1" : "\177ELF 100 0";
	return "ptx 80";
}

static void test_pick(void **state)
{
	static const int capability[] = { 75, 80, 86, 87, 89, 90, 100, 101,
		103, 110, 120, 121 };
	struct cetane_rt_image im;
	struct cetane_program p;
	const char *best;
	char text[8];
	size_t i;

	(void) state;
	make(&p, images, N_IMAGE);
	fake->current = &p;
	for (i = 0; i < sizeof(capability) / sizeof(*capability); i++) {
		snprintf(text, sizeof(text), "%d", capability[i]);
		setenv("FAKE_CUDA_CAPABILITY", text, 1);
		best = best_for(capability[i]);
		assert_int_equal(cetane_program_load(&p),
			best ? CETANE_OK : CETANE_NO_IMAGE);
		if (best)
			assert_string_equal(fake->image, best);
		else
			HAS(cetane_last_error(), "capability 7.5; there are: "
				"sm_80 (PTX), sm_80 (cubin), sm_90a (cubin), ");
		OK(cetane_program_unload(&p));
	}
	unsetenv("FAKE_CUDA_CAPABILITY");
	OK(cetane_rt_image_pick(p.container, p.size, 0, &im));
	assert_int_equal(im.kind, CETANE_RT_HOST);
	drop(&p);
	make(&p, images, 2);
	assert_int_equal(cetane_rt_image_pick(p.container, p.size, 0, &im),
		CETANE_NO_IMAGE);
	HAS(cetane_last_error(), "host device; there are: sm_80 (PTX)");
	fake->current = NULL;
	drop(&p);
}

/* ------------------------------------------------------- the host device */

static const int64_t size[] = { 40, 70 };

/* Memory on "dev" for "size". */
static void allocate(struct cetane_device *dev, void **array, void **work)
{
	cetane_ptr at[3];

	for (int i = 0; i < 2; i++)
		OK(cetane_malloc(dev, 40 * 70 * 4, &at[i]));
	OK(cetane_malloc(dev, 1024, &at[2]));
	array[0] = (void *) at[0];
	array[1] = (void *) at[1];
	*work = (void *) at[2];
}

static void test_host(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_program p;
	void *array[2], *work;

	(void) state;
	memset(seen, 0, sizeof(seen));
	make(&p, images, N_IMAGE);
	OK(cetane_device_use(dev));
	allocate(dev, array, &work);
	assert_int_equal(cetane_program_workspace(&p, size), 768 + 256);
	OK(cetane_program_unload(&p));
	OK(cetane_program_load(&p));
	OK(cetane_program_load(&p));
	assert_non_null(p.instance);
	OK(cetane_program_launch(&p, NULL, size, array, work, 1));
	assert_int_equal(seen[0].calls, 0);
	OK(cetane_device_synchronize(dev));
	assert_int_equal(seen[0].calls, 2 * 5 * 32);
	assert_memory_equal(seen[0].grid, ((unsigned[]) { 5, 2, 1 }), 12);
	assert_memory_equal(seen[0].block, ((unsigned[]) { 8, 4, 1 }), 12);
	assert_int_equal(seen[0].arg[0], (uintptr_t) array[0]);
	assert_int_equal(seen[0].arg[1], (uintptr_t) work);
	assert_int_equal(seen[0].arg[2], 40);
	assert_int_equal(seen[1].calls, 40 * 70);
	assert_int_equal(seen[1].arg[1], (uintptr_t) array[1]);
	assert_int_equal(seen[1].arg[2], 70);
	OK(cetane_program_unload(&p));
	assert_null(p.instance);
	OK(cetane_program_unload(&p));
	OK(cetane_program_launch(&p, NULL, size, array, work, 0));
	assert_non_null(p.instance);
	cetane_device_close(dev);
	assert_null(p.instance);
	drop(&p);
}

/* The grid has 2 blocks along y, the first axis of a record, and 5 along x. It must
 * have whole clusters.
 */
static void test_launch_clusters(void **state)
{
	static const int pair[][2] = { { 2, 1 }, { 1, 5 }, { 1, 2 }, { 5, 1 } };
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_program p;
	void *array[2], *work;
	int i;

	(void) state;
	OK(cetane_device_use(dev));
	allocate(dev, array, &work);
	for (i = 0; i < 4; i++) {
		memset(seen, 0, sizeof(seen));
		make_clusters(&p, pair[i][0], pair[i][1]);
		assert_int_equal(cetane_program_launch(&p, NULL, size, array,
			work, 1), i < 2 ? CETANE_OK : CETANE_INVALID_VALUE);
		OK(cetane_device_synchronize(dev));
		assert_int_equal(seen[0].calls, i < 2 ? 2 * 5 * 32 : 0);
		OK(cetane_program_unload(&p));
		drop(&p);
	}
	HAS(cetane_last_error(), "a grid of whole clusters");
	cetane_device_close(dev);
}

static void test_tall_grid(void **state)
{
	const int64_t tall[] = { 65536, 1 };
	struct cetane_program p;
	void *array[2] = { (void *) 64, (void *) 0x200000 };

	(void) state;
	make(&p, images, N_IMAGE);
	fake->current = &p;
	OK(cetane_program_launch(&p, NULL, tall, array, (void *) 0x70000, 0));
	assert_memory_equal(fake->grid, ((unsigned[]) { 1, 65535, 2 }), 12);
	assert_int_equal(fake->max_shared, 60000);
	OK(cetane_program_unload(&p));
	fake->current = NULL;
	drop(&p);
}

/* Sizes of 0 launch nothing; wrong ones are named. */
static void test_sizes(void **state)
{
	static const struct {
		int64_t size[2];
		const char *says;
	} row[] = {
		{ { -1, 3 }, "the size n is -1" },
		{ { 3, INT64_C(1) << 31 }, "the size m is 2147483648" },
		{ { 3, INT64_MIN }, "the size m is -92" },
		{ { INT32_MAX, INT32_MAX }, "A is too large for any memory" }
	};
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_program p;
	void *array[2], *work;
	size_t i;

	(void) state;
	memset(seen, 0, sizeof(seen));
	make(&p, images, N_IMAGE);
	OK(cetane_device_use(dev));
	allocate(dev, array, &work);
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_int_equal(cetane_program_launch(&p, NULL, row[i].size,
			array, work, 1), CETANE_INVALID_VALUE);
		HAS(cetane_last_error(), row[i].says);
	}
	assert_int_equal(cetane_program_workspace(&p, row[0].size), -1);
	HAS(cetane_last_error(), row[0].says);
	OK(cetane_program_launch(&p, NULL, (int64_t[]) { 0, 9 },
		(void *[]) { NULL, NULL }, work, 1));
	OK(cetane_device_synchronize(dev));
	assert_int_equal(seen[0].calls + seen[1].calls, 0);
	cetane_device_close(dev);
	drop(&p);
}

static void test_fixed_size(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	void *array[2] = { (void *) 0x1000, (void *) 0x200000 };
	struct cetane_program p;

	(void) state;
	sizes[1].fixed = true;
	sizes[1].value = 70;
	make(&p, images, N_IMAGE);
	sizes[1].fixed = false;
	OK(cetane_device_use(dev));
	OK(cetane_program_launch(&p, NULL, size, array, (void *) 256, 0));
	assert_int_equal(cetane_program_launch(&p, NULL,
		(int64_t[]) { 40, 71 }, array, (void *) 256, 0),
		CETANE_INVALID_VALUE);
	HAS(cetane_last_error(), "the size m is 71, but was compiled as 70");
	cetane_device_close(dev);
	drop(&p);
}

/* Pointers are looked at before a launch: test_pointers.c has all cases. */
static void test_checked(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_program p;
	void *array[2], *work;

	(void) state;
	make(&p, images, N_IMAGE);
	OK(cetane_device_use(dev));
	allocate(dev, array, &work);
	OK(cetane_program_launch(&p, NULL, size, array, work, 1));
	assert_int_equal(cetane_program_launch(&p, NULL, size, array, NULL, 0),
		CETANE_INVALID_VALUE);
	HAS(cetane_last_error(), "the workspace is NULL, it needs 1024 bytes");
	array[1] = array[0];
	assert_int_equal(cetane_program_launch(&p, NULL, size, array, work, 1),
		CETANE_INVALID_VALUE);
	HAS(cetane_last_error(), "A and B overlap");
	array[1] = (char *) array[0] + 4;
	array[0] = (void *) 0x1000;
	assert_int_equal(cetane_program_launch(&p, NULL, size, array, work, 1),
		CETANE_INVALID_ADDRESS);
	cetane_device_close(dev);
	drop(&p);
}

static void test_wrong_kernels(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_program p;

	(void) state;
	make(&p, images, N_IMAGE);
	p.n_kernel = 1;
	OK(cetane_device_use(dev));
	assert_int_equal(cetane_program_load(&p), CETANE_BAD_CONTAINER);
	HAS(cetane_last_error(), "1 kernels for the host device, its record 2");
	cetane_device_close(dev);
	drop(&p);
}

/* ------------------------------------------------------------- a fake GPU */

static void test_no_context(void **state)
{
	struct cetane_program p;

	(void) state;
	make(&p, images, N_IMAGE);
	assert_int_equal(cetane_program_load(&p), CETANE_NO_CONTEXT);
	HAS(cetane_last_error(), "no current CUDA context");
	drop(&p);
}

/* One instance a context, told apart by address and by number. */
static void test_contexts(void **state)
{
	struct cetane_program p;
	void *array[2] = { (void *) 64, (void *) 0x200000 };
	int context[2], stream;

	(void) state;
	make(&p, images, N_IMAGE);
	fake->current = &context[0];
	fake->context_id = 5;
	OK(cetane_program_load(&p));
	OK(cetane_program_launch(&p, &stream, size, array, (void *) 256, 0));
	assert_ptr_equal(fake->stream, &stream);
	assert_memory_equal(fake->grid, ((unsigned[]) { 70, 40, 1 }), 12);
	assert_int_equal(fake->shared, 60000);
	assert_int_equal(fake->arg0, 256);
	assert_int_equal(fake->modules, 1);
	fake->current = &context[1];
	fake->context_id = 6;
	OK(cetane_program_load(&p));
	assert_int_equal(fake->modules, 2);
	fake->context_id = 7;
	OK(cetane_program_load(&p));
	assert_int_equal(fake->modules, 3);
	OK(cetane_program_unload(&p));
	fake->context_id = 6;
	OK(cetane_program_unload(&p));
	assert_int_equal(fake->modules, 1);
	fake->current = &context[0];
	fake->context_id = 5;
	OK(cetane_program_unload(&p));
	assert_int_equal(fake->modules, 0);
	assert_int_equal(fake->contexts, 0);
	assert_int_equal(fake->pushed, 0);
	fake->current = NULL;
	drop(&p);
}

static void test_capture(void **state)
{
	struct cetane_program p;
	void *array[2] = { (void *) 64, (void *) 0x200000 };
	int stream;

	(void) state;
	make(&p, images, N_IMAGE);
	fake->current = &p;
	fake->capturing = 1;
	assert_int_equal(cetane_program_launch(&p, &stream, size, array,
		(void *) 256, 0), CETANE_NOT_LOADED);
	assert_int_equal(fake->modules, 0);
	OK(cetane_program_load(&p));
	OK(cetane_program_launch(&p, &stream, size, array, (void *) 256, 0));
	fake->capturing = 0;
	OK(cetane_program_unload(&p));
	OK(cetane_program_launch(&p, &stream, size, array, (void *) 256, 0));
	OK(cetane_program_unload(&p));
	fake->current = NULL;
	drop(&p);
}

/* With a device in use, its own context and streams serve. */
static void test_cuda_device(void **state)
{
	struct cetane_program p;
	void *array[2], *work;
	struct cetane_stream *stream;
	struct cetane_device *dev;

	(void) state;
	make(&p, images, N_IMAGE);
	OK(cetane_device_open("cuda", &dev));
	OK(cetane_stream_create(dev, &stream));
	OK(cetane_device_use(dev));
	allocate(dev, array, &work);
	OK(cetane_program_launch(&p, stream, size, array, work, 1));
	assert_non_null(fake->stream);
	assert_int_equal(fake->modules, 1);
	cetane_stream_destroy(stream);
	cetane_device_close(dev);
	assert_int_equal(fake->modules, 0);
	assert_int_equal(fake->contexts, 0);
	assert_int_equal(cetane_program_load(&p), CETANE_NO_CONTEXT);
	drop(&p);
}

/* ----------------------------------------------------------------- memory */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t one);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t one);

/* The request for memory that is refused, counted down; 0: none. */
static int refused;

void *__wrap_malloc(size_t n)
{
	return refused && --refused == 0 ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t one)
{
	return refused && --refused == 0 ? NULL : __real_calloc(n, one);
}

/* Load, ask for the workspace and launch; the next attempt always works. */
static void test_no_memory(void **state)
{
	void *array[2], *work;
	struct cetane_device *dev = rt_open(0, 0);
	int s = CETANE_OUT_OF_MEMORY, k;
	struct cetane_program p;

	(void) state;
	make(&p, images, N_IMAGE);
	OK(cetane_device_use(dev));
	allocate(dev, array, &work);
	for (k = 1; s != CETANE_OK; k++) {
		refused = k;
		s = cetane_program_workspace(&p, size) < 0 ?
			CETANE_OUT_OF_MEMORY : cetane_program_launch(&p, NULL,
				size, array, work, 1);
		if (s != CETANE_OK) {
			assert_int_equal(s, CETANE_OUT_OF_MEMORY);
			HAS(cetane_last_error(), "out of memory");
		}
		refused = 0;
		OK(cetane_device_synchronize(dev));
		OK(cetane_program_unload(&p));
		assert_null(p.instance);
		assert_true(k < 1000);
	}
	assert_true(k > 50);
	OK(cetane_program_launch(&p, NULL, size, array, work, 1));
	cetane_device_close(dev);
	drop(&p);
}

/* ---------------------------------------------------------------- threads */

static void *load_and_launch(void *user)
{
	void *array[2] = { (void *) 0x1000, (void *) 0x200000 };
	struct cetane_program *p = user;
	struct cetane_device *dev;
	int i;

	if (cetane_device_open("host", &dev) ||
		cetane_device_use(dev))
		return user;
	for (i = 0; i < 50; i++)
		if (cetane_program_load(p) ||
			cetane_program_launch(p, NULL, (int64_t[]) { 2, 2 },
				array, (void *) 256, 0) ||
			cetane_device_synchronize(dev) ||
			(i % 3 == 0 && cetane_program_unload(p)))
			return user;
	cetane_device_close(dev);
	return NULL;
}

static void *launch_shared(void *user)
{
	void *array[2] = { (void *) 0x1000, (void *) 0x200000 };
	struct cetane_program *p = ((void **) user)[0];
	int i;

	cetane_device_use(((void **) user)[1]);
	for (i = 0; i < 50; i++)
		if (cetane_program_launch(p, NULL, (int64_t[]) { 0, 2 },
				array, (void *) 256, 0) ||
			cetane_program_unload(p))
			return user;
	return NULL;
}

static void join_all(void *(*fn)(void *), void *user)
{
	pthread_t thread[8];
	void *result;
	int i;

	for (i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, fn, user), 0);
	for (i = 0; i < 8; i++) {
		pthread_join(thread[i], &result);
		assert_null(result);
	}
}

static void test_threads(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_program p;
	void *both[2] = { &p, dev };

	(void) state;
	make(&p, images, N_IMAGE);
	join_all(load_and_launch, &p);
	assert_null(p.instance);
	join_all(launch_shared, both);
	cetane_device_close(dev);
	drop(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write_and_read),
		cmocka_unit_test(test_read_clusters),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_flipped),
		cmocka_unit_test(test_scrambled),
		cmocka_unit_test(test_wrapping),
		cmocka_unit_test(test_open_text),
		cmocka_unit_test(test_abi),
		cmocka_unit_test(test_pick),
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_launch_clusters),
		cmocka_unit_test(test_tall_grid),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_fixed_size),
		cmocka_unit_test(test_checked),
		cmocka_unit_test(test_wrong_kernels),
		cmocka_unit_test(test_no_context),
		cmocka_unit_test(test_contexts),
		cmocka_unit_test(test_capture),
		cmocka_unit_test(test_cuda_device),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_threads)
	};
	void *library = dlopen(FAKE_CUDA, RTLD_NOW);

	if (!library)
		return 1;
	fake = dlsym(library, "fake_cuda");
	setenv("CETANE_DRIVER", FAKE_CUDA, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
