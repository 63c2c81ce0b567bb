/* Check that 100,000 launches in one process need no more memory than 1,000,
 * within 1 MiB, nor more files: on the host device and on the fake GPU.
 */
#include <dirent.h>
#include <stdio.h>
#include "pair.h"
#include "rt_test.h"

enum { WARM = 1000, LAUNCHES = 100000, MOST = 1 << 20 };

static const struct pair_image images[] = { { 90, false, false },
	{ 0, false, false } };

/* What the programs are given. */
static struct {
	int32_t *a, *b;
	void *work;
} at;

/* Bytes of this process that are in memory; the kernel counts those of statm
 * for each processor, and so not exactly.
 */
static long resident(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	long kib = 0;

	assert_non_null(f);
	while (!kib && fgets(line, sizeof(line), f))
		sscanf(line, "Rss: %ld kB", &kib);
	fclose(f);
	assert_true(kib > 0);
	return kib * 1024;
}

static int open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Launch "n" times, for one element, on "stream" of "dev"; of the current
 * context if that is NULL. Waits after each, because work piles up until
 * someone does.
 */
static void launch(struct cetane_program *p, struct cetane_device *dev,
	struct cetane_stream *stream, int n)
{
	const int64_t size = 1;
	void *array[2] = { at.a, at.b };
	int i;

	for (i = 0; i < n; i++) {
		at.a[0] = i;
		OK(cetane_program_launch(p, stream, &size, array, at.work,
			i % 2));
		if (dev)
			OK(cetane_stream_synchronize(dev, stream));
		assert_int_equal(at.b[0], 2 * (i + 1));
	}
}

static void check(struct cetane_program *p, struct cetane_device *dev,
	struct cetane_stream *stream)
{
	long before, growth;
	int files;

	launch(p, dev, stream, WARM);
	files = open_files();
	before = resident();
	launch(p, dev, stream, LAUNCHES);
	growth = resident() - before;
	print_message("%d launches: %ld bytes more\n", LAUNCHES, growth);
	assert_int_equal(open_files(), files);
	if (!RT_SANITIZED)
		assert_true(growth < MOST);
}

static void test_fake(void **state)
{
	static _Alignas(256) char work[256];
	static int32_t a, b;
	struct cetane_program p;

	(void) state;
	at.a = &a;
	at.b = &b;
	at.work = work;
	pair_make(&p, images, 2);
	setenv("FAKE_CUDA_CAPABILITY", "90", 1);
	pair_fake->current = &a;
	check(&p, NULL, NULL);
	OK(cetane_program_unload(&p));
	pair_fake->current = NULL;
	pair_drop(&p);
}

/* "size" bytes of "dev", which are memory of the process. */
static void *allocate(struct cetane_device *dev, size_t size)
{
	cetane_ptr p;

	OK(cetane_malloc(dev, size, &p));
	return (void *) (uintptr_t) p;
}

static void test_host(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_stream *stream;
	struct cetane_program p;

	(void) state;
	pair_make(&p, &images[1], 1);
	OK(cetane_device_use(dev));
	OK(cetane_stream_create(dev, &stream));
	at.a = allocate(dev, sizeof(*at.a));
	at.b = allocate(dev, sizeof(*at.b));
	at.work = allocate(dev, 256);
	check(&p, dev, stream);
	cetane_stream_destroy(stream);
	cetane_device_close(dev);
	pair_drop(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fake),
		cmocka_unit_test(test_host)
	};

	if (!pair_open(FAKE_CUDA))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
