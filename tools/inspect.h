/* What the files of `cetane inspect` share: inspect.c chooses, reads and
 * prints; inspect_source.c gathers the facts about a source and
 * inspect_text.c, inspect_json.c write them; inspect_artifact.c reads what a
 * build has made.
 */
#ifndef TOOLS_INSPECT_H
#define TOOLS_INSPECT_H

#include "runtime/image.h"
#include "tools/tools.h"

/* A compiled source. "record" has its sizes and arrays by their names in the
 * text; "size" is a value for each, "workspace" the bytes at these sizes.
 */
struct tool_facts {
	const struct tool_compile *compile;
	struct cetane_rt_record *record;
	int64_t *size;
	bool assumed;			/* some values are our own */
	int64_t workspace;
	struct poly_access *access;
	int n_access;
	struct poly_loop *loop;
	int n_loop;
	struct poly_kernel_work *work;	/* of each kernel of the program */
};
/* Values of sizes that neither the text nor -D gives. */
enum { TOOL_INSPECT_SIZE = 1024 };

/* Gather what is known of the compiled "c"; call tool_facts_free in any case.
 */
enum tool_exit tool_facts_gather(struct tool_facts *f,
	const struct tool_options *o, struct tool_compile *c);
void tool_facts_free(struct tool_facts *f);
/* The number of tiles of kernel "k" in dimension "d". */
int64_t tool_facts_tiles(const struct tool_facts *f,
	const struct cetane_rt_kernel *k, int d);
/* What the assembler says of kernel "k", or NULL. */
const struct nvptx_usage *tool_facts_usage(const struct tool_facts *f,
	const struct cetane_rt_kernel *k);
/* How many blocks of kernel "k" a multiprocessor takes; false where that is not
 * known, for lack of an assembler.
 */
bool tool_facts_occupancy(const struct tool_facts *f,
	const struct cetane_rt_kernel *k, struct nvptx_occupancy *o);
const struct poly_kernel_work *tool_facts_work(const struct tool_facts *f,
	const struct poly_kernel *kernel);
/* The kernel of the program that "k" launches. */
struct poly_kernel *tool_facts_kernel(const struct tool_facts *f,
	const struct cetane_rt_kernel *k);

void tool_facts_text(const struct tool_facts *f, struct poly_str *out);
void tool_facts_json(const struct tool_facts *f, struct poly_str *out);

/* inspect_tree.c: append a drawing (SVG) of the schedule tree "text", as
 * poly_print_tree prints it: a box a node, below and to the right of its parent,
 * and in it the sets or functions of the statements.
 */
void tool_tree_draw(const char *text, struct poly_str *out);

/* True if "text" is what a build has made, and no source. */
bool tool_is_artifact(const struct tool_source *src);
/* Append what the artifact holds. */
enum tool_exit tool_inspect_artifact(const struct tool_options *o,
	const struct tool_source *src, struct poly_str *out);

#endif
