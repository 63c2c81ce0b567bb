/* nvptx: links that a SCAN has in shared memory: those of warps, and those of runs, which
 * threads take from one another to have some that lie side by side.
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower_scan.h"

/* Do whole warps, several of them, lie along each line? */
bool nvptx_scan_has_warps(const struct nvptx_scan *s)
{
	return s->rows > 1 && s->lanes == POLY_LANES;
}

/* How many lines the block has.
 *
 * Lines of all digits of all threads across.
 */
static int64_t n_lines(const struct nvptx_scan *s)
{
	return (int64_t) s->digits * s->kernel->thread[!s->axis];
}

/* What the places of warps take, "n" for each line, those of factors by themselves. */
int64_t nvptx_scan_places_bytes(const struct nvptx_scan *s, int64_t n)
{
	return s->parts * nvptx_places_bytes(n_lines(s) * n *
		poly_type_size(s->type));
}

/* The runs of a line whose links threads take from one another. */
static int n_runs(const struct nvptx_scan *s)
{
	return nvptx_scan_has_warps(s) && s->turns > 1 ?
		s->kernel->thread[s->axis] * s->turns : 0;
}

/* Has each row of the banks a place of nothing behind it, so that lanes, which take "turns"
 * runs side by side, do not meet in one bank?
 */
static bool is_padded(const struct nvptx_scan *s)
{
	return s->turns >= POLY_LANES / 2 && !(s->turns & (s->turns - 1));
}

/* The places that the runs of a line take, with these. */
static int n_run_places(const struct nvptx_scan *s)
{
	int n = n_runs(s);

	return is_padded(s) ? n + n / POLY_LANES : n;
}

/* Those of factors have places of their own. */
int64_t nvptx_scan_run_bytes(const struct nvptx_scan *s)
{
	return nvptx_scan_places_bytes(s, n_run_places(s));
}

/* Place number "at" of "n" of the thread's line "d", part "part", from "base" on.
 *
 * Places of a line lie side by side. Those of factors lie behind those of all
 * values.
 */
static LLVMValueRef place(struct nvptx_lower *l, const struct nvptx_scan *s,
	LLVMValueRef base, int n, int d, LLVMValueRef at, int part)
{
	LLVMValueRef line = nvptx_add(l->ir, nvptx_mul(l->ir,
		l->value.tid[!s->axis], nvptx_int(l->ir, s->digits)),
		nvptx_int(l->ir, d), "");
	LLVMTypeRef byte = LLVMInt8TypeInContext(l->ir->m->ctx);

	base = nvptx_element(l->ir, byte, base, nvptx_int(l->ir, part *
		nvptx_scan_places_bytes(s, n) / s->parts));
	at = nvptx_add(l->ir, nvptx_mul(l->ir, line, nvptx_int(l->ir, n)), at,
		"");
	return nvptx_element(l->ir, nvptx_scan_type(l->ir, s), base, at);
}

/* Put "a" there, or take it from there. */
void nvptx_link_put(struct nvptx_lower *l, const struct nvptx_scan *s,
	LLVMValueRef base, int n, int d, LLVMValueRef at, struct nvptx_link a)
{
	for (int k = 0; k < s->parts; k++)
		nvptx_words_align(LLVMBuildStore(l->ir->b, a.v[k], place(l, s,
			base, n, d, at, k)), nvptx_scan_type(l->ir, s),
			NVPTX_PLACE);
}

struct nvptx_link nvptx_link_take(struct nvptx_lower *l,
	const struct nvptx_scan *s, LLVMValueRef base, int n, int d,
	LLVMValueRef at)
{
	struct nvptx_link a = { { NULL, NULL } };

	for (int k = 0; k < s->parts; k++)
		a.v[k] = nvptx_words_align(LLVMBuildLoad2(l->ir->b,
			nvptx_scan_type(l->ir, s), place(l, s, base, n, d, at,
			k), ""), nvptx_scan_type(l->ir, s), NVPTX_PLACE);
	return a;
}

static void wait(struct nvptx_lower *l)
{
	LLVMValueRef zero = nvptx_int(l->ir, 0);

	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
}

/* The place of run "i" of the thread, or, with "own", of those that it takes. The runs of a
 * thread, or of a warp, are in one row of the banks, or begin one.
 */
static LLVMValueRef run_place(struct nvptx_lower *l, const struct nvptx_scan *s,
	int i, bool own)
{
	LLVMValueRef t = l->value.tid[s->axis];
	int by = own ? i : i * s->kernel->thread[s->axis];

	if (own)
		t = nvptx_mul(l->ir, t, nvptx_int(l->ir, s->turns));
	if (is_padded(s)) {
		t = nvptx_add(l->ir, t, nvptx_div(l->ir, t, nvptx_int(l->ir,
			POLY_LANES)), "");
		by += by / POLY_LANES;
	}
	return nvptx_add(l->ir, t, nvptx_int(l->ir, by), "");
}

/* Let each thread have, in "all", what runs that lie side by side do, each with those
 * before it, in place of its own, through the places "base".
 */
void nvptx_scan_take_runs(struct nvptx_lower *l, const struct nvptx_scan *s,
	LLVMValueRef base, struct nvptx_link *all)
{
	int n = n_run_places(s);

	for (int i = 0; n && i < s->digits * s->turns; i++)
		nvptx_link_put(l, s, base, n, i / s->turns, run_place(l, s,
			i % s->turns, false), all[i]);
	if (n)
		wait(l);
	for (int i = 0; n && i < s->digits * s->turns; i++) {
		all[i] = nvptx_link_take(l, s, base, n, i / s->turns, run_place(l, s,
			i % s->turns, true));
		if (i % s->turns)
			all[i] = nvptx_link_joined(l, s, all[i - 1],
				all[i]);
	}
}

/* Let each thread have what comes before its own runs in the place of that before those
 * that it has taken.
 */
void nvptx_scan_give_runs(struct nvptx_lower *l, const struct nvptx_scan *s,
	LLVMValueRef base, struct nvptx_link *before)
{
	int n = n_run_places(s);

	for (int i = 0; n && i < s->digits * s->turns; i++)
		nvptx_link_put(l, s, base, n, i / s->turns, run_place(l, s,
			i % s->turns, true), before[i]);
	if (n)
		wait(l);
	for (int i = 0; n && i < s->digits * s->turns; i++)
		before[i] = nvptx_link_take(l, s, base, n, i / s->turns, run_place(l,
			s, i % s->turns, false));
}
