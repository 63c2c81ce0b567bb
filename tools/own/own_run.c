/* A program of the user's own at one size: read, compiled, loaded, and verified before
 * anything of it is timed.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/inspect/inspect.h"
#include "tools/own/own.h"

/* At most so many sets; the byte that outputs begin with. */
enum { SETS_MOST = 64, POISON = 0xff };

/* 0 where the program does without the array: an input that nothing reads. */
cetane_ptr tool_own_at(const struct tool_own *w, int set, int i)
{
	int place = w->array[i].place;

	return place < 0 ? 0 : w->at[set * w->x.record->n_array + place];
}

/* ----------------------------------------------------------------- arrays */

/* Arrays of the run's lists, inputs first; those that are both stand there
 * once.
 */

/* The bytes of all arrays make a set. */
static void add_array(struct tool_own *w, const struct tool_matrix *m)
{
	struct tool_own_array *a = &w->array[w->n_array++];

	*a = (struct tool_own_array){ m, tool_exec_find(&w->x, m->name),
		m->n * poly_type_size(m->type) };
	w->bytes += a->bytes;
}

/* False without memory. In-place outputs are inputs. */
static bool list_arrays(struct tool_own *w)
{
	const struct tool_run *r = &w->r;
	int i;

	w->array = calloc((size_t)(r->n_in + r->n_out) + 1,
		sizeof(*w->array));
	for (i = 0; w->array && i < r->n_in; i++)
		add_array(w, &r->in[i]);
	for (i = 0; w->array && i < r->n_out; i++)
		if (!r->out[i].in_place)
			add_array(w, &r->out[i]);
	return w->array != NULL;
}

/* An array of a set behind the first.
 *
 * It gets the same contents as the first.
 */
static enum tool_exit add_block(struct tool_own *w, int set, int i)
{
	const struct tool_own_array *a = &w->array[i];
	cetane_ptr *at = &w->at[set * w->x.record->n_array + a->place];
	enum cetane_status s = cetane_malloc(w->x.dev, (size_t)a->bytes, at);

	if (s == CETANE_OK) {
		w->block[w->n_block++] = *at;
		s = cetane_copy_to_device(w->x.dev, *at, a->m->data,
			(size_t)a->bytes, w->x.stream);
	}
	if (s == CETANE_OK)
		s = cetane_stream_synchronize(w->x.dev, w->x.stream);
	return s == CETANE_OK ? TOOL_OK : tool_device_error(a->m->name, s);
}

/* So many sets of the arrays that a round goes through three times the cache.
 *
 * The first set is what tool_run_load() has allocated; temporaries are shared
 * by all sets.
 */
static enum tool_exit make_sets(struct tool_own *w)
{
	int64_t cache = w->gpu ? w->gpu->l2 : tool_host_cache();
	int64_t want = 3 * cache / (w->bytes ? w->bytes : 1) + 2;
	size_t n_array = (size_t)w->x.record->n_array;
	enum tool_exit status = TOOL_OK;
	int set, i;

	/* Arrays that are larger than that leave the cache by themselves. */
	if (w->bytes >= 3 * cache)
		want = 1;
	w->n_set = want > SETS_MOST ? SETS_MOST : (int)want;
	w->at = calloc((size_t)w->n_set * n_array + 1, sizeof(*w->at));
	w->block = calloc((size_t)(w->n_set * w->n_array) + 1,
		sizeof(*w->block));
	if (!w->at || !w->block)
		return tool_no_memory("the arrays");
	for (set = 0; set < w->n_set; set++)
		memcpy(w->at + (size_t)set * n_array, w->x.ptr,
			n_array * sizeof(*w->at));
	for (set = 1; set < w->n_set; set++)
		for (i = 0; i < w->n_array && status == TOOL_OK; i++)
			if (w->array[i].place >= 0 && w->array[i].bytes)
				status = add_block(w, set, i);
	return status;
}

/* ----------------------------------------------------------------- opening */

/* The program is verified before sets are made. */

/* Operations of floats and integers of all kernels, and on a GPU the time that the
 * model predicts.
 *
 * Kernels that repeat another one are counted by the one they repeat.
 */
static enum tool_exit gather(struct tool_own *w)
{
	struct tool_facts f = { 0 };
	enum tool_exit status = tool_facts_gather(&f, w->o, &w->c);
	double us;
	int i;

	for (i = 0; status == TOOL_OK && f.n_part && i < f.record->n_kernel;
	     i++)
		if (!tool_facts_repeats(&f, i) && !tool_facts_is_before(&f, i) &&
		    tool_facts_launches(&f, i).n)
			w->work += tool_facts_work(&f, i)->operations;
	if (status == TOOL_OK && f.n_part && w->gpu) {
		tool_facts_predicted(&f, &us);
		w->predicted_ms = 1e-3 * us;
	}
	tool_facts_free(&f);
	return status;
}

/*	read, find the sizes, compile, load, run, verify, make the sets */
enum tool_exit tool_own_open(struct tool_own *w, const struct tool_options *o,
	const struct tool_source *src, struct tool_cuda *gpu)
{
	enum tool_exit status;

	*w = (struct tool_own){ .o = o, .gpu = gpu, .r = {
		.o = (struct tool_options *)(uintptr_t)o, .src = *src } };
	tool_compile_init(&w->front, o, src, NVPTX_HOST, TOOL_STAGE_FE_READ,
		NULL);
	status = tool_compile(&w->front);
	w->r.unit = w->front.unit;
	if (status == TOOL_OK)
		status = tool_run_of_unit(&w->r);
	if (status == TOOL_OK)
		status = tool_run_load(&w->r, &w->c, &w->x);
	if (status == TOOL_OK)
		status = tool_run_execute(&w->r, &w->x);
	if (status == TOOL_OK)
		status = tool_verify(&w->r);
	if (gpu)
		w->stream = cetane_rt_cuda_wrap(w->x.dev, gpu->handle);
	if (status == TOOL_OK && !list_arrays(w))
		status = tool_no_memory("the arrays");
	if (status == TOOL_OK)
		status = make_sets(w);
	return status == TOOL_OK ? gather(w) : status;
}

/* Called in any case; the status may change to a failure of the compilation's
 * own.
 */
enum tool_exit tool_own_close(struct tool_own *w, enum tool_exit status)
{
	while (w->n_block > 0)
		cetane_free(w->x.dev, w->block[--w->n_block]);
	free(w->block);
	free(w->at);
	free(w->array);
	tool_exec_free(&w->x);
	tool_run_free(&w->r);
	if (w->c.options)
		status = tool_compile_free(&w->c, status);
	status = tool_compile_free(&w->front, status);
	*w = (struct tool_own){ 0 };
	return status;
}

/* --------------------------------------------------------------- launching */

/* A launch uses one set. */

/* On a GPU it only enters the stream; the host device is waited for. */
enum tool_exit tool_own_launch(struct tool_own *w, int set)
{
	const struct cetane_rt_record *record = w->x.record;
	enum cetane_status s = cetane_rt_record_launch(record, w->x.fn,
		w->x.param, w->at + (size_t)set * (size_t)record->n_array,
		w->gpu ? &w->stream.base : w->x.stream);

	if (s == CETANE_OK && !w->gpu)
		s = cetane_stream_synchronize(w->x.dev, w->x.stream);
	return s == CETANE_OK ? TOOL_OK :
		tool_device_error("cannot run the kernels", s);
}

/* Call a rival of C over a pattern, on the first set. It does not know our stream, which
 * must be done before.
 *
 * The pattern shows elements that the rival leaves out.
 */
static enum tool_exit call_over(struct tool_own *w, struct tool_rival *v)
{
	enum tool_exit status = tool_exec_poison(&w->x, POISON);
	enum cetane_status s;

	if (status == TOOL_OK)
		status = tool_run_upload(&w->r, &w->x, true);
	s = cetane_stream_synchronize(w->x.dev, w->x.stream);
	if (status == TOOL_OK && s != CETANE_OK)
		status = tool_device_error("cannot clear memory", s);
	if (status == TOOL_OK)
		status = tool_rival_call(v, w, 0);
	if (status == TOOL_OK && w->gpu)
		status = tool_cuda_judge(w->gpu, "cuStreamSynchronize",
			w->gpu->stream_synchronize(w->gpu->handle));
	return status == TOOL_OK ? tool_run_download(&w->r, &w->x) : status;
}

/* The rival's outputs go to where those of the program were, and are verified
 * in the same way. Those of Python are in shared memory.
 */
enum tool_exit tool_own_judge(struct tool_own *w, struct tool_rival *v)
{
	enum tool_exit status;
	double ms;

	if (!v->python) {
		status = call_over(w, v);
		return status == TOOL_OK ? tool_verify(&w->r) : status;
	}
	tool_python_reset(v->python, w);
	status = tool_python_run(v->python, 1, &ms);
	tool_python_fetch(v->python, w);
	return status == TOOL_OK ? tool_verify(&w->r) : status;
}
