/* Check programs in containers: what a reader makes of any bytes, and which image a
 * device gets.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include "fake_cuda.h"
#include "container.h"

static struct fake_cuda *fake;

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
			assert_int_equal(r->kernel[i].arg[k].offset,
				kernels[i].arg[k].offset);
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
	HAS(cetane_last_error(), "ABI 16, this library knows ABI 15");
	byte[8]--;
	p.abi = CETANE_RT_ABI + 1;
	fake->current = &p;
	assert_int_equal(cetane_program_load(&p), CETANE_BAD_CONTAINER);
	HAS(cetane_last_error(), "the object is of ABI 16");
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
	};
	void *library = dlopen(FAKE_CUDA, RTLD_NOW);

	if (!library)
		return 1;
	fake = dlsym(library, "fake_cuda");
	setenv("CETANE_DRIVER", FAKE_CUDA, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
