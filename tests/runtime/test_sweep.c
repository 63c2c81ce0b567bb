/* Let each call of the driver fail, in scenes of a program's life, with eight
 * results, once or for good. Whatever fails: the caller gets the right status
 * and text, what the call would have written is untouched, nothing stays
 * behind, and the same scene then works.
 */
#include <stdio.h>
#include "pair.h"
#include "rt_test.h"
#include "runtime/device/device.h"

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

/* ------------------------------------------------------------------ scenes */

/* What a scene works on. Addresses of "context" are contexts. */
struct world {
	struct cetane_program p;
	char context[2];
	struct cetane_device *dev;
	struct cetane_module *mod;
	struct cetane_stream *stream;
	struct cetane_event *event[2];
	cetane_ptr a_at, b_at, work_at;
	int32_t a[PAIR_N], b[PAIR_N];
	_Alignas(256) char work[256];
	bool destroying;	/* in a call that destroys and may say so */
};

#define STEP(call) \
	do { \
		int step_status = (call); \
		if (step_status) \
			return step_status; \
	} while (0)

#define DESTROY(w, call) \
	do { \
		(w)->destroying = true; \
		STEP(call); \
		(w)->destroying = false; \
	} while (0)

static void assert_result(const struct world *w, bool computed)
{
	int i;

	for (i = 0; i < PAIR_N; i++)
		assert_int_equal(w->b[i], computed ? 2 * (w->a[i] + 1) : -7);
}

/* Launch in the current context; B is computed, or as before. */
static int launch(struct world *w, bool checked)
{
	int i, s;

	for (i = 0; i < PAIR_N; i++)
		w->b[i] = -7;
	s = pair_launch(&w->p, NULL, w->a, w->b, w->work, checked);
	assert_result(w, s == CETANE_OK);
	return s;
}

static void enter(struct world *w, int i)
{
	pair_fake->current = i < 0 ? NULL : &w->context[i];
}

static int load_only(struct world *w)
{
	enter(w, 0);
	STEP(cetane_program_load(&w->p));
	return CETANE_OK;
}

static int load_and_launch(struct world *w)
{
	enter(w, 0);
	STEP(cetane_program_load(&w->p));
	STEP(launch(w, false));
	STEP(launch(w, false));
	DESTROY(w, cetane_program_unload(&w->p));
	return CETANE_OK;
}

static int two_contexts(struct world *w)
{
	int i;

	for (i = 0; i < 2; i++) {
		enter(w, i);
		STEP(launch(w, false));
	}
	assert_int_equal(pair_fake->modules, 2);
	for (i = 0; i < 2; i++) {
		enter(w, i);
		STEP(launch(w, false));
		DESTROY(w, cetane_program_unload(&w->p));
	}
	return CETANE_OK;
}

static int capture(struct world *w)
{
	int s;

	enter(w, 0);
	pair_fake->capturing = 1;
	s = launch(w, false);
	assert_int_equal(pair_fake->modules, 0);
	if (s != CETANE_NOT_LOADED)
		return s;
	pair_fake->capturing = 0;
	STEP(cetane_program_load(&w->p));
	pair_fake->capturing = 1;
	STEP(launch(w, false));
	pair_fake->capturing = 0;
	DESTROY(w, cetane_program_unload(&w->p));
	STEP(launch(w, false));
	return CETANE_OK;
}

static int reload(struct world *w)
{
	enter(w, 0);
	STEP(cetane_program_load(&w->p));
	DESTROY(w, cetane_program_unload(&w->p));
	STEP(cetane_program_load(&w->p));
	STEP(launch(w, false));
	DESTROY(w, cetane_program_unload(&w->p));
	STEP(launch(w, false));
	return CETANE_OK;
}

/* The call that names a wrong argument does so, unless the driver fails. */
static int checked(struct world *w)
{
	int s;

	enter(w, 0);
	STEP(launch(w, true));
	s = pair_launch(&w->p, NULL, w->b, w->b, w->work, true);
	if (s == CETANE_OK)
		return CETANE_DRIVER_ERROR;
	if (!strstr(cetane_last_error(), "A and B overlap"))
		return s;
	assert_int_equal(s, CETANE_INVALID_VALUE);
	assert_result(w, true);
	STEP(launch(w, true));
	return CETANE_OK;
}

static int facts(struct world *w)
{
	int i, version, n = -7;
	const char *path;
	char name[16];
	size_t size;

	pair_fake->device_count = 3;
	STEP(cetane_cuda_driver(&version, &path));
	STEP(cetane_cuda_count(&n));
	assert_int_equal(n, 3);
	for (i = 0; i < n; i++) {
		STEP(cetane_cuda_memory(i, &size));
		assert_int_equal(size, (size_t) (i + 1) << 33);
		snprintf(name, sizeof(name), "cuda:%d", i);
		STEP(cetane_device_open(name, &w->dev));
		assert_int_equal(cetane_device_capability(w->dev), 90);
		cetane_device_close(w->dev);
		w->dev = NULL;
	}
	return CETANE_OK;
}

static int acquire(struct world *w)
{
	int64_t n = PAIR_N;

	STEP(cetane_device_open("cuda", &w->dev));
	STEP(cetane_stream_create(w->dev, &w->stream));
	STEP(cetane_event_create(w->dev, &w->event[0]));
	STEP(cetane_event_create(w->dev, &w->event[1]));
	STEP(cetane_malloc(w->dev, sizeof(w->a), &w->a_at));
	STEP(cetane_malloc(w->dev, sizeof(w->b), &w->b_at));
	STEP(cetane_malloc(w->dev, (size_t) cetane_program_workspace(&w->p,
		&n), &w->work_at));
	return CETANE_OK;
}

static int free_one(struct world *w, cetane_ptr *p)
{
	cetane_ptr at = *p;

	*p = 0;
	DESTROY(w, cetane_free(w->dev, at));
	return CETANE_OK;
}

/* Copy, launch on "stream", copy back, wait. */
static int round_trip(struct world *w, struct cetane_stream *stream)
{
	int s, i;

	for (i = 0; i < PAIR_N; i++)
		w->b[i] = -7;
	STEP(cetane_copy_to_device(w->dev, w->a_at, w->a, sizeof(w->a),
		stream));
	STEP(cetane_memset(w->dev, w->b_at, 0xee, sizeof(w->b), stream));
	STEP(cetane_event_record(w->event[0], stream));
	STEP(pair_launch(&w->p, stream, (void *) (uintptr_t) w->a_at,
		(void *) (uintptr_t) w->b_at, (void *) (uintptr_t) w->work_at,
		true));
	STEP(cetane_event_record(w->event[1], stream));
	s = cetane_copy_from_device(w->dev, w->b, w->b_at, sizeof(w->b),
		stream);
	assert_result(w, s == CETANE_OK);
	return s;
}

/* Streams and events; what destroys them does not tell how it went. */
static void drop_work(struct world *w)
{
	cetane_event_destroy(w->event[0]);
	cetane_event_destroy(w->event[1]);
	cetane_stream_destroy(w->stream);
	w->event[0] = w->event[1] = NULL;
	w->stream = NULL;
}

static int device(struct world *w)
{
	float ms = -7;

	STEP(acquire(w));
	STEP(cetane_device_use(w->dev));
	STEP(round_trip(w, w->stream));
	STEP(cetane_stream_synchronize(w->dev, w->stream));
	STEP(cetane_event_synchronize(w->event[1]));
	STEP(cetane_event_elapsed(w->event[0], w->event[1], &ms));
	assert_true(ms == 1.5f);
	STEP(round_trip(w, NULL));
	STEP(cetane_device_synchronize(w->dev));
	STEP(free_one(w, &w->a_at));
	STEP(free_one(w, &w->b_at));
	STEP(free_one(w, &w->work_at));
	DESTROY(w, cetane_program_unload(&w->p));
	drop_work(w);
	cetane_device_close(w->dev);
	w->dev = NULL;
	return CETANE_OK;
}

static int modules(struct world *w)
{
	const unsigned grid[3] = { 2, 1, 1 }, block[3] = { 32, 1, 1 };
	uint64_t at[3] = { (uintptr_t) w->a, (uintptr_t) w->b, PAIR_N };
	void *args[3] = { &at[0], &at[1], &at[2] };
	const struct cetane_rt_map map = { .base = 4096, .n_dim = 2,
		.elem_bytes = 2, .size = { 64, 8 }, .stride = { 2, 128 },
		.box = { 64, 8 } };
	const struct cetane_rt_map pixels = { .base = 4096, .n_dim = 4,
		.elem_bytes = 2, .size = { 64, 8, 8, 2 },
		.stride = { 2, 128, 1024, 8192 }, .box = { 64, 32 },
		.low = { -1, -2 }, .high = { 3, 4 }, .step = { 1, 2 },
		.slides = true };
	const int corner[4] = { -1, -2, 3, 4 };
	unsigned char bytes[CETANE_RT_MAP_BYTES];
	struct cetane_module *mod;
	struct cetane_function *fn;
	uint32_t count = 1;
	int i;

	STEP(cetane_device_open("cuda:0", &w->dev));
	for (i = 0; i < 2; i++) {
		STEP(cetane_module_load(w->dev, "ptx", i ? 3 : 4, &w->mod));
		STEP(cetane_module_function(w->mod, "first", &fn));
		STEP(cetane_launch(fn, grid, block, 50000, NULL, args));
		STEP(cetane_module_function(w->mod, "first", &fn));
		STEP(cetane_launch(fn, grid, block, 60000, NULL, args));
		STEP(cetane_rt_launch_together(fn, grid, block, 0, NULL, args,
			(uintptr_t) &count));
		STEP(w->dev->ops->encode(w->dev, &map, bytes));
		assert_memory_equal(bytes, map.box, 2 * sizeof(map.box[0]));
		STEP(w->dev->ops->encode(w->dev, &pixels, bytes));
		assert_memory_equal(bytes, corner, sizeof(corner));
		mod = w->mod;
		w->mod = NULL;
		DESTROY(w, cetane_module_unload(mod));
	}
	return CETANE_OK;
}

/* Two launches on lanes, which are joined whatever fails. */
static int launch_parts(struct cetane_function *fn, struct cetane_rt_fork *f)
{
	const unsigned grid[3] = { 2, 1, 1 }, block[3] = { 32, 1, 1 };
	uint64_t at[3] = { 0, 0, 0 };
	void *args[3] = { &at[0], &at[1], &at[2] };
	struct cetane_stream *stream;
	int i;

	for (i = 0; i < 2; i++) {
		STEP(cetane_rt_fork_next(f, &stream));
		STEP(cetane_launch(fn, grid, block, 0, stream, args));
	}
	return CETANE_OK;
}

static int lanes(struct world *w)
{
	int waits = pair_fake->waits;
	struct cetane_module *mod;
	struct cetane_function *fn;
	struct cetane_rt_fork f;

	STEP(cetane_device_open("cuda:0", &w->dev));
	STEP(cetane_module_load(w->dev, "ptx", 4, &w->mod));
	STEP(cetane_module_function(w->mod, "other", &fn));
	STEP(cetane_rt_lanes_make(w->dev));
	STEP(cetane_rt_fork(&f, w->dev, NULL));
	STEP(cetane_rt_join(&f, (enum cetane_status) launch_parts(fn, &f)));
	assert_int_equal(pair_fake->waits, waits + 4);
	mod = w->mod;
	w->mod = NULL;
	DESTROY(w, cetane_module_unload(mod));
	cetane_device_close(w->dev);
	w->dev = NULL;
	return CETANE_OK;
}

static const struct {
	const char *name;
	int (*run)(struct world *w);
} scenes[] = {
	{ "first load", load_only }, { "load and launch", load_and_launch },
	{ "two contexts", two_contexts }, { "capture", capture },
	{ "reload", reload }, { "checked", checked }, { "facts", facts },
	{ "device", device }, { "modules", modules }, { "lanes", lanes }
};
enum { N_SCENE = sizeof(scenes) / sizeof(scenes[0]) };

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
		enter(w, i);
		cetane_device_use(NULL);
		cetane_program_unload(&w->p);
	}
	enter(w, -1);
	if (w->dev) {
		cetane_free(w->dev, w->a_at);
		cetane_free(w->dev, w->b_at);
		cetane_free(w->dev, w->work_at);
		drop_work(w);
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
		enter(&w, 0);
		assert_int_equal(cetane_program_load(&w.p), results[r].status);
		HAS(cetane_last_error(), "cuInit: FAKE_ERROR");
		assert_int_equal(cetane_program_unload(&w.p),
			results[r].status);
		assert_int_equal(launch(&w, false), results[r].status);
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
