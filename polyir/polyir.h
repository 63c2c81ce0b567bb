/* polyir: the polyhedral intermediate representation and its passes.
 *
 * A "program" holds parameters (symbolic sizes), arrays, statements, kernels,
 * one schedule tree and one set of dependences. Passes transform the program
 * or its tree; poly_compile (driver.c) runs them in order, validates after
 * each, and dumps on request. See README.md for the text form.
 *
 * isl objects are owned by the named structs below; everything else that
 * these structs point to is owned by them too, and poly_prog_free frees all.
 * Functions that return isl_stat or isl_bool report failure through the
 * program's report (struct poly_report); nothing here prints or exits.
 */
#ifndef POLYIR_H
#define POLYIR_H

#include <stdbool.h>

#include <isl/ctx.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/tune/tune.h"
#include "polyir/legal/legal.h"
#include "polyir/prepare/prepare.h"
#include "polyir/cut/cut.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sums/sums.h"
#include "polyir/scans/scans.h"
#include "polyir/rows/rows.h"
#include "polyir/memory/memory.h"
#include "polyir/map/map.h"
#include "polyir/loops/loops.h"
#include "polyir/script/script.h"

enum poly_mapping { POLY_MAP_TILED, POLY_MAP_NAIVE };
struct poly_options {
	enum poly_mapping mapping;
	bool roundtrip;		/* print -> parse after every pass */
	bool check;		/* legality checks (default on) */
	const char *dump_after;	/* pass name, "all", or NULL */
	const char *stop_after;	/* pass name, or NULL: run all */
	bool time;		/* time each pass */
	struct poly_target target;
	struct poly_request request;
	/* receives dumps and timings; NULL: dropped */
	void (*log)(void *user, const char *text);
	void *log_user;
};
extern const struct poly_options poly_options_default;
/* Run all passes; on failure returns isl_stat_error with the reason in the
 * program's report. "*prog" may be replaced (roundtrip).
 */
isl_stat poly_compile(struct poly_prog **prog, const struct poly_options *o);
/* The name of pass "i" of the mapping, in the order of poly_compile; NULL behind
 * the last.
 */
const char *poly_pass_name(enum poly_mapping mapping, int i);
/* Run the one pass called "name", checked, dumped and timed as in
 * poly_compile. Fails, having changed nothing, if the program lacks what the
 * pass requires, has what it must come before, or if there is no such pass.
 */
isl_stat poly_run(struct poly_prog **prog, const struct poly_options *o,
	const char *name);

#endif
