/* What the files of `cetane inspect` share: inspect.c chooses, reads and
 * prints; inspect_source.c gathers the facts about a source and
 * inspect_text.c, inspect_json.c write them; inspect_artifact.c reads what a
 * build has made.
 */
#ifndef TOOLS_INSPECT_H
#define TOOLS_INSPECT_H

#include "runtime/image/image.h"
#include "tools/lib/compile/compile.h"
#include "tools/lib/base/base.h"

/* A program of the compilation: the one for all sizes, or that of a version.
 * "size" has a value for each of its sizes, hidden ones, too.
 */
struct tool_part {
	struct poly_prog *prog;
	int first;	/* of its kernels in the record */
	int64_t *size;
	struct poly_access *access;
	int n_access;
	struct poly_loop *loop;
	int n_loop;
	struct poly_kernel_work *work;	/* of each kernel */
	struct poly_price *price;	/* of each kernel */
};
/* What the launches of a kernel of the record have in common: their number, the
 * tiles of the largest and of the smallest one, and the iterators of the first.
 */
struct tool_launches {
	int64_t n;
	int64_t most[2], least[2];
	int64_t iter[CETANE_RT_MAX_ITER];
};
/* A compiled source. "record" has its sizes and arrays by their names in the
 * text; "size" is a value for each, "workspace" the bytes at these sizes,
 * "temporaries" the sum of those of each that lies there. LLVM IR that
 * does not say how it is launched has no record.
 */
struct tool_facts {
	const struct tool_compile *compile;
	struct cetane_rt_record *record;
	int64_t *size;
	bool assumed;			/* some values are our own */
	int version;			/* that runs at these sizes */
	int64_t workspace, temporaries;
	struct tool_part *part;
	int n_part;			/* 0: LLVM IR, without a program */
	int *part_of;			/* of each kernel of the record */
	struct tool_launches *launches;	/* of each kernel of the record */
	bool more_launches;		/* than were counted */
};
/* Values of sizes that neither the text nor -D gives; most steps of launches that
 * are counted.
 */
enum { TOOL_INSPECT_SIZE = 1024, TOOL_INSPECT_STEPS = 1000000 };

/* Gather what is known of the compiled "c"; call tool_facts_free in any case.
 */
enum tool_exit tool_facts_gather(struct tool_facts *f,
	const struct tool_options *o, struct tool_compile *c);
void tool_facts_free(struct tool_facts *f);
/* Is kernel "i" of the record another launch of one that stands before it, so that nothing
 * but its grid is its own? Or is it none of the program, but looks at what arrays hold?
 */
bool tool_facts_repeats(const struct tool_facts *f, int i);
/* Does launch "i" of the record make what that of its kernel needs? */
bool tool_facts_is_before(const struct tool_facts *f, int i);
/* The launches of kernel "i" and of those that repeat it. */
struct tool_launches tool_facts_launches(const struct tool_facts *f, int i);
/* The kernel whose grid is that of the version which runs: "i", or one that
 * repeats it.
 */
const struct cetane_rt_kernel *tool_facts_running(const struct tool_facts *f,
	int i);
/* What the assembler says of kernel "k", or NULL. */
const struct nvptx_usage *tool_facts_usage(const struct tool_facts *f,
	const struct cetane_rt_kernel *k);
/* How many blocks of kernel "k" a multiprocessor takes; false where that is not
 * known, for lack of an assembler.
 */
bool tool_facts_occupancy(const struct tool_facts *f,
	const struct cetane_rt_kernel *k, struct nvptx_occupancy *o);
/* If there is a program: that of kernel "i" of the record, that kernel in it, its work,
 * and what it is expected to take.
 */
const struct tool_part *tool_facts_part(const struct tool_facts *f, int i);
struct poly_kernel *tool_facts_kernel(const struct tool_facts *f, int i);
const struct poly_kernel_work *tool_facts_work(const struct tool_facts *f,
	int i);
const struct poly_price *tool_facts_price(const struct tool_facts *f, int i);
/* The cycles, and microseconds, that all kernels of the version that runs are expected to
 * take.
 */
double tool_facts_predicted(const struct tool_facts *f, double *us);

/* inspect_pairs.c: kernels "from" and "to" of the record, of which one needs "array", and
 * perhaps others, that the other stores: the cycles of each, and what one kernel of both
 * would take at least. Call "see" for each such pair.
 */
struct tool_pair {
	int from, to;
	const char *array;
	double first, second, together;
};
typedef void tool_see_pair(const struct tool_facts *f,
	const struct tool_pair *pair, void *user);
void tool_facts_pairs(const struct tool_facts *f, tool_see_pair *see,
	void *user);

/* inspect_roof.c: append how far the program is from the roofline of its inputs and
 * outputs, and what lies between.
 */
void tool_facts_roof(const struct tool_facts *f, struct poly_str *out);

/* inspect_version.c: append the versions of a record: conditions, costs, and
 * which kernels they run, as lines or as a list of JSON.
 */
void tool_versions_text(const struct cetane_rt_record *r, struct poly_str *out);
void tool_versions_json(const struct cetane_rt_record *r, struct poly_str *out);

/* inspect_order.c: append in which order the launches of a record are, as lines or as a
 * member of JSON, if some may run at one time.
 */
void tool_order_text(const struct cetane_rt_record *r, struct poly_str *out);
void tool_order_json(const struct cetane_rt_record *r, struct poly_str *out);

void tool_facts_text(const struct tool_facts *f, struct poly_str *out);
void tool_facts_json(const struct tool_facts *f, struct poly_str *out);

/* inspect_tree.c: append a drawing (SVG) of the schedule tree "text", as
 * poly_print_tree prints it: a box a node, below and to the right of its parent,
 * and in it the sets or functions of the statements.
 */
void tool_tree_draw(const char *text, struct poly_str *out);

/* inspect_diff.c: append how the schedule tree "tree" differs from the one that the file
 * "path" holds, line by line. What fails is told.
 */
enum tool_exit tool_tree_compare(const char *path, const char *tree,
	struct poly_str *out);

/* inspect_page.c: append a page of HTML about the program "c", which has printed its
 * schedule and its optimised LLVM IR. TOOL_INPUT, having said why, if the file of
 * --profile cannot be used.
 */
enum tool_exit tool_inspect_page(struct tool_compile *c, struct poly_str *out);
/* inspect_times.c: a line of text for each kernel of "f", below a head: the cycles that
 * it is expected to take, if all sizes are fixed, and what the file of --profile has of
 * it. "row" has the lines of the source of each.
 */
struct tool_times_row {
	int line[16], n;
};
struct tool_times {
	struct poly_str text;
	struct tool_times_row *row;
	int n;
};
enum tool_exit tool_times_make(const struct tool_facts *f,
	struct tool_times *t);
void tool_times_free(struct tool_times *t);

/* inspect_layout.c: append which thread and register, and which byte of shared
 * memory, holds what in each kernel of "prog", as text or as a drawing (SVG).
 */
void tool_inspect_layouts(struct poly_prog *prog, bool draws,
	struct poly_str *out);

/* inspect.c: append what the source or artifact "src" holds, as the options say. */
enum tool_exit tool_inspect_make(const struct tool_options *o,
	const struct tool_source *src, struct poly_str *out);

/* True if "text" is what a build has made, and no source. */
bool tool_is_artifact(const struct tool_source *src);
/* Append what the machine code "c" has made, or its PTX, tells of itself. */
enum tool_exit tool_inspect_code(const struct tool_compile *c,
	struct poly_str *out);
/* Append what the artifact holds. */
enum tool_exit tool_inspect_artifact(const struct tool_options *o,
	const struct tool_source *src, struct poly_str *out);

#endif
