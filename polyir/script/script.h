/* Schedule scripts in Lua. */
#ifndef POLYIR_SCRIPT_H
#define POLYIR_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include <isl/ctx.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"

struct poly_config;

/* A script: "text" of "len" bytes, from the file "name"; these are not owned. "read",
 * if not NULL, returns the text of another file "name" that the script asks for, which
 * is to be freed, and its length; or NULL. Messages about the script go to "report",
 * places in them are places in "text"; what it prints goes to "out"; "decisions" of
 * n_decisions bytes, or NULL, says what it chooses where it asks. They are from the file
 * "decided"; if that is NULL, they are tried: what the script does not ask for, or has
 * no such value of, does not count. "asked" receives what it has asked for, a line each:
 * a name, the number of the value that it took, from 1, and the values. "config" is what
 * it chooses for kernels of products. These are the caller's to free. "serial": it
 * wants all of the program in one thread, in the order of the text; the pass then fails
 * without a message of its own, and the caller compiles for one thread.
 */
struct poly_script {
	const char *name, *text, *decisions, *decided;
	size_t len, n_decisions;
	char *(*read)(void *user, const char *name, size_t *len);
	void *user;
	struct poly_report report;
	struct poly_str out, asked;
	struct poly_config *config;
	struct poly_folds folds;
	bool serial;
};

/* Run the script of the program's request: its commands change the order of the text,
 * or where there is none the automatic one, and what stands at the end is the schedule.
 * Without Lua it always fails.
 */
isl_stat poly_script(struct poly_prog *prog);

/* record.c: write the script called for by "r", what the passes did to the program
 * "name", and "search", what they chose; free what "r" holds.
 */
void poly_record_write(const struct poly_record *r,
	const struct poly_search *search, const char *name,
	struct poly_str *out);
void poly_record_free(struct poly_record *r);

#endif
