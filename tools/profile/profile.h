/* The verb profile: what its files share; grouped by file. */
#ifndef TOOLS_PROFILE_H
#define TOOLS_PROFILE_H

#include "tools/lib/inspect/inspect.h"
#include "tools/own/own.h"

enum { TOOL_PROFILE_LINES = 64 };	/* most lines of the source of a kernel */

/* A kernel. "at" is its number in the record of the facts; "ms" are times of all its
 * launches in a run of the program, "n_ms" of them, and "median" is theirs. Occupancy
 * is that of the driver on a GPU, else by the assembler; blocks of 0: unknown. What is
 * negative is unknown, too; so are "share" and "cycles" of 0.
 */
struct tool_profile_kernel {
	int at;
	const char *name;
	int64_t launches;
	double ms[TOOL_BENCH_N_ROUND], median;
	int n_ms;
	int line[TOOL_PROFILE_LINES], n_line;
	const char *type;	/* of what it writes */
	struct poly_kernel_work work;
	double share;		/* of what the device can do */
	struct nvptx_occupancy occupancy;
	int threads, registers, shared, local;
	double cycles, predicted_ms;	/* that the model expects */
};
/* A run of the verb. The facts are those of "own.c" on a GPU, and of "gpu_code" on the
 * host device.
 */
struct tool_profile {
	const struct tool_options *o;
	struct tool_source src;
	struct tool_output out;		/* of --svg */
	struct tool_cuda gpu;
	bool is_cuda, more_launches;
	double copy_rate;
	struct tool_own own;
	struct tool_compile gpu_code;
	struct tool_facts facts;
	struct tool_profile_kernel *kernel;
	int n_kernel, n_round;
	struct tool_clock clock;
};

/* --------------------------------------------------------- profile_time.c */

/* Run the program and give each kernel its times. */
enum tool_exit tool_profile_time(struct tool_profile *p);

/* ------------------------------------------------------- profile_kernel.c */

/* Fill "k" with what is known of it beside its times; then, with them, its share. */
enum tool_exit tool_profile_describe(struct tool_profile *p,
	struct tool_profile_kernel *k);
void tool_profile_share(const struct tool_profile *p,
	struct tool_profile_kernel *k);

/* ------------------------------------------------------- profile_report.c */

void tool_profile_text(const struct tool_profile *p, struct poly_str *out);
void tool_profile_json(const struct tool_profile *p, struct poly_str *out);
void tool_profile_svg(const struct tool_profile *p, FILE *out);

/* -------------------------------------------------------------- profile.c */

enum tool_exit tool_profile(struct tool_options *o);

#endif
