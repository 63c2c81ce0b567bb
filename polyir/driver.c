/* The passes in order, and the housekeeping around each: input contract,
 * validation, legality, round trip through text, dump, time.
 */
#include <string.h>
#include <time.h>

#include "polyir/polyir.h"

struct pass {
	const char *name;
	isl_stat (*run)(struct poly_prog *prog);
	/* Of enum poly_have: facts that the program must have, those that it must
	 * not have yet, and those that it has afterwards.
	 */
	unsigned requires, without, establishes;
};

const struct poly_options poly_options_default = {
	.mapping = POLY_MAP_TILED,
	.check = true,
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

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

struct poly_prog *poly_copy(struct poly_prog *prog,
	struct poly_report *report)
{
	struct poly_str text = { 0 };
	struct poly_prog *copy;

	poly_print(prog, &text);
	copy = text.failed ? NULL : poly_parse(prog->ctx, text.s, text.len,
		report);
	poly_str_free(&text);
	if (!copy)
		return NULL;
	copy->shared_bytes = prog->shared_bytes;
	copy->multiprocessors = prog->multiprocessors;
	copy->bulk = prog->bulk;
	copy->loops = prog->loops;
	copy->blocks = prog->blocks;
	copy->chains = prog->chains;
	copy->unfolded = prog->unfolded;
	copy->whole = prog->whole;
	copy->config = prog->config;
	copy->search = prog->search;
	copy->choice = prog->choice;
	copy->n_hidden = prog->n_hidden;
	copy->divided = prog->divided;
	memcpy(copy->shared, prog->shared, sizeof(copy->shared));
	copy->others = prog->others;
	for (int i = 0; i < copy->n_param; i++)
		copy->param[i].hidden = prog->param[i].hidden;
	return copy;
}

/* Refuse "pass" if the program lacks a fact that it requires, or has one that it
 * must come before.
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
 * whether the pass before it had left all as it was.
 */
struct checked {
	struct poly_seen *seen;
	unsigned have;
	bool same;
};

/* Verify and check "prog" after "pass", but for what has been checked and is as
 * it was. What the structure must be depends on these facts, too.
 */
static isl_stat check(struct poly_prog *prog, const struct poly_options *o,
	const char *pass, struct checked *last)
{
	const unsigned structure = HAVE(DEPS) | HAVE(SCHEDULE) |
		HAVE(KERNELS) | HAVE(REGISTERS);
	struct poly_seen *now = poly_seen_take(prog);
	bool same = poly_seen_same(last->seen, now);

	poly_seen_free(last->seen);
	last->seen = now;
	last->same = same;
	if ((!same || (structure & prog->have & ~last->have)) &&
	    poly_verify(prog, pass) < 0)
		return isl_stat_error;
	if (o->check && poly_check_since(prog, same ? last->have : 0,
		pass) < 0)
		return isl_stat_error;
	last->have = prog->have;
	return isl_stat_ok;
}

/* The program that was checked as "last" has it has the same text as "prog", which
 * was read from it: so "prog" is checked, too.
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

/* Run one pass with its housekeeping. */
static isl_stat run(struct poly_prog **prog, const struct poly_options *o,
	const struct pass *pass, struct checked *last)
{
	struct poly_str text = { 0 };
	double start = now_ms(), done;
	int before = (*prog)->report->n_error;

	if (check_contract(*prog, pass) < 0)
		return isl_stat_error;
	if (pass->run(*prog) < 0) {
		if ((*prog)->report->n_error == before)
			return poly_isl_error(*prog, pass->name);
		return isl_stat_error;
	}
	(*prog)->have |= pass->establishes;
	done = now_ms();
	if (check(*prog, o, pass->name, last) < 0)
		return isl_stat_error;
	if (o->time) {
		poly_str_printf(&text, "%10.3f ms  %s, checked in %.3f ms\n",
			done - start, pass->name, now_ms() - done);
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
	{ "deps", poly_deps, 0, HAVE(SCHEDULE), HAVE(DEPS) },
	{ "order", poly_order, HAVE(DEPS), HAVE(KERNELS), HAVE(SCHEDULE) },
	{ "map_one", poly_map_one, HAVE(SCHEDULE), 0,
		HAVE(KERNELS) | HAVE(MAPPING) },
	{ NULL, NULL, 0, 0, 0 }
};

/* In parallel. */
static const struct pass tiled[] = {
	{ "cut", poly_cut, 0, HAVE(DEPS) | HAVE(PRIVATE), HAVE(PIECES) },
	{ "privatise", poly_privatise, 0, HAVE(DEPS), HAVE(PRIVATE) },
	{ "deps", poly_deps, 0, HAVE(SCHEDULE), HAVE(DEPS) },
	{ "schedule", poly_schedule, HAVE(DEPS), HAVE(KERNELS),
		HAVE(SCHEDULE) },
	{ "fold", poly_fold, HAVE(SCHEDULE), HAVE(PARTS) | HAVE(KERNELS),
		HAVE(FOLDS) },
	{ "split", poly_split, HAVE(SCHEDULE), HAVE(RANGES) | HAVE(KERNELS),
		HAVE(PARTS) },
	{ "cut_loops", poly_cut_loops, HAVE(SCHEDULE) | HAVE(PARTS),
		HAVE(KERNELS), HAVE(RANGES) },
	{ "map_points", poly_map_points, HAVE(SCHEDULE), HAVE(TILES),
		HAVE(KERNELS) | HAVE(MAPPING) },
	{ "map_tiles", poly_map_tiles, HAVE(KERNELS) | HAVE(MAPPING),
		HAVE(REGISTERS), HAVE(TILES) },
	{ "chain", poly_chain, HAVE(TILES), HAVE(REGISTERS), HAVE(CHAINS) },
	{ "promote_registers", poly_promote_registers, HAVE(TILES),
		HAVE(SHARED), HAVE(REGISTERS) },
	{ "promote_shared", poly_promote_shared, HAVE(REGISTERS),
		HAVE(PIPELINE), HAVE(SHARED) },
	{ "pipeline", poly_pipeline, HAVE(SHARED), HAVE(SYNC),
		HAVE(PIPELINE) },
	{ "sync", poly_sync, HAVE(PIPELINE), 0, HAVE(SYNC) },
	{ NULL, NULL, 0, 0, 0 }
};

const char *poly_pass_name(enum poly_mapping mapping, int i)
{
	return mapping == POLY_MAP_NAIVE ? naive[i].name : tiled[i].name;
}

/* Verify a program that was read and that no pass has to touch any more. */
static isl_stat check_resumed(struct poly_prog *prog,
	const struct poly_options *o)
{
	if (poly_verify(prog, "poly_compile") < 0)
		return isl_stat_error;
	return o->check ? poly_check(prog, "poly_compile") : isl_stat_ok;
}

/* Run those passes of "pass" whose facts "*prog" lacks. */
static isl_stat run_all(struct poly_prog **prog, const struct poly_options *o,
	const struct pass *pass, struct checked *last)
{
	bool untouched = true;

	for (; pass->name; pass++) {
		if (!(pass->establishes & ~(*prog)->have))
			continue;
		if (run(prog, o, pass, last) < 0)
			return isl_stat_error;
		untouched = false;
		if (o->stop_after && !strcmp(o->stop_after, pass->name))
			break;
	}
	return untouched ? check_resumed(*prog, o) : isl_stat_ok;
}

struct poly_prog *poly_try(struct poly_prog *prog, const char *pass,
	struct poly_report *report)
{
	struct poly_options o = { .stop_after = pass };
	struct poly_prog *copy = poly_copy(prog, report);
	struct checked last = { 0 };

	if (!copy)
		return NULL;
	copy->search = NULL;
	copy->choice = NULL;
	if (run_all(&copy, &o, tiled, &last) < 0)
		copy = poly_prog_free(copy);
	poly_seen_free(last.seen);
	return copy;
}

isl_stat poly_compile(struct poly_prog **prog, const struct poly_options *o)
{
	struct checked last = { 0 };
	isl_stat ok;

	(*prog)->shared_bytes = o->shared_bytes;
	(*prog)->multiprocessors = o->multiprocessors;
	(*prog)->bulk = o->bulk;
	(*prog)->loops = o->loops;
	(*prog)->blocks = o->blocks;
	(*prog)->chains = o->chains;
	(*prog)->unfolded = o->unfolded;
	(*prog)->config = o->config;
	(*prog)->search = o->search;
	(*prog)->choice = o->choice;
	ok = run_all(prog, o, o->mapping == POLY_MAP_NAIVE ? naive : tiled,
		&last);
	poly_seen_free(last.seen);
	return ok;
}

static const struct pass *find_pass(const struct pass *list, const char *name)
{
	while (list->name && strcmp(list->name, name))
		list++;
	return list->name ? list : NULL;
}

isl_stat poly_run(struct poly_prog **prog, const struct poly_options *o,
	const char *name)
{
	const struct pass *pass = find_pass(tiled, name);
	struct checked last = { 0 };
	isl_stat ok;

	if (!pass)
		pass = find_pass(naive, name);
	if (pass) {
		ok = run(prog, o, pass, &last);
		poly_seen_free(last.seen);
		return ok;
	}
	poly_report_add((*prog)->report, MSG_POLY_CONTRACT, NULL, name,
		"a pass of this name");
	return isl_stat_error;
}
