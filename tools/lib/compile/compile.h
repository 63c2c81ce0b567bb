/* tools/lib/compile: from a source to what its stages make; grouped by file. */
#ifndef TOOLS_LIB_COMPILE_H
#define TOOLS_LIB_COMPILE_H

#include <stdbool.h>

#include "frontend/frontend.h"
#include "nvptx/nvptx.h"
#include "polyir/polyir.h"
#include "runtime/image/image.h"
#include "tools/lib/base/base.h"

/* ------------------------------------------------------------ preprocess.c */

/* Read the program, in whatever notation, which is preprocessed before if its
 * notation wants that; NULL, having reported why. "headers" receives the names of the
 * files that it includes, a line each.
 */
struct fe_unit *tool_read(const struct tool_options *o,
	const struct tool_source *src, struct poly_str *headers,
	struct poly_report *report);

/* --------------------------------------------------------------- script.c */

struct tool_compile;

/* Read the file of --schedule, if there is one; false if it cannot be read, having told
 * why. That of --advise is no file, and what it prints is the result. Tell what came of
 * it; free it.
 */
bool tool_read_script(struct tool_compile *c);
void tool_tell_script(struct tool_compile *c);
void tool_free_script(struct tool_compile *c);
/* Have passes noted for --emit=script; write that. False, reported, if it cannot be. */
void tool_record_script(struct tool_compile *c);
bool tool_write_script(struct tool_compile *c, struct poly_str *out);

/* --------------------------------------------------------------- compile.c */

/* What code for the host device may call. */
enum {
#define HOST(name) TOOL_SYMBOL_##name,
#include "runtime/host_symbol.def"
#undef HOST
	TOOL_N_HOST_SYMBOL
};
extern const struct nvptx_symbol tool_host_symbol[TOOL_N_HOST_SYMBOL];

/* One compilation: what to do, and what came of it. */
struct tool_compile {
	const struct tool_options *options;
	const struct tool_source *source;
	unsigned stages;	/* 1 << enum tool_stage: which to run */
	unsigned emit;		/* 1 << enum tool_emit: what to print */
	enum tool_stage stage;	/* that runs or has run last */
	bool spent;		/* isl's budget; objects may be left over */
	struct poly_options poly;	/* its "config" is owned */
	struct nvptx_options nvptx;
	bool ptx_will_do;	/* a missing assembler is no error */
	bool shown_file;	/* debug locations by tool_source_shown */
	bool dumped;		/* a dump was printed */
	enum tool_exit unreadable;	/* why a file beside the source is not read */
	struct tool_source script_file;	/* of --schedule */
	struct tool_source decisions;	/* of --decisions */
	struct poly_script script;	/* what is in it */
	struct poly_record record;	/* for --emit=script */
	struct poly_search search;	/* the same */
	int tuned_line;		/* of --tuning, whose configuration is used */
	bool ran_short;		/* of memory */

	struct fe_unit *unit;	/* not owned, if FE_READ is not run */
	struct poly_str headers;	/* of a C file, a line each */
	isl_ctx *ctx;
	struct poly_prog *prog;
	struct poly_version *version;	/* beside "prog" */
	int n_version;
	struct poly_cost cost;		/* of "prog" */
	struct nvptx_module *module;
	struct poly_str out[TOOL_N_EMIT];
	struct poly_str ptx, cubin;
	struct nvptx_usage *usage;
	int n_usage;
	void **kernel;		/* host entry points, one a launch */
	struct poly_report report;
	struct poly_report remark;	/* those that report.remarks asks for */
	/* If not NULL, a compilation of the same source whose programs, which have been
	 * through the passes, are lowered here as well; it is freed after this one.
	 */
	struct tool_compile *scheduled;
};
/* Set up a compilation for "device" as the options say, from --from up to the
 * stage "last"; "unit", if not NULL, is what FE_READ would have given.
 */
void tool_compile_init(struct tool_compile *c, const struct tool_options *o,
	const struct tool_source *src, enum nvptx_device device,
	enum tool_stage last, struct fe_unit *unit);
/* Run the stages within the limits and tell their messages. */
enum tool_exit tool_compile(struct tool_compile *c);
/* Free everything. Returns "status", or TOOL_INTERNAL with a message if isl
 * objects are left over.
 */
enum tool_exit tool_compile_free(struct tool_compile *c,
	enum tool_exit status);

/* ---------------------------------------------------------------- passes.c */

/* The unit as a program that reports to "report"; the sizes that the unit fixes
 * stay parameters if that was asked for.
 */
struct poly_prog *tool_lower(struct tool_compile *c,
	struct poly_report *report);
/* Let isl go on with a new budget, after it has spent one. */
void tool_renew_budget(struct tool_compile *c);
/* Run the passes; a pass to dump after must have been among them. Code for the
 * host device is scheduled as that for the target that a build has by itself.
 */
bool tool_run_passes(struct tool_compile *c);
/* Let "c" lower the programs of c->scheduled, if these are for its target, too; otherwise
 * it runs the passes itself. Give them back.
 */
void tool_share_programs(struct tool_compile *c);
void tool_return_programs(struct tool_compile *c);
/* Compile it for one thread, which takes least. */
bool tool_compile_for_one(struct tool_compile *c);
/* Has the mapping to threads spent the budget, where one thread would do? Then
 * go on with a new one.
 */
bool tool_mapping_overspent(struct tool_compile *c);
/* Did isl fail to find loops, where one thread would do? */
bool tool_loops_failed(struct tool_compile *c);

/* --------------------------------------------------------------- version.c */

/* Compile the versions of c->prog, which is compiled, that are worth it. A version
 * that cannot be compiled is left out. False without memory.
 */
bool tool_make_versions(struct tool_compile *c);
/* The module of c->prog and its versions. */
struct nvptx_module *tool_lower_versions(struct tool_compile *c);
void tool_versions_free(struct tool_compile *c);

/* -------------------------------------------------------------- device.c */

/* A compiled program on a device, with memory for its arrays. */
struct tool_exec {
	struct cetane_device *dev;
	struct cetane_module *module;
	struct cetane_stream *stream;
	struct cetane_rt_record *record;
	struct cetane_function **fn;	/* one a kernel of the record */
	int64_t *param;		/* values in the record's order */
	cetane_ptr *ptr;	/* one an array */
	int64_t *size;		/* bytes, one an array */
	cetane_ptr work;	/* the temporaries, unless each is on its own */
	bool separate;
};
/* Take over the open device "dev", load what "c" compiled and allocate.
 * "value" gives the value of each size by name. With "separate", each
 * temporary is an allocation, so that checks see its bounds; otherwise all
 * share one workspace. Call tool_exec_free in any case.
 */
enum tool_exit tool_exec_init(struct tool_exec *x, struct cetane_device *dev,
	struct tool_compile *c, const struct fe_define *value, int n_value,
	bool separate);
/* The array "name" of the record, or -1. */
int tool_exec_find(const struct tool_exec *x, const char *name);
enum tool_exit tool_exec_upload(struct tool_exec *x, int array,
	const void *data);
enum tool_exit tool_exec_download(struct tool_exec *x, int array, void *data);
/* Fill outputs and temporaries with the byte "poison". */
enum tool_exit tool_exec_poison(struct tool_exec *x, unsigned char poison);
/* Launch all kernels in order on one stream and wait. */
enum tool_exit tool_exec_run(struct tool_exec *x);
/* Look on the device whether the inputs, which are there, hold what the program assumes. */
enum tool_exit tool_exec_within(struct tool_exec *x);
void tool_exec_free(struct tool_exec *x);
/* Print what failed with the status and the runtime's own words; returns the
 * exit code.
 */
enum tool_exit tool_device_error(const char *what, enum cetane_status status);

/* -------------------------------------------------------------- measure.c */

struct tool_object;
/* Measure the errors of "b", made of "unit" with the program "prog", whose contracts are
 * known, and put them there. What fails is told, also if nothing can be compared.
 */
enum tool_exit tool_measure(struct tool_object *b, const struct tool_options *o,
	struct fe_unit *unit, struct poly_prog *prog);

#endif
