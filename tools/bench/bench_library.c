/* The libraries that rows are measured against, opened at run time: cuBLAS,
 * cuBLASLt and cuDNN, wherever the loader, a CUDA toolkit, a distribution or a
 * package of Python has put them. Their C interfaces are declared in
 * bench_library.def, so that no header of theirs is needed.
 *
 * f32 is computed in f32: TF32 and emulation are off.
 */
#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench.h"

/* A library by its parts: those in front are loaded first, from the folder of
 * the last, which holds the entry points.
 */
static const struct {
	const char *name, *option;
	const char *part[3];
} libraries[TOOL_N_LIBRARY] = {
	[TOOL_CUBLAS] = { "cuBLAS", "cublas",
		{ "libcublasLt.so", "libcublas.so" } },
	[TOOL_CUBLASLT] = { "cuBLASLt", "cublaslt", { "libcublasLt.so" } },
	[TOOL_CUDNN] = { "cuDNN", "cudnn",
		{ "libcudnn_graph.so", "libcudnn_ops.so", "libcudnn.so" } },
};

/* What a name ends with, newest first. */
static const char *const versions[] = { ".13", ".12", ".11", ".9", ".8", "" };
enum { N_VERSION = sizeof(versions) / sizeof(versions[0]) };

/* Folders behind those of the loader; $NAME is a variable's value. */
static const char *const folders[] = {
	"/usr/local/cuda*/lib64",
	"/usr/local/cuda*/targets/*/lib",
	"/usr/lib/x86_64-linux-gnu",
	"/usr/lib/aarch64-linux-gnu",
	"$VIRTUAL_ENV/lib/python3*/site-packages/nvidia/*/lib",
	"$CONDA_PREFIX/lib",
	"$CONDA_PREFIX/lib/python3*/site-packages/nvidia/*/lib",
	"$HOME/.local/lib/python3*/site-packages/nvidia/*/lib",
	"/usr/local/lib/python3*/*-packages/nvidia/*/lib",
	"/usr/lib/python3*/*-packages/nvidia/*/lib",
	"/opt/*/lib/python3*/site-packages/nvidia/*/lib",
	"/opt/*/*/lib/python3*/site-packages/nvidia/*/lib",
};
enum { N_FOLDER = sizeof(folders) / sizeof(folders[0]) };

/* Variables of the environment that change what f32 means. */
static const char *const meddlers[] = {
	"CUBLAS_EMULATE_SINGLE_PRECISION", "CUBLAS_EMULATE_DOUBLE_PRECISION",
	"CUBLAS_EMULATION_STRATEGY", "CUBLASLT_WORKSPACE_SIZE",
	"CUBLAS_WORKSPACE_CONFIG",
};

const char *tool_library_name(enum tool_library which)
{
	return libraries[which].name;
}

/* The part with the entry points, which comes last. */
static const char *last_part(enum tool_library which)
{
	int i = 0;

	while (i < 2 && libraries[which].part[i + 1])
		i++;
	return libraries[which].part[i];
}

/* --------------------------------------------------------------- finding */

/* Load what the library needs from "folder", where it would not look. */
static void load_parts(enum tool_library which, const char *folder,
	const char *version)
{
	const char *last = last_part(which), *part;
	char path[1024];
	int i;

	for (i = 0; (part = libraries[which].part[i]) && part != last; i++) {
		snprintf(path, sizeof(path), "%s/%s%s", folder, part, version);
		dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	}
}

/* The newest version of the library in "folder"; one that is loaded already is
 * taken before that.
 */
static void *open_in(enum tool_library which, const char *folder)
{
	const char *last = last_part(which);
	char path[1024];
	void *lib = NULL;
	int i;

	for (i = 0; i < N_VERSION && !lib; i++) {
		snprintf(path, sizeof(path), "%s/%s%s", folder, last,
			versions[i]);
		lib = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
		if (lib)
			break;
		load_parts(which, folder, versions[i]);
		lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return lib;
}

/* The pattern "folder" with the variable at its beginning replaced; false if
 * that is not set.
 */
static bool expand(const char *folder, char *text, size_t size)
{
	const char *rest = strchr(folder, '/'), *value;
	char name[32];

	if (*folder != '$') {
		snprintf(text, size, "%s", folder);
		return true;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(rest - folder - 1),
		folder + 1);
	value = getenv(name);
	if (value && *value)
		snprintf(text, size, "%s%s", value, rest);
	return value && *value;
}

/* The library from one of the folders where others put it. */
static void *search(enum tool_library which)
{
	char pattern[1024];
	glob_t found;
	void *lib = NULL;
	size_t k;
	int i;

	for (i = 0; i < N_FOLDER && !lib; i++) {
		if (!expand(folders[i], pattern, sizeof(pattern)) ||
		    glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
			continue;
		for (k = 0; k < found.gl_pathc && !lib; k++)
			lib = open_in(which, found.gl_pathv[k]);
		globfree(&found);
	}
	return lib;
}

/* As the loader finds it: $LD_LIBRARY_PATH and the system's folders. */
static void *open_plain(enum tool_library which)
{
	char name[64];
	void *lib = NULL;
	int i;

	for (i = 0; i < N_VERSION && !lib; i++) {
		snprintf(name, sizeof(name), "%s%s", last_part(which),
			versions[i]);
		lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	}
	return lib;
}

/* The library at "path", a file or a folder, or, if that is NULL, wherever
 * there is one; NULL if there is none.
 */
static void *find(enum tool_library which, const char *path)
{
	void *lib;

	if (path && tool_is_folder(path))
		return open_in(which, path);
	if (path)
		return dlopen(path, RTLD_NOW | RTLD_LOCAL);
	lib = open_plain(which);
	return lib ? lib : search(which);
}

/* --------------------------------------------------------------- opening */

/* Store the entry points of "which"; the name of one that is missing, or NULL.
 */
static const char *look_up(struct tool_libraries *l, enum tool_library which,
	void *lib)
{
	void *sym;

#define LIBRARY(kind, name, symbol, params)				\
	if (TOOL_##kind == which) {					\
		sym = dlsym(lib, #symbol);				\
		if (!sym)						\
			return #symbol;					\
		memcpy(&l->name, &sym, sizeof(sym));			\
	}
#include "tools/bench/bench_library.def"
#undef LIBRARY
	return NULL;
}

/* Make a handle that works on our stream, in our memory, in f32 throughout; the
 * library's error, or 0.
 */
static int start_cublas(struct tool_libraries *l)
{
	void **handle = &l->handle[TOOL_CUBLAS];
	int r = l->create(handle);

	if (r == 0)
		r = l->set_stream(*handle, l->gpu->handle);
	if (r == 0)
		r = l->set_workspace(*handle, l->work, TOOL_LIBRARY_WORK);
	if (r == 0)
		r = l->set_math(*handle, 0);
	if (r == 0)
		r = l->version(*handle, &l->number[TOOL_CUBLAS]);
	return r;
}

static int start_cudnn(struct tool_libraries *l)
{
	int r = l->dnn_create(&l->handle[TOOL_CUDNN]);

	l->number[TOOL_CUDNN] = l->dnn_version();
	return r ? r : l->dnn_set_stream(l->handle[TOOL_CUDNN],
		l->gpu->handle);
}

/* Make a handle of the library and ask for its version; its error, or 0. */
static int start(struct tool_libraries *l, enum tool_library which)
{
	if (which == TOOL_CUBLAS)
		return start_cublas(l);
	if (which == TOOL_CUDNN)
		return start_cudnn(l);
	l->number[which] = l->lt_version();
	return l->lt_create(&l->handle[which]);
}

/* The file that "lib" was loaded from. */
static char *path_of(void *lib, const char *symbol)
{
	Dl_info info;
	void *sym = dlsym(lib, symbol);

	return strdup(sym && dladdr(sym, &info) ? info.dli_fname : "");
}

/* Let nothing in the environment change what f32 means. */
static void forget_meddlers(void)
{
	size_t i;

	for (i = 0; i < sizeof(meddlers) / sizeof(meddlers[0]); i++)
		unsetenv(meddlers[i]);
	setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
}

enum tool_exit tool_library_open(struct tool_libraries *l,
	enum tool_library which, const char *path)
{
	static const char *const known[TOOL_N_LIBRARY] = { "cublasCreate_v2",
		"cublasLtCreate", "cudnnCreate" };
	const char *missing;
	char reason[64];
	void *lib;
	int r;

	forget_meddlers();
	if (!l->work && tool_cuda_judge(l->gpu, "cuMemAlloc",
			l->gpu->mem_alloc(&l->work, TOOL_LIBRARY_WORK)))
		return TOOL_ENVIRONMENT;
	lib = find(which, path);
	missing = lib ? look_up(l, which, lib) : "no folder has it";
	if (!missing && (r = start(l, which))) {
		snprintf(reason, sizeof(reason), "it does not start: %d", r);
		missing = reason;
		l->handle[which] = NULL;
	}
	if (missing) {
		tool_message(MSG_BENCH_LIBRARY, libraries[which].name,
			missing, libraries[which].option);
		return TOOL_OK;
	}
	l->there[which] = true;
	l->path[which] = path_of(lib, known[which]);
	return TOOL_OK;
}

void tool_libraries_close(struct tool_libraries *l)
{
	int i;

	if (l->handle[TOOL_CUBLAS])
		l->destroy(l->handle[TOOL_CUBLAS]);
	if (l->handle[TOOL_CUBLASLT])
		l->lt_destroy(l->handle[TOOL_CUBLASLT]);
	if (l->handle[TOOL_CUDNN])
		l->dnn_destroy(l->handle[TOOL_CUDNN]);
	if (l->work)
		l->gpu->mem_free(l->work);
	for (i = 0; i < TOOL_N_LIBRARY; i++)
		free(l->path[i]);
	*l = (struct tool_libraries){ 0 };
}
