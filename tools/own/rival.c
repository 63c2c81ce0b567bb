/* Rivals of a program of the user's own: "LIB.so:FUNCTION", a C function
 *
 *	int FUNCTION(const int64_t *size, void *const *array, void *stream);
 *
 * which gets the sizes in the order of the text, and the arrays of the device: inputs,
 * then outputs that are no inputs. It returns 0, or a number that is told as an error.
 * On a GPU it puts its work on "stream", a CUstream; else that is NULL.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "tools/own/own.h"

/* Room on the stack for one call. */
enum { SIZES_MOST = TOOL_BENCH_N_SIZE, ARRAYS_MOST = 64 };

/* NULL if the name can mean something. A path may have colons: the last one
 * parts.
 */
const char *tool_rival_wrong(const char *spec)
{
	const char *colon = strrchr(spec, ':');

	return colon && colon > spec && colon[1] ? NULL :
		"LIB.so:FUNCTION or FILE.py:FUNCTION";
}

/* Always TOOL_ENVIRONMENT. */
static enum tool_exit failed(const struct tool_rival *v, const char *why,
	int number)
{
	tool_message(MSG_BENCH_CALL, v->name, why, number);
	return TOOL_ENVIRONMENT;
}

/* A name without a slash is a file here, not one of the system's libraries.
 *
 * A path without a slash would be searched for in the system's folders.
 */
static enum tool_exit open_library(struct tool_rival *v)
{
	char *path = NULL;
	void *symbol;

	if (asprintf(&path, "%s%s", strchr(v->path, '/') ? "" : "./",
			v->path) < 0)
		return tool_no_memory("a name");
	v->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	symbol = v->library ? dlsym(v->library, v->name) : NULL;
	if (!symbol) {
		tool_message(MSG_BENCH_RIVAL, v->spec, dlerror());
		return TOOL_INPUT;
	}
	memcpy(&v->fn, &symbol, sizeof(v->fn));
	return TOOL_OK;
}

/* What is open is closed by tool_rival_close() even if this fails. */
enum tool_exit tool_rival_open(struct tool_rival *v, const char *spec,
	const struct tool_own *w)
{
	char *colon;

	*v = (struct tool_rival){ .spec = strdup(spec),
		.path = strdup(spec) };
	if (!v->spec || !v->path)
		return tool_no_memory("a name");
	v->name = strrchr(v->spec, ':') + 1;
	/* Rows show the file without its folders. */
	v->shown = strrchr(v->spec, '/') ? strrchr(v->spec, '/') + 1 : v->spec;
	colon = strrchr(v->path, ':');
	*colon = '\0';
	if (w->n_array > ARRAYS_MOST || w->r.n_value > SIZES_MOST) {
		tool_message(MSG_BENCH_RIVAL, spec,
			"the program has too many arrays or sizes");
		return TOOL_INPUT;
	}
	if (!tool_ends_with(v->path, ".py"))
		return open_library(v);
	/* Memory of the device cannot be shared with Python. */
	if (w->gpu) {
		tool_message(MSG_BENCH_RIVAL, spec,
			"functions of Python run on the host device only");
		return TOOL_USAGE;
	}
	v->python = tool_python_open(v->path, v->name, w);
	return v->python ? TOOL_OK : TOOL_INPUT;
}

/* Sizes and arrays are passed as pointers to arrays of them. An array that the
 * program does without is NULL.
 */
enum tool_exit tool_rival_call(const struct tool_rival *v,
	const struct tool_own *w, int set)
{
	void *stream = w->gpu ? w->gpu->handle : NULL;
	int64_t size[SIZES_MOST];
	void *array[ARRAYS_MOST];
	int i, r;

	for (i = 0; i < w->r.n_value; i++)
		size[i] = w->r.value[i].value;
	for (i = 0; i < w->n_array; i++)
		array[i] = (void *)(uintptr_t)tool_own_at(w, set, i);
	r = v->fn(size, array, stream);
	return r == 0 ? TOOL_OK : failed(v, "a call failed", r);
}

/* Whatever parts the rival has. */
void tool_rival_close(struct tool_rival *v)
{
	if (v->library)
		dlclose(v->library);
	if (v->python)
		tool_python_close(v->python);
	free(v->spec);
	free(v->path);
	*v = (struct tool_rival){ 0 };
}
