/* Let each call of the driver fail, in scenes of a program's life, with eight
 * results, once or for good. Whatever fails: the caller gets the right status
 * and text, what the call would have written is untouched, nothing stays
 * behind, and the same scene then works.
 */
#include <stdio.h>
#include "pair.h"
#include "rt_test.h"
#include "scenes.h"

/* ---------------------------------------------------------------- results */

static const struct {
	int result;
	enum cetane_status status;
	bool lasts;	/* a context with it is lost */
} results[] = {
	{ 1, CETANE_INVALID_VALUE, false },
	{ 2, CETANE_OUT_OF_MEMORY, false },
	{ 100, CETANE_NO_DEVICE, false },
	{ 214, CETANE_DEVICE_LOST, true },	/* ECC */
	{ 222, CETANE_INVALID_IMAGE, false },	/* unsupported PTX version */
	{ 600, CETANE_NOT_READY, false },
	{ 700, CETANE_LAUNCH_FAILED, true },	/* illegal address */
	{ 702, CETANE_LAUNCH_FAILED, true }	/* launch timeout */
};
enum { N_RESULT = sizeof(results) / sizeof(results[0]) };

/* The entry points; those that a sweep has let fail. */
static const char *const entry[] = {
#define DRIVER(name, symbol, params) #symbol,
#define OPTIONAL(name, symbol, params) #symbol,
#include "runtime/cuda/driver.def"
#undef DRIVER
#undef OPTIONAL
};
enum { N_ENTRY = sizeof(entry) / sizeof(entry[0]) };
static bool failed[N_ENTRY];

static int n_runs;

/* The fake driver's names lack the version. */
static void note_failed(const char *name)
{
	size_t len = strlen(name);
	int i;

	for (i = 0; i < N_ENTRY; i++)
		if (strncmp(entry[i], name, len) == 0 &&
			(entry[i][len] == '\0' || entry[i][len] == '_'))
			failed[i] = true;
}

/* Calls whose failure changes nothing for the caller. */
static bool is_quiet(const char *name)
{
	static const char *const quiet[] = { "cuCtxPopCurrent",
		"cuStreamDestroy", "cuEventDestroy",
		"cuDevicePrimaryCtxRelease" };
	size_t i;

	for (i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++)
		if (strcmp(quiet[i], name) == 0)
			return true;
	return false;
}

static enum cetane_status expected(int r, const char *name)
{
	if (results[r].result == 1 && strcmp(name, "cuFuncSetAttribute") == 0)
		return CETANE_OUT_OF_RESOURCES;
	return results[r].status;
}

/* ------------------------------------------------------------------- runs */

static const struct pair_image images[] = { { 90, false, false },
	{ 80, false, true }, { 0, false, false } };

static void prepare(struct world *w)
{
	int i;

	memset(w, 0, sizeof(*w));
	pair_make(&w->p, images, 3);
	pair_fake->orphans = 0;
	for (i = 0; i < PAIR_N; i++)
		w->a[i] = 3 * i - 20;
}

static void set_script(int at, int result, bool sticky)
{
	pair_fake->fail_at = at;
	pair_fake->result = result;
	pair_fake->sticky = sticky;
	pair_fake->last = NULL;
	pair_fake->capturing = 0;
}

static void give_back(struct world *w)
{
	int i;

	pair_fake->capturing = 0;
	for (i = 0; i < 2; i++) {
		scene_enter(w, i);
		cetane_device_use(NULL);
		cetane_program_unload(&w->p);
	}
	scene_enter(w, -1);
	if (w->dev) {
		cetane_free(w->dev, w->a_at);
		cetane_free(w->dev, w->b_at);
		cetane_free(w->dev, w->work_at);
		scene_drop_work(w);
		cetane_module_unload(w->mod);
		cetane_device_close(w->dev);
	}
	assert_null(w->p.instance);
	pair_drop(&w->p);
}

/* Nothing but "left" objects stayed in contexts. */
static void assert_left(struct world *w, int left)
{
	int n = pair_fake->end_context(&w->context[0]) +
		pair_fake->end_context(&w->context[1]) + pair_fake->orphans;

	assert_int_equal(n, left);
	assert_int_equal(pair_fake->contexts, 0);
	assert_int_equal(pair_fake->pushed, 0);
	assert_int_equal(pair_fake->modules, 0);
	assert_int_equal(pair_fake->allocations, 0);
	assert_int_equal(pair_fake->streams, 0);
	assert_int_equal(pair_fake->events, 0);
	assert_int_equal(pair_fake->no_context, 0);
	assert_int_equal(pair_fake->misused, 0);
}

/* The status "s" of a scene and its text are those of the failed call. */
static void assert_told(int s, int r, const char *name, bool sticky)
{
	char number[16];

	if (s == CETANE_OK) {
		assert_true(is_quiet(name) ||
			strcmp(name, "cuCtxPushCurrent") == 0);
		return;
	}
	if (sticky && is_quiet(name))
		return;
	assert_int_equal(s, expected(r, name));
	snprintf(number, sizeof(number), "(%d)", results[r].result);
	HAS(cetane_last_error(), name);
	HAS(cetane_last_error(), number);
}

static void run_again(int scene)
{
	struct world w;

	prepare(&w);
	set_script(0, 0, false);
	OK(scenes[scene].run(&w));
	give_back(&w);
	assert_left(&w, 0);
}

/* Run the scene with the k-th call failing; false if there are fewer. What
 * cannot be destroyed, because its context cannot be entered, is left there.
 */
static bool run(int scene, int r, int k, bool sticky)
{
	struct world w;
	const char *name;
	bool cut_off;
	int s;

	prepare(&w);
	set_script(k, results[r].result, sticky);
	s = scenes[scene].run(&w);
	name = pair_fake->last;
	if (name) {
		assert_told(s, r, name, sticky);
		note_failed(name);
		n_runs++;
	} else {
		OK(s);
	}
	cut_off = name && strcmp(name, "cuCtxPushCurrent") == 0 &&
		(s == CETANE_OK || w.destroying);
	set_script(0, 0, false);
	give_back(&w);
	assert_left(&w, cut_off);
	run_again(scene);
	return name != NULL;
}

/* ------------------------------------------------------------------ tests */

/* The driver is initialised once, so this comes first. */
static void test_init(void **state)
{
	struct world w;
	int r, n;

	(void) state;
	prepare(&w);
	for (r = 0; r < N_RESULT; r++) {
		set_script(0, results[r].result, false);
		pair_fake->fail_name = "cuInit";
		scene_enter(&w, 0);
		assert_int_equal(cetane_program_load(&w.p), results[r].status);
		HAS(cetane_last_error(), "cuInit: FAKE_ERROR");
		assert_int_equal(cetane_program_unload(&w.p),
			results[r].status);
		assert_int_equal(scene_launch(&w, false), results[r].status);
		assert_int_equal(cetane_device_open("cuda", &w.dev),
			results[r].status);
		assert_int_equal(cetane_cuda_count(&n), results[r].status);
		pair_fake->fail_name = NULL;
		n_runs++;
	}
	note_failed("cuInit");
	give_back(&w);
	assert_left(&w, 0);
}

/* A driver without words for its errors. */
static void test_texts(void **state)
{
	static const char *const mute[] = { "cuGetErrorName",
		"cuGetErrorString" };
	struct cetane_device *dev = NULL;
	int i;

	(void) state;
	for (i = 0; i < 2; i++) {
		set_script(0, 2, false);
		pair_fake->fail_name = mute[i];
		assert_int_equal(cetane_device_open("cuda:9", &dev),
			CETANE_NO_DEVICE);
		assert_null(dev);
		pair_fake->fail_name = NULL;
		HAS(cetane_last_error(), i ?
			"cuDeviceGet: FAKE_ERROR (101): there is no such" :
			"cuDeviceGet: unknown error (101): the script says");
		note_failed(mute[i]);
	}
}

static void sweep(bool sticky)
{
	int scene, r, k, most = 0;

	setenv("FAKE_CUDA_CAPABILITY", "90", 1);
	for (scene = 0; scene < N_SCENE; scene++)
		for (r = 0; r < N_RESULT; r++) {
			if (sticky && !results[r].lasts)
				continue;
			for (k = 1; run(scene, r, k, sticky); k++)
				assert_true(k < 1000);
			if (k > most)
				most = k;
		}
	assert_true(most > 50);
	unsetenv("FAKE_CUDA_CAPABILITY");
}

static void test_once(void **state)
{
	(void) state;
	sweep(false);
}

static void test_for_good(void **state)
{
	(void) state;
	sweep(true);
}

/* No entry point was spared, and the sweep was not cut short. */
static void test_counts(void **state)
{
	int i;

	(void) state;
	for (i = 0; i < N_ENTRY; i++)
		if (!failed[i])
			fail_msg("%s never failed", entry[i]);
	print_message("%d runs\n", n_runs);
	assert_true(n_runs >= 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_for_good),
		cmocka_unit_test(test_counts)
	};

	if (!pair_open(FAKE_CUDA))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
