/* tools: the command "cetane". What its files share; grouped by file.
 *
 * A verb is a function from options to an exit code. Whatever reads a program
 * runs in a worker process (worker.c); what it wants to keep it writes to
 * outputs (output.c), which the parent puts in place when all went well.
 */
#ifndef TOOLS_H
#define TOOLS_H

#include <stdio.h>
#include <sys/types.h>

#include "tools/lib/base/base.h"

struct tool_compile;	/* lib/compile/compile.h */
struct tool_exec;

/* -------------------------------------------------------------- answer.c */

/* Fill "o" from the command line. Returns TOOL_OK, or TOOL_USAGE having
 * printed what is wrong and the nearest right spelling, or what reading a
 * file of arguments returns. --help and --version are answered here: then
 * "done" is set. Call tool_options_free in any case.
 */
enum tool_exit tool_options_parse(struct tool_options *o, int argc,
	char **argv, bool *done);

/* ---------------------------------------------------------------- args.c */

/* Copy the arguments to "args", those of the form @FILE replaced by the words
 * in FILE, up to "--"; the first is copied as it is. Words are parted by
 * white space; quotes and backslashes are those of a shell. Files may name
 * further files; "files" receives the names of all that were read. Returns
 * TOOL_OK, TOOL_INPUT if a file cannot be read, or TOOL_USAGE, having printed
 * why. Call tool_args_free for both in any case.
 */
enum tool_exit tool_args_expand(struct tool_args *args,
	struct tool_args *files, int argc, char **argv);

/* ----------------------------------------------------------------- help.c */

enum { TOOL_WIDTH = 79 };
/* Print "text" from column "at" on, its words wrapped at TOOL_WIDTH, further
 * lines beginning in column "indent", and end the line.
 */
void tool_print_wrapped(const char *text, int at, int indent);
void tool_print_help(void);
void tool_print_verb_help(enum tool_verb verb);
/* Print the help of the verb "o->file", or that of the command. */
enum tool_exit tool_help(struct tool_options *o);

/* ------------------------------------------------------------- generate.c */

/* Print the manual page ("man") or a completion ("bash", "zsh", "fish");
 * false if "kind" is none of them.
 */
bool tool_generate(const char *kind);

/* ------------------------------------------------------------- complete.c */

void tool_complete_bash(void);
void tool_complete_zsh(void);
void tool_complete_fish(void);

/* ------------------------------------------------------------- numbers.c */

/* Have isl's numbers in memory that is quick to get. To be called by a program
 * that owns its process, before it uses isl.
 */
void tool_keep_numbers(void);

/* -------------------------------------------------------------- output.c */

/* A file that appears whole or not at all. */
struct tool_output {
	char *name;	/* as given; NULL: standard output */
	char *path;	/* in its real folder; NULL: standard output */
	char *temp;	/* a name beside it; NULL: the content is copied */
	int fd;
	int folder;	/* open, to wait for its disk, or -1 */
	bool listed;	/* the file has its temporary name */
	mode_t mode;	/* of a new file, less the umask */
	struct tool_output *next;	/* of those that are listed */
};
/* Open the output "path" ("-": standard output) for writing to "fd"; false,
 * having printed why. Nothing is visible under "path" before the commit.
 * "out" must stay where it is until it is closed.
 */
bool tool_output_open(struct tool_output *out, const char *path);
/* Such a file, for its owner alone. */
bool tool_output_open_private(struct tool_output *out, const char *path);
/* Open the file "path" to append to it, not through a link; NULL, having printed why.
 */
FILE *tool_output_append(const char *path);
/* Cut the file "path", which is no link, to "size" bytes; false, having printed why.
 */
bool tool_output_cut(const char *path, off_t size);
/* Would "out" take the place of the file "path", or of the output "b"? */
bool tool_output_replaces(const struct tool_output *out, const char *path);
bool tool_output_same(const struct tool_output *a, const struct tool_output *b);
/* Put all of them in place: a full disk under the files and streams, or a
 * closed pipe, is what can still fail, so the renames come last. False, having
 * printed why.
 */
bool tool_output_commit(struct tool_output *out, int n);
/* Close and free; what was not committed is removed. */
void tool_output_close(struct tool_output *out, int n);
/* Remove the temporary files; for signal handlers. */
void tool_output_signal(void);

/* ----------------------------------------------------------- reproduce.c */

/* Build again, elsewhere, and compare with the "n" outputs of "first", which are for the
 * files "file". TOOL_MISMATCH, having said what differs, unless they are the same.
 */
enum tool_exit tool_reproduce(const struct tool_options *o,
	const struct tool_source *src, const struct tool_output *file, int n,
	const struct tool_reply *first);

/* ------------------------------------------------------------- depfile.c */

/* With --depfile, open it as one more of the "*n" outputs and write there what
 * they depend on. "out" has room for it.
 */
enum tool_exit tool_depfile_open(const struct tool_options *o,
	struct tool_output *out, int *n);
/* Add the names "header", which end in a line feed each, to the dependency file
 * "out", and end it.
 */
enum tool_exit tool_depfile_finish(const struct tool_options *o,
	const struct tool_output *out, const char *header);

/* --------------------------------------------------------------- print.c */

/* From now on print messages on standard error, in the colour that "o" has
 * chosen, which must stay where it is.
 */
void tool_print_messages(const struct tool_options *o);
/* True if messages are in colour: as chosen, and when that is TOOL_COLOR_AUTO
 * on a terminal unless $NO_COLOR is set or $TERM is dumb.
 */
bool tool_color(const struct tool_options *o);

/* --------------------------------------------------------------- crash.c */

/* From now on let a signal that ends us end the worker, too, and remove the
 * temporary files; ignored signals stay ignored.
 */
void tool_catch_signals(void);
/* Run "fn" in a worker process and return its exit code. A worker that dies
 * gives TOOL_INTERNAL and a reproducer made from the command line and "src";
 * one that goes over a limit gives TOOL_LIMIT. Each is told with the stage.
 */
enum tool_exit tool_worker(const struct tool_options *o,
	const struct tool_source *src, enum tool_exit (*fn)(void *user),
	void *user);
/* Write the reproducer "text" of a failure in "stage" to a file in the folder
 * --crash-dir, and say which.
 */
void tool_keep_reproducer(const struct tool_options *o, const char *stage,
	const void *text, size_t len);

/* --------------------------------------------------------------- build.c */

enum tool_exit tool_build(struct tool_options *o);
/* True if "path" is a folder, or must be one because it ends in a slash. */
bool tool_is_folder(const char *path);
/* The name of the input without folder and suffix; owned by the caller, NULL
 * without memory.
 */
char *tool_stem(const char *file);
enum tool_exit tool_check(struct tool_options *o);
/* Print what the source or artifact "o->file" holds. */
enum tool_exit tool_inspect(struct tool_options *o);

/* -------------------------------------------------------------- folder.c */

/* Say what the cache has, or remove entries, as "o->file" says. */
enum tool_exit tool_cache(struct tool_options *o);

/* -------------------------------------------------------------- config.c */

/* Print the flags of compilers and linkers, or where Cetane is installed. */
enum tool_exit tool_config(const struct tool_options *o);

/* -------------------------------------------------------------- format.c */

/* Format the programs of the operands, or with --check say which are not. */
enum tool_exit tool_format(struct tool_options *o);

/* ------------------------------------------------------------- version.c */

/* Print the version of the command; if "verbose", also of LLVM, isl, ptxas.
 * TOOL_ENVIRONMENT, having said so, without memory.
 */
enum tool_exit tool_print_version(bool verbose);

/* ------------------------------------------------------------- explain.c */

/* Print what is known of the message "o->file", such as E203, 203 or w231, or the
 * list of all.
 */
enum tool_exit tool_explain(struct tool_options *o);

/* -------------------------------------------------------------- doctor.c */

/* Print what is found on this machine; TOOL_ENVIRONMENT if no GPU is usable.
 */
enum tool_exit tool_doctor(void);

/* ----------------------------------------------------------------- npy.c */

/* An array of at most 8 dimensions, C order, in memory. */
struct tool_npy {
	enum poly_type type;
	int n_dim;
	int64_t dim[8];
	void *data;
	size_t size;
};
/* Read a .npy of version 1 or 2 from "text"; "want" tells bf16 from u16.
 * Returns NULL, or the reason as a constant text. "data" is the caller's.
 */
const char *tool_npy_read(struct tool_npy *a, const void *text, size_t len,
	enum poly_type want);
bool tool_npy_write(int fd, const struct tool_npy *a);

/* ---------------------------------------------------------------- data.c */

/* Number of elements, or of bytes; -1 if there are more than memory can hold.
 */
int64_t tool_elements(int n_dim, const int64_t *dim);
int64_t tool_bytes(int64_t n, int64_t element);
/* Element "i" of an array, as a number; integers of 64 bits are rounded. */
double tool_get(enum poly_type type, const void *data, int64_t i);
/* Element "i" of an array of integers or bools; of a u64 its bits. */
int64_t tool_get_int(enum poly_type type, const void *data, int64_t i);
/* Append the value of an element: "x" of a float, else "integer". */
void tool_add_value(struct poly_str *s, enum poly_type type, double x,
	int64_t integer);
/* Append "[2,3]", the "n_dim" numbers "at"; nothing if there is none. */
void tool_add_index(struct poly_str *s, int n_dim, const int64_t *at);
/* Number "i" in row-major order as an index into "dim". */
void tool_index_of(int n_dim, const int64_t *dim, int64_t i, int64_t *at);
/* Round "x" to the type and store it as element "i". */
void tool_set(enum poly_type type, void *data, int64_t i, double x);
/* Fill with seeded random numbers: floats uniform in [-1, 1], integers in
 * [-4, 4]; each element depends on seed, name and index alone.
 */
void tool_random(enum poly_type type, void *data, int64_t n, const char *name,
	uint64_t seed);
/* The same with integers from "first" to "last", as far as the type has them. */
void tool_random_range(enum poly_type type, void *data, int64_t n,
	const char *name, uint64_t seed, int64_t first, int64_t last);

/* hash.c: the bits of "x", mixed (the finaliser of SplitMix64); the i-th number
 * of the stream "seed"; a hash of "len" bytes.
 */
uint64_t tool_mix(uint64_t x);
uint64_t tool_random_bits(uint64_t seed, uint64_t i);
uint64_t tool_hash(uint64_t seed, const void *data, size_t len);

/* ------------------------------------------------------------------ run.c */

/* A matrix of the program on the host: any array, a scalar has no dimension.
 * What is changed in place is an input and an output of one name.
 */
struct tool_matrix {
	const char *name;
	enum poly_type type;
	int n_dim;
	int64_t dim[FE_MAX_DIM];
	int64_t n;		/* elements */
	bool in_place;
	bool is_flat;		/* may have one dimension */
	void *data;
	struct tool_output *file;	/* of --output, or NULL */
};
struct tool_run {
	struct tool_options *o;
	struct tool_source src;
	struct tool_output *file;	/* of --output, in its order */
	int n_file;
	struct fe_unit *unit;	/* NULL: poly IR or LLVM IR */
	struct cetane_rt_record *record;	/* of these, else NULL */
	struct fe_define *value;	/* of each size, in the text's order */
	int n_value;
	struct fe_interp *interp;	/* NULL without a unit */
	struct tool_matrix *in, *out;
	int n_in, n_out;
};
enum tool_exit tool_run(struct tool_options *o);
/* Compile r->unit, which has its data, for the device of the options, and load that; or
 * r->src, which gets its data then. Free both in any case.
 */
enum tool_exit tool_run_load(struct tool_run *r, struct tool_compile *c,
	struct tool_exec *x);
/* Launch over a pattern, fetch the outputs, and see that all of them were written. */
enum tool_exit tool_run_execute(struct tool_run *r, struct tool_exec *x);
/* The inputs to the device; if "again", those that a launch has changed. The outputs
 * to the host.
 */
enum tool_exit tool_run_upload(struct tool_run *r, struct tool_exec *x,
	bool again);
enum tool_exit tool_run_download(struct tool_run *r, struct tool_exec *x);
/* Choose checks and the order of blocks and threads with the number "order",
 * from 0, on the host device "dev".
 */
enum tool_exit tool_configure(const struct tool_options *o,
	struct cetane_device *dev, int64_t order);
/* The architecture to compile for on a device of that capability: the
 * device's own, with its special features if there is such a row, else the
 * nearest older one; NULL if there is none.
 */
const struct nvptx_target *tool_choose_target(int capability);

/* ------------------------------------------------------------- run_data.c */

/* Give "r" values of sizes, and inputs and outputs: those of its unit, or of the
 * compiled program "c" if it has none. Call tool_run_free in any case.
 */
enum tool_exit tool_run_of_unit(struct tool_run *r);
enum tool_exit tool_run_of_record(struct tool_run *r, struct tool_compile *c);
/* Random contents of the input "m", whose memory is there: positions, if that is what
 * its elements are, of what is read there.
 */
/* Does the interpreter know of no position outside of what is read there? If it does,
 * that is told.
 */
bool tool_positions_inside(struct tool_run *r);
void tool_fill_input(const struct tool_run *r, struct tool_matrix *m);
void tool_run_free(struct tool_run *r);

/* ------------------------------------------------------------ run_order.c */

/* Call "run" for each further order of the host device that was asked for. Its
 * outputs must be those in r->out, bit for bit, unless --fp=relaxed lets them
 * depend on the order.
 */
enum tool_exit tool_run_orders(struct tool_run *r, struct tool_exec *x,
	enum tool_exit (*run)(struct tool_run *r, struct tool_exec *x));

/* ----------------------------------------------------------------- load.c */

/* Fill "m", which has memory, with what "text" tells: values such as [[1, 2], [3, 4]]
 * or 0.5, or the name of a .npy file. TOOL_INPUT, having said why, if they do not
 * fit.
 */
enum tool_exit tool_load(struct tool_matrix *m, const char *text);

/* --------------------------------------------------------------- expect.c */

/* Compare outputs with what --expect tells of them and print a line each;
 * TOOL_MISMATCH at the first wrong element.
 */
enum tool_exit tool_expect(struct tool_run *r);

/* --------------------------------------------------------------- verify.c */

/* Compare the outputs of a run with a reference and print one line each;
 * returns TOOL_MISMATCH at the first wrong element.
 */
enum tool_exit tool_verify(struct tool_run *r);

/* Write what "write" prints to the output "path", all or nothing. */
enum tool_exit tool_write_output(const char *path,
	void (*write)(const void *user, const char *path, FILE *f),
	const void *user);

#endif
