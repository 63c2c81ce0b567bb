/* The verb tune: what its files share; grouped by file.
 *
 * A *candidate* is a configuration of a program at one size, as a database of
 * results has it (tools/lib/tuning.h). The first of a *space* is what the model
 * chooses; the others come in the order in which the model ranks them.
 */
#ifndef TOOLS_TUNE_H
#define TOOLS_TUNE_H

#include "tools/bench.h"
#include "tools/lib/tuning.h"

struct tool_candidate {
	char *config;
	double cycles;		/* that the model expects */
};
struct tool_space {
	char *name;		/* of the program */
	char hash[TOOL_TUNING_HASH];
	char *factors;		/* what there is of what, as text */
	double total;		/* configurations, if all were listed */
	struct tool_candidate *item;
	int n;
};

/* ----------------------------------------------------------- tune_space.c */

/* List the space of "p" in a worker; "o" are the options to compile with, and
 * "src" the program. Call tool_space_free in any case.
 */
enum tool_exit tool_space_list(struct tool_space *s,
	const struct tool_options *o, const struct tool_source *src,
	const struct nvptx_target *target);
void tool_space_free(struct tool_space *s);

/* ----------------------------------------------------------------- tune.c */

enum tool_exit tool_tune(struct tool_options *o);

#endif
