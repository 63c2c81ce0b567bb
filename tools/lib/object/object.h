/* tools/lib/object: the parts of an object. make_object.c compiles the images and
 * links them; header.c and manifest.c describe the result.
 */
#ifndef TOOLS_LIB_OBJECT_H
#define TOOLS_LIB_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "nvptx/nvptx.h"
#include "runtime/image/image.h"
#include "tools/lib/base/base.h"

/* One image and how it came about; all is owned. */
struct tool_image {
	enum cetane_rt_kind kind;
	const struct nvptx_target *target;	/* NULL for the host */
	int ptx;		/* version of PTX, times 10; 0 for the host */
	const struct nvptx_host *host;	/* NULL for a GPU, or unknown */
	struct poly_str data;
	struct cetane_rt_record *record;
	struct nvptx_usage *usage;		/* of a cubin */
	int n_usage;
};

enum { TOOL_MAX_IMAGE = TOOL_MAX_ARCH + 2 };

/* What an output promises of its numbers: "n_round" operations behind an element round,
 * functions within "ulp" units more, and "n_sum" sums of floats go over "terms" each,
 * joined by commas. With "again" some of that is repeated as often as a recurrence goes.
 * A GPU has the functions "approximate", by their operators, as its hardware has them.
 */
struct tool_contract {
	bool known, again, approximate[POLY_OP_NONE];
	int n_round, n_sum, ulp;
	struct poly_str terms;
	struct tool_measured {
		int64_t n;	/* elements that were compared; 0: nothing was */
		double error;	/* the largest */
		double share;	/* the largest as a share of what is allowed */
		double largest;	/* magnitude of what was compared */
	} measured;
};

/* A finished object. The last image is the host's. */
struct tool_object {
	const char *name;	/* of the C function */
	char *source;		/* what tool_source_shown calls it */
	const struct tool_source *text;
	struct tool_image image[TOOL_MAX_IMAGE];
	int n_image;
	struct poly_str container;
	const struct fe_entry *entry;	/* of a drop-in object, or NULL */
	enum poly_fp fp;
	bool contract;		/* products and sums may be fused */
	bool selftest;		/* has NAME_selftest */
	bool pitched;		/* has NAME_strided */
	bool no_provenance;	/* does not say what made it, and of what */
	/* one for each array of the host's record; NULL: nothing is known */
	struct tool_contract *numbers;
};

/* name.c: can the function of an object have that name? */
bool tool_is_function_name(const char *name);

/* header.c: NAME.h, for C89 and C++; that of a drop-in object has the C of the
 * source. The name of the class of floating-point operations.
 */
const char *tool_fp_name(enum poly_fp fp);
void tool_object_header(const struct tool_object *b, struct poly_str *out);
/* formula.c: the formula "f" in the sizes of "r": "M", "2*M + 1",
 * "(M + 31) / 32", where division rounds down; iterators are h0, h1, ...
 */
void tool_formula_text(const struct cetane_rt_record *r,
	const struct cetane_rt_formula *f, struct poly_str *out);

/* entry.c: how the entry "e" hands its arguments over to the program of "r". The
 * caller frees "arg" of what it gets; that is NULL without memory.
 */
struct nvptx_drop_in tool_drop_in(const struct fe_entry *e,
	const struct cetane_rt_record *r, struct poly_prog *prog);

/* manifest.c: NAME.json. */
void tool_object_manifest(const struct tool_object *b, struct poly_str *out);

/* The note of an object, for cetane inspect: text that begins with this line,
 * then the SHA-256 of the container, then lines that begin with "made ", "numbers " or
 * "image NUMBER ".
 */
#define TOOL_NOTE_MAGIC "cetane note 1\n"
void tool_object_note(const struct tool_object *b, struct poly_str *out);


/* -------------------------------------------------------------- manifest.c */

/* isl's version without its name, such as "0.25-GMP", at "text". */
void tool_isl_version(char *text, size_t size);

/* -------------------------------------------------------------- contract.c */

/* The contracts of the arrays of "r", by the text's own program "prog", which no pass
 * has seen; NULL without memory. The class of one, in words.
 */
struct tool_contract *tool_contracts(struct poly_prog *prog,
	const struct cetane_rt_record *r);
void tool_contracts_free(struct tool_contract *c, int n);
const char *tool_contract_class(const struct tool_contract *c, enum poly_fp fp);
/* Append the names of the functions that a GPU approximates, with "around" in front of and
 * behind each, and "between" them. Were there any?
 */
bool tool_contract_approximate(const struct tool_contract *c, const char *around,
	const char *between, struct poly_str *out);

/* ----------------------------------------------------------------- trial.c */

/* What an object is tried with: "param" are the sizes of the unit, "size" those of the
 * record; "data" the inputs, one for each array of the record, which "interp" has, too.
 */
struct tool_trial {
	const struct tool_options *o;
	const struct fe_unit *unit;
	struct poly_prog *prog;
	const struct cetane_rt_record *record;	/* of the host's image */
	struct fe_interp *interp;
	int64_t *param, *size;
	void **data;
	bool memory;		/* there was not enough */
};
/* Set up for the object "b" of "unit" with the program "prog", which stay; false without
 * memory. Free it in any case.
 */
bool tool_trial_init(struct tool_trial *t, const struct tool_object *b,
	const struct tool_options *o, const struct fe_unit *unit,
	struct poly_prog *prog);
void tool_trial_free(struct tool_trial *t);
/* Call "one" with odd sizes, and with round ones if not all are fixed, each time until it
 * returns true. Returns how often it did.
 */
int tool_trial_cases(struct tool_trial *t,
	bool (*one)(struct tool_trial *t, void *user), void *user);
/* Make the interpreter and the inputs for the sizes; each "turn" has inputs of its own,
 * and a self-test the first ones. False if a size does not suit the program, or there is
 * too much of an array. Drop them in any case.
 */
bool tool_trial_inputs(struct tool_trial *t, int turn);
void tool_trial_drop(struct tool_trial *t);
/* How many elements array "i" has, or -1: it is too large, or has none. */
int64_t tool_trial_elements(const struct tool_trial *t, int i);
/* Which integers may array "i" hold? What tells positions has a range; elsewhere "range"
 * becomes that of no integer.
 */
void tool_trial_range(struct tool_trial *t, int i, int64_t range[2]);
/* Evaluate element "at" of array "i", counted row by row; false if it cannot be. */
bool tool_trial_eval(struct tool_trial *t, int i, int64_t at, struct fe_value *v);

/* -------------------------------------------------------------- selftest.c */

/* Numbers of 64 bits; "word" is owned. */
struct tool_words {
	int64_t *word, n, cap;
};
/* The numbers of the self-test of "b", made of "unit" with the program "prog": inputs
 * are made up, outputs evaluated. What fails is told, also if no sizes give values.
 */
enum tool_exit tool_selftest(const struct tool_object *b,
	const struct tool_options *o, const struct fe_unit *unit,
	struct poly_prog *prog, struct tool_words *out);

/* ---------------------------------------------------------------- record.c */

/* The launch record of "plan" for the program called "program"; the caller
 * frees it. With "unit", sizes have their names of the text, and inputs and
 * outputs its order. NULL without memory.
 */
struct cetane_rt_record *tool_record(const struct nvptx_plan *plan,
	const struct fe_unit *unit, const char *program);

/* ---------------------------------------------------------------- launch.c */

struct tool_compile;	/* compile/compile.h */
/* Let the launch record go with the text of c's module, if that is wanted. False
 * without memory.
 */
bool tool_launch_note(struct tool_compile *c);
/* The record of the compiled "c", as tool_record makes it with "unit". Of LLVM IR, it
 * is what went with the text, or NULL if nothing did. The caller frees it. What
 * fails is told.
 */
enum tool_exit tool_launch_record(struct tool_compile *c,
	const struct fe_unit *unit, struct cetane_rt_record **record);
/* See that every -D names a size of "r", and gives one that is fixed its value. */
enum tool_exit tool_launch_defines(const struct tool_options *o,
	const struct cetane_rt_record *r);

/* --------------------------------------------------------------- runtime.c */

enum { TOOL_N_RUNTIME = 2 };
/* The names of the files of --emit=runtime, in the order of the outputs. */
extern const char *const tool_runtime_name[TOOL_N_RUNTIME];
/* The runtime as sources; the outputs have these names for suffixes. */
enum tool_exit tool_make_runtime(struct tool_reply *reply);

#endif
