/* A GPU as benchmarks need it: the driver's entry points for graphs, events
 * and copies, facts about the device, and its clocks.
 *
 * The runtime opens the device and loads our kernels; what stands here uses
 * the same driver and the same primary context, which stays current in the
 * calling thread, because libraries launch into the current context.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench.h"
#include "tools/lib/compile/compile.h"

/* Numbers of the driver's attributes and flags. */
enum {
	ATTRIBUTE_CLOCK = 13, ATTRIBUTE_MULTIPROCESSORS = 16,
	ATTRIBUTE_L2 = 38, ATTRIBUTE_THREADS = 39,
	STREAM_NON_BLOCKING = 1,
	CLOCK_SM = 1
};

/* Cores of a multiprocessor, f32 and f64 operations each cycle.
 *
 * The newest architecture that is not newer than the device counts (set_peaks).
 */
static const struct {
	int capability, f32, f64;
} cores[] = {
	{ 75, 64, 2 }, { 80, 64, 32 }, { 86, 128, 2 }, { 89, 128, 2 },
	{ 90, 128, 64 }, { 100, 128, 64 }, { 103, 128, 2 }, { 120, 128, 2 },
};
enum { N_CORES = sizeof(cores) / sizeof(cores[0]) };

/* The library that knows clocks and power.
 *
 * Its functions are looked up by name, as those of the driver are.
 */
struct nvml {
#define NVML(name, symbol, params) int (*name) params;
#include "tools/bench/bench_nvml.def"
#undef NVML
	void *lib, *dev;
};

/* The driver's own name for the error is part of the message. */
enum tool_exit tool_cuda_judge(const struct tool_cuda *g, const char *what,
	int result)
{
	const char *name = NULL;

	if (result == 0)
		return TOOL_OK;
	if (g->error_name)
		g->error_name(result, &name);
	tool_message(MSG_BENCH_CALL, what, name ? name : "error", result);
	return TOOL_ENVIRONMENT;
}

/* --------------------------------------------------------------- clocks */

/* Find all entry points of the management library and start it; false if one is
 * missing.
 *
 * The list of functions stands in a table of its own.
 */
static bool nvml_look_up(struct nvml *n)
{
	void *sym;

#define NVML(name, symbol, params)					\
	sym = dlsym(n->lib, #symbol);					\
	if (!sym)							\
		return false;						\
	memcpy(&n->name, &sym, sizeof(sym));
#include "tools/bench/bench_nvml.def"
#undef NVML
	return n->init() == 0;
}

/* Without the library, clocks are unknown.
 *
 * The device is found by its bus address: numbers may differ between the two
 * libraries.
 */
static void open_nvml(struct tool_cuda *g)
{
	struct nvml *n = calloc(1, sizeof(*n));
	char bus[32] = "";

	if (!n)
		return;
	n->lib = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (n->lib && nvml_look_up(n) &&
	    g->bus_id(bus, sizeof(bus), g->ordinal) == 0 &&
	/* Anything that fails leaves clocks unknown; that is no error. */
	    n->by_bus(bus, &n->dev) == 0) {
		g->nvml = n;
		return;
	}
	if (n->lib)
		dlclose(n->lib);
	free(n);
}

/* Let go of the management library, if it was opened.
 *
 * The driver stays loaded.
 */
static void close_nvml(struct tool_cuda *g)
{
	struct nvml *n = g->nvml;

	if (!n)
		return;
	n->shutdown();
	dlclose(n->lib);
	free(n);
}

/* What cannot be asked for is 0. Power comes in milliwatts. */
struct tool_clock tool_cuda_clock(const struct tool_cuda *g)
{
	const struct nvml *n = g->nvml;
	struct tool_clock c = { 0 };
	unsigned mw = 0;

	if (!n)
		return c;
	if (n->clock(n->dev, CLOCK_SM, &c.mhz) != 0)
		c.mhz = 0;
	if (n->power(n->dev, &mw) == 0)
		c.watt = mw / 1000;
	if (n->reasons(n->dev, &c.throttle) != 0)
		c.throttle = 0;
	return c;
}

/* --------------------------------------------------------------- opening */

/* Find the entry points of the driver in "library", which stays loaded. What is
 * missing is told.
 *
 * The library is the one that the runtime has opened.
 */
static enum tool_exit look_up(struct tool_cuda *g, const char *library)
{
	void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL), *sym;

	if (!lib) {
		tool_message(MSG_DEVICE, library, dlerror(), "", "");
		return TOOL_ENVIRONMENT;
	}
#define CUDA(name, symbol, params)					\
	sym = dlsym(lib, #symbol);					\
	if (!sym) {							\
		tool_message(MSG_DEVICE, "the CUDA driver is too old: it has "\
			"no " #symbol, "", "", "");			\
		return TOOL_ENVIRONMENT;				\
	}								\
	memcpy(&g->name, &sym, sizeof(sym));
#include "tools/bench/bench_cuda.def"
#undef CUDA
	return TOOL_OK;
}

/* The peaks of arithmetic, without tensor cores: an FMA counts as two.
 *
 * They are rates at the clock that the driver tells.
 */
static void set_peaks(struct tool_cuda *g)
{
	int capability = cetane_device_capability(g->dev), i, best = -1;
	double cycles = 1e6 * g->clock_mhz * g->multiprocessors;

	/* The table goes upwards. */
	for (i = 0; i < N_CORES; i++)
		if (cores[i].capability <= capability)
			best = i;
	if (best < 0)
		return;
	g->flops[0] = 2 * cores[best].f32 * cycles;
	g->flops[1] = 2 * cores[best].f64 * cycles;
}

/* The first failure ends query(). */
static enum tool_exit ask(struct tool_cuda *g, int attribute, int *value)
{
	return tool_cuda_judge(g, "cuDeviceGetAttribute",
		g->attribute(value, attribute, g->ordinal));
}

/* Ask the driver for the facts about the device.
 *
 * Clocks come in kHz.
 */
static enum tool_exit query(struct tool_cuda *g)
{
	int l2 = 0, khz = 0;
	enum tool_exit status;

	status = ask(g, ATTRIBUTE_MULTIPROCESSORS, &g->multiprocessors);
	if (status == TOOL_OK)
		status = ask(g, ATTRIBUTE_CLOCK, &khz);
	if (status == TOOL_OK)
		status = ask(g, ATTRIBUTE_L2, &l2);
	if (status == TOOL_OK)
		status = ask(g, ATTRIBUTE_THREADS, &g->threads);
	g->clock_mhz = khz / 1000;
	g->l2 = l2;
	set_peaks(g);
	return status;
}

/* Make the primary context current, and what is timed with.
 *
 * Our stream does not wait for the default one.
 */
static enum tool_exit enter(struct tool_cuda *g)
{
	enum tool_exit status;

	status = tool_cuda_judge(g, "cuDevicePrimaryCtxRetain",
		g->retain(&g->ctx, g->ordinal));
	if (status != TOOL_OK) {
		g->ctx = NULL;
		return status;
	}
	status = tool_cuda_judge(g, "cuCtxSetCurrent", g->ctx_set(g->ctx));
	if (status == TOOL_OK)
		status = tool_cuda_judge(g, "cuStreamCreate",
			g->stream_create(&g->handle, STREAM_NON_BLOCKING));
	if (status == TOOL_OK)
		status = tool_cuda_judge(g, "cuEventCreate",
			g->event_create(&g->start, 0));
	if (status == TOOL_OK)
		status = tool_cuda_judge(g, "cuEventCreate",
			g->event_create(&g->stop, 0));
	/* The runtime gets the stream, so that its launches go there. */
	g->stream = cetane_rt_cuda_wrap(g->dev, g->handle);
	return status;
}

/* The name has been checked: "cuda" is device 0, "cuda:N" device N. */
enum tool_exit tool_cuda_open(struct tool_cuda *g, const char *name)
{
	const char *library;
	enum cetane_status s;
	enum tool_exit status;

	*g = (struct tool_cuda){ 0 };
	s = cetane_device_open(name, &g->dev);
	if (s == CETANE_OK)
		s = cetane_cuda_driver(&g->version, &library);
	if (s != CETANE_OK)
		return tool_device_error(name, s);
	status = look_up(g, library);
	if (status == TOOL_OK)
		status = tool_cuda_judge(g, "cuDeviceGet",
			g->device_get(&g->ordinal, name[4] ?
				atoi(name + 5) : 0));
	if (status == TOOL_OK)
		status = query(g);
	if (status == TOOL_OK)
		status = enter(g);
	if (status == TOOL_OK)
		open_nvml(g);
	return status;
}

/* Takes what tool_cuda_open() left half done, too. */
void tool_cuda_close(struct tool_cuda *g)
{
	close_nvml(g);
	if (g->stop)
		g->event_destroy(g->stop);
	if (g->start)
		g->event_destroy(g->start);
	if (g->handle)
		g->stream_destroy(g->handle);
	if (g->ctx) {
		g->ctx_set(NULL);
		g->release(g->ordinal);
	}
	cetane_device_close(g->dev);
	*g = (struct tool_cuda){ 0 };
}

/* Waits for the second event. */
enum tool_exit tool_cuda_elapsed(struct tool_cuda *g, double *ms)
{
	float t = 0;
	enum tool_exit status = tool_cuda_judge(g, "cuEventSynchronize",
		g->event_synchronize(g->stop));

	if (status == TOOL_OK)
		status = tool_cuda_judge(g, "cuEventElapsedTime",
			g->event_elapsed(&t, g->start, g->stop));
	*ms = t;
	return status;
}

/* How often it is copied, and how many times the cache one copy is. */
enum { COPY_TIMES = 8, COPY_CACHES = 8 };

/* Bytes that a copy of memory reads and writes in a second: of many times what
 * the cache holds.
 *
 * The best of several runs counts. Read and written bytes are added.
 */
enum tool_exit tool_cuda_measure_copy(struct tool_cuda *g)
{
	size_t bytes = COPY_CACHES * (size_t)g->l2 + 4096;
	uint64_t at = 0;
	enum tool_exit status;
	double ms = 0, best = 0;
	int i;

	status = tool_cuda_judge(g, "cuMemAlloc",
		g->mem_alloc(&at, 2 * bytes));
	if (status != TOOL_OK)
		return status;
	for (i = 0; i < COPY_TIMES && status == TOOL_OK; i++) {
		g->event_record(g->start, g->handle);
		status = tool_cuda_judge(g, "cuMemcpyDtoDAsync",
			g->copy(at + bytes, at, bytes, g->handle));
		g->event_record(g->stop, g->handle);
		if (status == TOOL_OK)
			status = tool_cuda_elapsed(g, &ms);
		best = i == 0 || ms < best ? ms : best;
	}
	g->mem_free(at);
	g->copy_rate = best > 0 ? 2e3 * (double)bytes / best : 0;
	return status;
}

/* ----------------------------------------------------------------- graphs */

/* Relaxed: other threads may call the driver meanwhile. */
enum { CAPTURE_RELAXED = 2 };

/* NULL is no graph. */
void tool_graph_free(struct tool_cuda *g, void **graph)
{
	if (*graph)
		g->exec_destroy(*graph);
	*graph = NULL;
}

/* The launches go into the stream while it records; then they are made a graph.
 * Recording ends even if a launch failed, since the stream would stay unusable.
 */
enum tool_exit tool_graph_make(struct tool_cuda *g, tool_launches *launch,
	void *user, int k, void **graph)
{
	enum tool_exit status, ended;
	void *made = NULL;

	tool_graph_free(g, graph);
	status = tool_cuda_judge(g, "cuStreamBeginCapture",
		g->capture_begin(g->handle, CAPTURE_RELAXED));
	if (status != TOOL_OK)
		return status;
	status = launch(user, k);
	ended = tool_cuda_judge(g, "cuStreamEndCapture",
		g->capture_end(g->handle, &made));
	if (status == TOOL_OK)
		status = ended;
	if (status == TOOL_OK)
		status = tool_cuda_judge(g, "cuGraphInstantiate",
			g->graph_make(graph, made, 0));
	if (ended == TOOL_OK && made)
		g->graph_destroy(made);
	return status;
}

/* Without a graph the launches are made one by one. */
enum tool_exit tool_graph_run(struct tool_cuda *g, tool_launches *launch,
	void *user, int k, void *graph)
{
	if (!graph)
		return launch(user, k);
	return tool_cuda_judge(g, "cuGraphLaunch",
		g->graph_launch(graph, g->handle));
}

/* From one event to the other, in milliseconds. */
enum tool_exit tool_graph_time(struct tool_cuda *g, tool_launches *launch,
	void *user, int k, void *graph, double *ms)
{
	enum tool_exit status = tool_cuda_judge(g, "cuEventRecord",
		g->event_record(g->start, g->handle));

	if (status == TOOL_OK)
		status = tool_graph_run(g, launch, user, k, graph);
	if (status == TOOL_OK)
		status = tool_cuda_judge(g, "cuEventRecord",
			g->event_record(g->stop, g->handle));
	return status == TOOL_OK ? tool_cuda_elapsed(g, ms) : status;
}
