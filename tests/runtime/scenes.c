#include <stdio.h>
#include "rt_test.h"
#include "scenes.h"

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

int scene_launch(struct world *w, bool checked)
{
	int i, s;

	for (i = 0; i < PAIR_N; i++)
		w->b[i] = -7;
	s = pair_launch(&w->p, NULL, w->a, w->b, w->work, checked);
	assert_result(w, s == CETANE_OK);
	return s;
}

void scene_enter(struct world *w, int i)
{
	pair_fake->current = i < 0 ? NULL : &w->context[i];
}

static int load_only(struct world *w)
{
	scene_enter(w, 0);
	STEP(cetane_program_load(&w->p));
	return CETANE_OK;
}

static int load_and_launch(struct world *w)
{
	scene_enter(w, 0);
	STEP(cetane_program_load(&w->p));
	STEP(scene_launch(w, false));
	STEP(scene_launch(w, false));
	DESTROY(w, cetane_program_unload(&w->p));
	return CETANE_OK;
}

static int two_contexts(struct world *w)
{
	int i;

	for (i = 0; i < 2; i++) {
		scene_enter(w, i);
		STEP(scene_launch(w, false));
	}
	assert_int_equal(pair_fake->modules, 2);
	for (i = 0; i < 2; i++) {
		scene_enter(w, i);
		STEP(scene_launch(w, false));
		DESTROY(w, cetane_program_unload(&w->p));
	}
	return CETANE_OK;
}

static int capture(struct world *w)
{
	int s;

	scene_enter(w, 0);
	pair_fake->capturing = 1;
	s = scene_launch(w, false);
	assert_int_equal(pair_fake->modules, 0);
	if (s != CETANE_NOT_LOADED)
		return s;
	pair_fake->capturing = 0;
	STEP(cetane_program_load(&w->p));
	pair_fake->capturing = 1;
	STEP(scene_launch(w, false));
	pair_fake->capturing = 0;
	DESTROY(w, cetane_program_unload(&w->p));
	STEP(scene_launch(w, false));
	return CETANE_OK;
}

static int reload(struct world *w)
{
	scene_enter(w, 0);
	STEP(cetane_program_load(&w->p));
	DESTROY(w, cetane_program_unload(&w->p));
	STEP(cetane_program_load(&w->p));
	STEP(scene_launch(w, false));
	DESTROY(w, cetane_program_unload(&w->p));
	STEP(scene_launch(w, false));
	return CETANE_OK;
}

/* The call that names a wrong argument does so, unless the driver fails. */
static int checked(struct world *w)
{
	int s;

	scene_enter(w, 0);
	STEP(scene_launch(w, true));
	s = pair_launch(&w->p, NULL, w->b, w->b, w->work, true);
	if (s == CETANE_OK)
		return CETANE_DRIVER_ERROR;
	if (!strstr(cetane_last_error(), "A and B overlap"))
		return s;
	assert_int_equal(s, CETANE_INVALID_VALUE);
	assert_result(w, true);
	STEP(scene_launch(w, true));
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

/* What destroys streams and events does not tell how it went. */
void scene_drop_work(struct world *w)
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
	scene_drop_work(w);
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

const struct scene scenes[N_SCENE] = {
	{ "first load", load_only }, { "load and launch", load_and_launch },
	{ "two contexts", two_contexts }, { "capture", capture },
	{ "reload", reload }, { "checked", checked }, { "facts", facts },
	{ "device", device }, { "modules", modules }, { "lanes", lanes }
};
