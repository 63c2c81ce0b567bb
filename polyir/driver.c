/* The passes in order, and the housekeeping around each: input contract,
 * validation, legality, round trip through text, dump, time.
 *
 * A pass is a row of a table below: its function, the facts (ir/have.def) that
 * the program must have, those that it must lack, and those that it has
 * afterwards. The order of a table is the order of passes; the facts make sure
 * that it is the only one possible, and that a program read from a text goes on
 * with the first pass whose facts it lacks.
 *
 * Checks are not free, about as much as all passes together: so they run where
 * a pass is "last", that is before dependences are replaced, and at the end.
 * Only if one of these fails, the passes run again from the text of the program
 * that they were given, with checks after each, to name the culprit
 * (find_culprit).
 */
#include <string.h>
#include <time.h>

#include "polyir/polyir.h"

/* A pass, and what its contract says.
 *
 * as users write it in --dump-after and --stop-after
 */
struct pass {
	const char *name;
	isl_stat (*run)(struct poly_prog *prog);
	/* Of enum poly_have: facts that the program must have, those that it must
	 * not have yet, and those that it has afterwards.
	 */
	unsigned requires, without, establishes;
	bool last;	/* that reads some dependences: the next replaces them */
};

const struct poly_options poly_options_default = {
	.mapping = POLY_MAP_TILED,
	.check = true,
};

/* Milliseconds from any fixed moment; only --time prints it, no decision reads
 * it.
 */
static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

/* Frees "text" in any case. */
static void log_text(const struct poly_options *o, struct poly_str *text)
{
	if (o->log && !text->failed && text->s)
		o->log(o->log_user, text->s);
	poly_str_free(text);
}

static bool wants_dump(const struct poly_options *o, const char *pass)
{
	return o->dump_after && (!strcmp(o->dump_after, pass) ||
		!strcmp(o->dump_after, "all"));
}

/* Refuse "pass" if the program lacks a fact that it requires, or has one that it
 * must come before.
 *
 * Names the first fact only: what follows is a consequence, mostly.
 */
static isl_stat check_contract(struct poly_prog *prog, const struct pass *pass)
{
	static const char *const fact[] = {
#define HAVE(id, name, text) text,
#include "polyir/ir/have.def"
#undef HAVE
	};

	for (int i = 0; i < POLY_N_HAVE; i++) {
		bool lacks = pass->requires & ~prog->have & (1u << i);
		bool late = pass->without & prog->have & (1u << i);

		if (!lacks && !late)
			continue;
		poly_report_add(prog->report, lacks ? MSG_POLY_CONTRACT :
			MSG_POLY_LATE, NULL, pass->name, fact[i]);
		return isl_stat_error;
	}
	return isl_stat_ok;
}

#define HAVE(id) POLY_HAVE_##id

/* What the last check has seen; "have" are the facts that it knew of, "same" is
 * whether the passes before it had left all as it was, "refused" whether it found
 * a fault; "never": nothing is checked.
 *
 * of what the checks read; NULL before the first
 */
struct checked {
	struct poly_seen *seen;
	unsigned have;
	bool same, refused, never;
};

/* Verify and check "prog" after "pass", but for what has been checked and is as
 * it was. What the structure must be depends on these facts, too.
 *
 * Two parts: poly_verify, the structure, and poly_check_since, the order
 * against the dependences, which looks only at what is new since the facts in
 * "last". False savings are not possible: what is compared is all that the
 * checks read (legal/seen.c).
 */
static isl_stat check(struct poly_prog *prog, const struct poly_options *o,
	const char *pass, struct checked *last)
{
	const unsigned structure = HAVE(DEPS) | HAVE(SCHEDULE) |
		HAVE(KERNELS) | HAVE(REGISTERS);
	struct poly_seen *now;
	bool same;

	if (last->never)
		return isl_stat_ok;
	now = poly_seen_take(prog);
	same = poly_seen_same(last->seen, now);
	poly_seen_free(last->seen);
	last->seen = now;
	last->same = same;
	last->refused = ((!same || (structure & prog->have & ~last->have)) &&
		poly_verify(prog, pass) < 0) || (o->check &&
		poly_check_since(prog, same ? last->have : 0, pass) < 0);
	last->have = prog->have;
	return last->refused ? isl_stat_error : isl_stat_ok;
}

/* The program that was checked as "last" has it has the same text as "prog", which
 * was read from it: so "prog" is checked, too.
 *
 * Only the objects are others: a kernel that was found right is right under its
 * new address.
 */
static void carry_over(const struct poly_prog *checked, struct poly_prog *prog,
	struct checked *last)
{
	poly_seen_free(last->seen);
	last->seen = poly_seen_take(prog);
	for (int i = 0; i < prog->n_kernel; i++) {
		const struct poly_kernel *from = checked->kernel[i];
		struct poly_kernel *to = prog->kernel[i];

		to->legal = from->legal ? poly_seen_kernel(prog, to) : NULL;
		to->ordered = from->ordered ? poly_seen_kernel(prog, to) :
			NULL;
	}
}

/* Print "prog" and read it back; what comes back takes its place. Of a program that
 * is as it was, that has been done.
 */
static isl_stat roundtrip(struct poly_prog **prog, const char *pass,
	struct checked *last)
{
	struct poly_prog *copy = poly_copy(*prog, (*prog)->report);

	if (!copy)
		return poly_isl_error(*prog, pass);
	carry_over(*prog, copy, last);
	poly_prog_free(*prog);
	*prog = copy;
	return isl_stat_ok;
}

/* The text of a program, with its tree apart. */
struct texts {
	struct poly_str statements, tree;
};

/* The schedule is taken out for a moment, as poly_print prints all that there
 * is. Both are empty without memory. Printing does not count against the budget of
 * isl's operations, so that what is recorded is what is done without that.
 */
static struct texts texts_of(struct poly_prog *prog)
{
	unsigned long all = poly_ctx_attempt(prog->ctx, 0);
	isl_schedule *schedule = prog->schedule;
	struct texts t = { .statements.failed = false };

	poly_print_tree(prog, &t.tree, "");
	prog->schedule = NULL;
	poly_print(prog, &t.statements);
	prog->schedule = schedule;
	poly_ctx_attempted(prog->ctx, all);
	return t;
}

static void free_texts(struct texts *t)
{
	poly_str_free(&t->statements);
	poly_str_free(&t->tree);
}

static bool same_text(const struct poly_str *a, const struct poly_str *b)
{
	return !strcmp(a->s ? a->s : "", b->s ? b->s : "");
}

/* Does "pass" decide what a script would: before the mapping, or which kernels of it are
 * one?
 */
static bool is_noted(const struct pass *pass)
{
	return pass->establishes & (HAVE(CLASSES) | HAVE(SCANS) |
		HAVE(SCHEDULE) | HAVE(FOLDS) | HAVE(ROWS) | HAVE(PARTS) |
		HAVE(RANGES) | HAVE(CHAINS));
}


/* Run "pass", and note what it does if that is asked for.
 *
 * Compares texts, not objects, since a script that does the same again works on
 * a text, too. At most POLY_MOST_NOTED passes; those behind are not noted.
 */
static isl_stat run_noted(struct poly_prog *prog, const struct pass *pass)
{
	struct poly_record *r = prog->request.record;
	struct texts before, after;
	isl_stat ok;

	if (!r || r->n == POLY_MOST_NOTED || !is_noted(pass))
		return pass->run(prog);
	before = texts_of(prog);
	ok = pass->run(prog);
	if (ok < 0) {
		free_texts(&before);
		return ok;
	}
	after = texts_of(prog);
	r->noted[r->n++] = (struct poly_noted){ .pass = pass->name,
		.statements = !same_text(&before.statements, &after.statements),
		.moved = !same_text(&before.tree, &after.tree),
		.tree = after.tree };
	after.tree = (struct poly_str){ 0 };
	free_texts(&before);
	free_texts(&after);
	return isl_stat_ok;
}

/* Run one pass with its housekeeping. The program is checked after "each" one, or
 * where the next replaces dependences.
 *
 * In order: contract, pass, facts, check, time, round trip, dump. A pass that
 * fails without a message has met an error of isl's, which is reported here in
 * its name.
 */
static isl_stat run(struct poly_prog **prog, const struct poly_options *o,
	const struct pass *pass, bool each, struct checked *last)
{
	struct poly_str text = { 0 };
	double start = now_ms(), done;
	int before = (*prog)->report->n_error;
	bool checks;

	if (check_contract(*prog, pass) < 0)
		return isl_stat_error;
	if (run_noted(*prog, pass) < 0) {
		if ((*prog)->report->n_error == before)
			return poly_isl_error(*prog, pass->name);
		return isl_stat_error;
	}
	(*prog)->have |= pass->establishes;
	done = now_ms();
	checks = each || pass->last;
	if (checks && check(*prog, o, pass->name, last) < 0)
		return isl_stat_error;
	if (o->time) {
		poly_str_printf(&text, "%10.3f ms  %s", done - start,
			pass->name);
		if (checks)
			poly_str_printf(&text, ", checked in %.3f ms",
				now_ms() - done);
		poly_str_add(&text, "\n");
		log_text(o, &text);
	}
	if (o->roundtrip && !last->same &&
	    roundtrip(prog, pass->name, last) < 0)
		return isl_stat_error;
	if (wants_dump(o, pass->name)) {
		poly_str_printf(&text, "# after %s\n", pass->name);
		poly_print(*prog, &text);
		log_text(o, &text);
	}
	return isl_stat_ok;
}

/* In one thread: the reference. */
static const struct pass naive[] = {
	{ "deps", poly_deps, 0, HAVE(SCHEDULE), HAVE(DEPS), false },
	{ "order", poly_order, HAVE(DEPS), HAVE(KERNELS), HAVE(SCHEDULE),
		false },
	{ "map_one", poly_map_one, HAVE(SCHEDULE), 0,
		HAVE(KERNELS) | HAVE(MAPPING), false },
	{ NULL, NULL, 0, 0, 0, false }
};

/* What comes before a schedule for parallel work, and what comes behind it.
 *
 * "cut" and "privatise" rewrite the program, so they must come before
 * dependences are computed of it.
 */
#define PREPARE \
	{ "cut", poly_cut, 0, HAVE(DEPS) | HAVE(PRIVATE), HAVE(PIECES), false }, \
	{ "privatise", poly_privatise, 0, HAVE(DEPS), HAVE(PRIVATE), false }
/* These follow the mapping: tiles of products, then what goes on in the same
 * kernel, then where values live, then when threads wait. "shrink" is last, as
 * live ranges of cells are known only when the order of everything is.
 */
#define MAP \
	{ "map_points", poly_map_points, HAVE(SCHEDULE), HAVE(TILES), \
		HAVE(KERNELS) | HAVE(MAPPING), false }, \
	{ "map_tiles", poly_map_tiles, HAVE(KERNELS) | HAVE(MAPPING), \
		HAVE(REGISTERS), HAVE(TILES), true }, \
	{ "chain", poly_chain, HAVE(TILES), HAVE(REGISTERS), HAVE(CHAINS), \
		true }, \
	{ "promote_registers", poly_promote_registers, HAVE(TILES), \
		HAVE(SHARED), HAVE(REGISTERS), false }, \
	{ "promote_shared", poly_promote_shared, HAVE(REGISTERS), \
		HAVE(PIPELINE), HAVE(SHARED), false }, \
	{ "pipeline", poly_pipeline, HAVE(SHARED), HAVE(SYNC), \
		HAVE(PIPELINE), false }, \
	{ "sync", poly_sync, HAVE(PIPELINE), 0, HAVE(SYNC), false }, \
	{ "shrink", poly_shrink, HAVE(SYNC), 0, HAVE(CELLS), false }, \
	{ NULL, NULL, 0, 0, 0, false }

/* In parallel.
 *
 * "deps" comes behind all rewrites of statements; "scans" replaces statements
 * and computes dependences anew by itself. "fold", "rows", "split" and
 * "cut_loops" change the tree from the largest structure to the smallest: each
 * must see the loops before the next cuts them.
 */
static const struct pass tiled[] = {
	PREPARE,
	{ "classes", poly_classes, 0, HAVE(DEPS), HAVE(CLASSES), false },
	{ "deps", poly_deps, 0, HAVE(SCHEDULE), HAVE(DEPS), false },
	{ "scans", poly_scans, HAVE(DEPS), HAVE(SCHEDULE), HAVE(SCANS), false },
	{ "schedule", poly_schedule, HAVE(DEPS), HAVE(KERNELS),
		HAVE(SCHEDULE), false },
	{ "fold", poly_fold, HAVE(SCHEDULE), HAVE(ROWS) | HAVE(KERNELS),
		HAVE(FOLDS), false },
	{ "rows", poly_rows, HAVE(SCHEDULE) | HAVE(FOLDS), HAVE(PARTS) |
		HAVE(KERNELS), HAVE(ROWS), false },
	{ "split", poly_split, HAVE(SCHEDULE), HAVE(RANGES) | HAVE(KERNELS),
		HAVE(PARTS), false },
	{ "cut_loops", poly_cut_loops, HAVE(SCHEDULE) | HAVE(PARTS),
		HAVE(KERNELS), HAVE(RANGES), false },
	MAP
};

/* In parallel, as a script says, in the place of the passes whose facts it has. */
static const struct pass scripted[] = {
	PREPARE,
	{ "deps", poly_deps, 0, HAVE(SCHEDULE), HAVE(DEPS), false },
	{ "script", poly_script, HAVE(DEPS), HAVE(KERNELS), HAVE(SCHEDULE) |
		HAVE(CLASSES) | HAVE(SCANS) | HAVE(FOLDS) | HAVE(ROWS) | HAVE(PARTS) |
		HAVE(RANGES), false },
	MAP
};

/* The last row has no name: NULL ends the walk. The scripted table shows the
 * names of the tiled one.
 */
const char *poly_pass_name(enum poly_mapping mapping, int i)
{
	return mapping == POLY_MAP_NAIVE ? naive[i].name : tiled[i].name;
}

/* The facts that a program which comes with those of "given" need not have any more: what
 * the passes from "pass" on would establish that must come before one of these, or before
 * such a pass, unless one that is still to run requires it, or the checks ask for it.
 *
 * A text may be older than a pass, or somebody's own: it lacks what only makes a
 * program faster.
 */
static unsigned past(const struct pass *pass, unsigned given)
{
	unsigned needed = HAVE(DEPS) | HAVE(SCHEDULE) | HAVE(KERNELS) |
		HAVE(MAPPING) | HAVE(TILES) | HAVE(REGISTERS) | HAVE(SYNC), facts = 0;
	const struct pass *end = pass;

	while (end->name)
		end++;
	while (end-- > pass) {
		if (!(end->establishes & ~given))
			continue;
		if ((end->without & (given | facts)) && !(end->establishes & needed))
			facts |= end->establishes;
		else
			needed |= end->requires;
	}
	return facts;
}

/* Run those passes of "pass" whose facts "*prog" lacks, and check what they were
 * given, if it has a schedule already, and what they have made.
 *
 * A program that comes with a schedule, by --from=poly, is checked first:
 * nothing has proved it.
 */
static isl_stat run_all(struct poly_prog **prog, const struct poly_options *o,
	const struct pass *pass, bool each, struct checked *last)
{
	unsigned behind = past(pass, (*prog)->have);
	struct poly_str text = { 0 };
	const char *done = "poly_compile";
	double start;

	if (((*prog)->have & HAVE(SCHEDULE)) &&
	    check(*prog, o, done, last) < 0)
		return isl_stat_error;
	for (; pass->name; pass++) {
		if (!(pass->establishes & ~((*prog)->have | behind)))
			continue;
		if (run(prog, o, pass, each, last) < 0)
			return isl_stat_error;
		done = pass->name;
		if (o->stop_after && !strcmp(o->stop_after, done))
			break;
	}
	start = now_ms();
	if (check(*prog, o, done, last) < 0)
		return isl_stat_error;
	if (o->time) {
		poly_str_printf(&text, "%10.3f ms  last check\n",
			now_ms() - start);
		log_text(o, &text);
	}
	return isl_stat_ok;
}

/* What passes are given as "try_passes" (ir.h).
 *
 * No checks: what it makes is asked for its cost and thrown away, and the
 * passes run again, checked, if it is chosen. What the request notes is of the
 * real run only.
 */
static struct poly_prog *try_passes(struct poly_prog *prog, const char *pass,
	struct poly_report *report)
{
	struct poly_options o = { .stop_after = pass };
	struct poly_prog *copy = poly_copy(prog, report);
	struct checked last = { .never = true };

	if (!copy)
		return NULL;
	copy->request.search = NULL;
	copy->request.choice = NULL;
	copy->request.record = NULL;
	copy->request.script = NULL;
	copy->request.folds = NULL;
	if (run_all(&copy, &o, tiled, false, &last) < 0)
		copy = poly_prog_free(copy);
	poly_seen_free(last.seen);
	return copy;
}

/* The passes have made of the program "start" what the checks refuse: run them
 * again and check after each, to tell which it is. A copy takes the place of "*prog".
 *
 * Prints what the check of the guilty pass says. If that run finds no fault,
 * its result is as good as any and is what goes on.
 */
static isl_stat find_culprit(struct poly_prog **prog,
	const struct poly_options *o, const struct pass *list,
	const struct poly_str *start)
{
	struct checked last = { 0 };
	struct poly_prog *copy;
	isl_stat ok;

	poly_report_drop_errors((*prog)->report);
	copy = poly_copy_of_text(*prog, start, (*prog)->report);
	if (!copy)
		return poly_isl_error(*prog, "poly_compile");
	poly_prog_free(*prog);
	*prog = copy;
	ok = run_all(prog, o, list, true, &last);
	poly_seen_free(last.seen);
	return ok;
}

isl_stat poly_compile(struct poly_prog **prog, const struct poly_options *o)
{
	const struct pass *list = o->mapping == POLY_MAP_NAIVE ? naive :
		o->request.script ? scripted : tiled;
	struct poly_str start = { 0 };
	struct checked last = { 0 };
	unsigned long all;
	isl_stat ok;

	(*prog)->target = o->target;
	(*prog)->request = o->request;
	(*prog)->try_passes = try_passes;
	/* the text is printed without counting against the budget of isl's
	 * operations
	 */
	all = poly_ctx_attempt((*prog)->ctx, 0);
	poly_print(*prog, &start);
	poly_ctx_attempted((*prog)->ctx, all);
	ok = run_all(prog, o, list, o->roundtrip, &last);
	poly_seen_free(last.seen);
	if (ok < 0 && last.refused && !o->roundtrip)
		ok = find_culprit(prog, o, list, &start);
	poly_str_free(&start);
	return ok;
}

static const struct pass *find_pass(const struct pass *list, const char *name)
{
	while (list->name && strcmp(list->name, name))
		list++;
	return list->name ? list : NULL;
}

/* For --pass: the names of both tables are known, and the check afterwards has
 * no run before it to compare with.
 */
isl_stat poly_run(struct poly_prog **prog, const struct poly_options *o,
	const char *name)
{
	const struct pass *pass = find_pass(tiled, name);
	struct checked last = { 0 };
	isl_stat ok;

	(*prog)->try_passes = try_passes;
	if (!pass)
		pass = find_pass(naive, name);
	if (pass) {
		ok = run(prog, o, pass, true, &last);
		poly_seen_free(last.seen);
		return ok;
	}
	poly_report_add((*prog)->report, MSG_POLY_CONTRACT, NULL, name,
		"a pass of this name");
	return isl_stat_error;
}
