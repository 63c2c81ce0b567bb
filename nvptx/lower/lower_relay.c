/* nvptx: SCANs that go on from tile to tile.
 *
 * Blocks take tiles in the order in which they come (nvptx/kernel/argument.c). Each hands
 * on what its tile does (A), and the last one of each GROUP tiles what these do, too,
 * tagged SUM, and in its place, as soon as it is known, what they and all before them do,
 * tagged ALL. What comes before a tile is
 *
 *	ALL of a group, then the SUM of each one behind it, one after the other,
 *	then the A of the tiles before it in its own group, in a tree
 *
 * and ALL of a group is that of the group before, then its SUM. So it has the same bits
 * whichever ALL a block has found: what it adds up itself others have added up alike.
 * Warp 0 of a block waits for the A, warp 1 for the groups.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower_scan.h"

/* Tiles of a group, whose A, and groups, whose tags, a warp reads at once; places in
 * shared memory: of these groups, behind them what comes before the tile in its own one,
 * and behind the tile.
 */
enum { GROUP = POLY_LANES, BEFORE = POLY_LANES, BEHIND, N_RELAY };
enum { SUM = 1, ALL };

/* The shared memory in which a block has what it has heard: values, and tags. */
static int64_t heard_bytes(const struct nvptx_scan *s)
{
	return nvptx_places_bytes((int64_t)N_RELAY * s->parts *
		poly_type_size(s->type));
}

int64_t nvptx_scan_relay_bytes(const struct nvptx_scan *s)
{
	return s->tiles ? heard_bytes(s) + nvptx_places_bytes(GROUP *
		POLY_WORD) : 0;
}

/* Words that a link takes in what blocks hand on. */
static int link_words(struct nvptx_ir *ir, const struct nvptx_scan *s)
{
	return s->parts * nvptx_relay_size(ir, nvptx_scan_type(ir, s));
}

/* The groups of one chain of tiles. */
static int64_t n_groups(const struct nvptx_scan *s)
{
	return (s->tiles + GROUP - 1) / GROUP;
}

/* The words of the SCANs of the kernel, up to "last", NULL: all; each has a link for
 * each tile, and behind these one for each group.
 */
static int64_t words_before(struct nvptx_lower *l, const struct poly_stmt *last)
{
	isl_union_set *domain = poly_kernel_domain(l->prog, l->kernel);
	int n;
	struct poly_stmt **op = poly_stmts_of(l->prog, domain, &n);
	int64_t words = 1;

	isl_union_set_free(domain);
	for (int i = 0; op && i < n && op[i] != last; i++) {
		struct nvptx_scan s;

		if (op[i]->kind != POLY_SCAN)
			continue;
		s = nvptx_scan_of(l->prog, l->kernel, op[i]);
		if (s.tiles)
			words += link_words(l->ir, &s) * (s.all_tiles +
				s.all_tiles / s.tiles * n_groups(&s));
	}
	free(op);
	return words;
}

int64_t nvptx_relay_words(struct nvptx_lower *l)
{
	int64_t words = l->kernel->tiled ? words_before(l, NULL) : 1;

	return words > 1 ? words : 0;
}

/* A thread has links of its points and of its turns, and about OTHERS values beside them; where
 * elements go to where the links tell, these, too.
 */
int nvptx_relay_blocks(struct nvptx_lower *l)
{
	enum { OTHERS = 16 };
	isl_union_set *domain = poly_kernel_domain(l->prog, l->kernel);
	int threads = l->kernel->thread[0] * l->kernel->thread[1], n, most, own = 0;
	struct poly_stmt **op = poly_stmts_of(l->prog, domain, &n);

	isl_union_set_free(domain);
	most = l->prog->target.threads > threads ?
		l->prog->target.threads / threads : 1;
	for (int i = 0; op && i < n; i++)
		for (int k = 0; k < op[i]->n_member; k++)
			own |= poly_is_scatter(op[i]->member[k]);
	for (int i = 0; op && i < n; i++) {
		struct nvptx_scan s;
		int words, fit;

		if (op[i]->kind != POLY_SCAN)
			continue;
		s = nvptx_scan_of(l->prog, l->kernel, op[i]);
		words = s.parts * ((poly_type_size(s.type) + POLY_WORD - 1) /
			POLY_WORD);
		fit = POLY_REGISTERS / (threads * (words * (s.turns * s.run +
			s.turns + OTHERS) + own * s.turns * s.run));
		most = fit < most ? fit : most;
	}
	free(op);
	return most > 1 ? most : 1;
}

/* Where the link "at" is, of those behind the first "from". */
static LLVMValueRef handed(struct nvptx_lower *l, const struct nvptx_scan *s,
	int64_t from, LLVMValueRef at)
{
	at = nvptx_mul(l->ir, at, nvptx_int(l->ir, link_words(l->ir, s)));
	at = nvptx_add(l->ir, at, nvptx_int(l->ir, words_before(l, s->op) +
		from * link_words(l->ir, s)), "");
	return nvptx_element(l->ir, nvptx_i64(l->ir), l->value.relay, at);
}

/* Hand on "a" as the link "to", tagged "tag". */
static void tell(struct nvptx_lower *l, const struct nvptx_scan *s, LLVMValueRef to,
	LLVMValueRef tag, struct nvptx_link a)
{
	int size = link_words(l->ir, s) / s->parts;

	for (int k = 0; k < s->parts; k++)
		nvptx_relay_tell(l->ir, nvptx_element(l->ir, nvptx_i64(l->ir),
			to, nvptx_int(l->ir, k * size)), tag, a.v[k]);
}

/* Place "at" of what the block has heard, part "part". */
static LLVMValueRef heard(struct nvptx_lower *l, const struct nvptx_scan *s,
	LLVMValueRef base, LLVMValueRef at, int part)
{
	return nvptx_element(l->ir, nvptx_scan_type(l->ir, s), base, nvptx_add(
		l->ir, at, nvptx_int(l->ir, part * N_RELAY), ""));
}

static void keep_heard(struct nvptx_lower *l, const struct nvptx_scan *s,
	LLVMValueRef base, LLVMValueRef at, struct nvptx_link a)
{
	for (int k = 0; k < s->parts; k++)
		nvptx_words_align(LLVMBuildStore(l->ir->b, a.v[k], heard(l, s,
			base, at, k)), nvptx_scan_type(l->ir, s), NVPTX_PLACE);
}

static struct nvptx_link take_heard(struct nvptx_lower *l, const struct nvptx_scan *s,
	LLVMValueRef base, LLVMValueRef at)
{
	struct nvptx_link a = { { NULL, NULL } };

	for (int k = 0; k < s->parts; k++)
		a.v[k] = nvptx_words_align(LLVMBuildLoad2(l->ir->b,
			nvptx_scan_type(l->ir, s), heard(l, s, base, at, k),
			""), nvptx_scan_type(l->ir, s), NVPTX_PLACE);
	return a;
}

/* A tile that is scanned: its number in its chain, its group there and its place in the
 * group, the lane of the thread; "base" is where the block keeps what it hears, "tag"
 * where it keeps tags; the link of its group.
 */
struct relay {
	LLVMValueRef at, group, place, lane, base, tag, own;
};

static LLVMValueRef is_below(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildICmp(l->ir->b, LLVMIntULT, a, b, "");
}

static LLVMValueRef is_number(struct nvptx_lower *l, LLVMValueRef a, int n)
{
	return LLVMBuildICmp(l->ir->b, LLVMIntEQ, a, nvptx_int(l->ir, n), "");
}

/* Warp 0: hand on what the tile does, and what its group does if it is the last of it;
 * keep what comes before it in the group, and that with the tile behind it.
 */
static void hear_tiles(struct nvptx_lower *l, const struct nvptx_scan *s,
	const struct relay *r, LLVMValueRef places)
{
	struct nvptx_link own, e = nvptx_link_nothing(l, s);
	struct nvptx_branch branch;

	own = nvptx_scan_before(l, s, places, 0, nvptx_int(l->ir, nvptx_scan_places(s)));
	nvptx_if_begin(l->ir, &branch, is_number(l, r->lane, 0), "tell");
	tell(l, s, handed(l, s, 0, l->value.tile), nvptx_int(l->ir, SUM), own);
	nvptx_if_end(l->ir, &branch);
	for (int k = 0; k < s->parts; k++)
		LLVMBuildStore(l->ir->b, e.v[k], nvptx_element(l->ir,
			nvptx_scan_type(l->ir, s), s->mine, nvptx_int(l->ir, k)));
	nvptx_if_begin(l->ir, &branch, is_below(l, r->lane, r->place), "hear");
	nvptx_relay_hear(l->ir, handed(l, s, 0, nvptx_add(l->ir, nvptx_sub(
		l->ir, l->value.tile, r->place), r->lane, "")), nvptx_int(l->ir,
		SUM), nvptx_scan_type(l->ir, s), e.v, s->parts);
	for (int k = 0; k < s->parts; k++)
		LLVMBuildStore(l->ir->b, e.v[k], nvptx_element(l->ir,
			nvptx_scan_type(l->ir, s), s->mine, nvptx_int(l->ir, k)));
	nvptx_if_end(l->ir, &branch);
	for (int k = 0; k < s->parts; k++)
		e.v[k] = LLVMBuildLoad2(l->ir->b, nvptx_scan_type(l->ir, s),
			nvptx_element(l->ir, nvptx_scan_type(l->ir, s), s->mine,
			nvptx_int(l->ir, k)), "");
	e = nvptx_scan_lanes(l, s, r->lane, e);
	own = nvptx_link_joined(l, s, e, own);
	nvptx_if_begin(l->ir, &branch, is_number(l, r->lane, 0), "keep");
	keep_heard(l, s, r->base, nvptx_int(l->ir, BEFORE), e);
	keep_heard(l, s, r->base, nvptx_int(l->ir, BEHIND), own);
	nvptx_if_end(l->ir, &branch);
	nvptx_if_begin(l->ir, &branch, LLVMBuildAnd(l->ir->b, is_number(l,
		r->lane, 0), is_number(l, r->place, GROUP - 1), ""), "group");
	tell(l, s, r->own, LLVMBuildSelect(l->ir->b, is_number(l, r->group, 0),
		nvptx_int(l->ir, ALL), nvptx_int(l->ir, SUM), ""), own);
	nvptx_if_end(l->ir, &branch);
}

/* Warp 1: keep what the groups before that of the tile do, the nearest first, and how
 * that is tagged. The last lane waits for ALL, so that there is one.
 */
static void hear_groups(struct nvptx_lower *l, const struct nvptx_scan *s,
	const struct relay *r)
{
	LLVMValueRef least = LLVMBuildSelect(l->ir->b, is_number(l, r->lane,
		POLY_LANES - 1), nvptx_int(l->ir, ALL), nvptx_int(l->ir, SUM),
		""), from, tag;
	struct nvptx_branch branch;
	struct nvptx_link a;
	int size = link_words(l->ir, s);

	nvptx_if_begin(l->ir, &branch, is_below(l, r->lane, r->group), "hear");
	from = nvptx_mul(l->ir, nvptx_add(l->ir, r->lane, nvptx_int(l->ir, 1),
		""), nvptx_int(l->ir, -size));
	from = nvptx_element(l->ir, nvptx_i64(l->ir), r->own, from);
	tag = nvptx_relay_hear(l->ir, from, least, nvptx_scan_type(l->ir, s), a.v,
		s->parts);
	keep_heard(l, s, r->base, r->lane, a);
	LLVMBuildStore(l->ir->b, tag, nvptx_element(l->ir, nvptx_i32(l->ir),
		r->tag, r->lane));
	nvptx_if_end(l->ir, &branch);
}

/* The nearest group that is tagged ALL, by its number among those that were heard. */
static LLVMValueRef find_all(struct nvptx_lower *l, const struct relay *r)
{
	LLVMBasicBlockRef from = LLVMGetInsertBlock(l->ir->b);
	LLVMBasicBlockRef look = nvptx_block(l->ir, "look");
	LLVMBasicBlockRef done = nvptx_block(l->ir, "found");
	LLVMValueRef zero = nvptx_int(l->ir, 0), i, next, tag;

	LLVMBuildBr(l->ir->b, look);
	LLVMPositionBuilderAtEnd(l->ir->b, look);
	i = LLVMBuildPhi(l->ir->b, nvptx_i32(l->ir), "i");
	next = LLVMBuildAdd(l->ir->b, i, nvptx_int(l->ir, 1), "");
	tag = LLVMBuildLoad2(l->ir->b, nvptx_i32(l->ir), nvptx_element(l->ir,
		nvptx_i32(l->ir), r->tag, i), "");
	LLVMAddIncoming(i, &zero, &from, 1);
	LLVMAddIncoming(i, &next, &look, 1);
	LLVMBuildCondBr(l->ir->b, is_number(l, tag, ALL), done, look);
	LLVMPositionBuilderAtEnd(l->ir->b, done);
	return i;
}

/* What all groups before that of the tile do, of which there is one: that which is tagged
 * ALL, and those behind it, one after the other.
 */
static struct nvptx_link before_group(struct nvptx_lower *l,
	const struct nvptx_scan *s, const struct relay *r)
{
	LLVMBasicBlockRef from, add = nvptx_block(l->ir, "sum");
	LLVMBasicBlockRef done = nvptx_block(l->ir, "summed"), more;
	LLVMValueRef i = find_all(l, r), at, next;
	struct nvptx_link all = take_heard(l, s, r->base, i), sum, now;

	from = LLVMGetInsertBlock(l->ir->b);
	more = nvptx_block(l->ir, "more");
	LLVMBuildBr(l->ir->b, add);
	LLVMPositionBuilderAtEnd(l->ir->b, add);
	at = LLVMBuildPhi(l->ir->b, nvptx_i32(l->ir), "at");
	for (int k = 0; k < s->parts; k++)
		sum.v[k] = LLVMBuildPhi(l->ir->b, nvptx_scan_type(l->ir, s), "");
	LLVMBuildCondBr(l->ir->b, is_number(l, at, 0), done, more);
	LLVMPositionBuilderAtEnd(l->ir->b, more);
	next = LLVMBuildSub(l->ir->b, at, nvptx_int(l->ir, 1), "");
	now = nvptx_link_joined(l, s, sum, take_heard(l, s, r->base, next));
	LLVMBuildBr(l->ir->b, add);
	more = LLVMGetInsertBlock(l->ir->b);
	LLVMAddIncoming(at, &i, &from, 1);
	LLVMAddIncoming(at, &next, &more, 1);
	for (int k = 0; k < s->parts; k++) {
		LLVMAddIncoming(sum.v[k], &all.v[k], &from, 1);
		LLVMAddIncoming(sum.v[k], &now.v[k], &more, 1);
	}
	LLVMPositionBuilderAtEnd(l->ir->b, done);
	return sum;
}

/* Hand on what all tiles up to the end of a group do, "sum" being what they do before it,
 * if the tile is the last one of it.
 */
static void tell_all(struct nvptx_lower *l, const struct nvptx_scan *s,
	const struct relay *r, struct nvptx_link sum)
{
	struct nvptx_branch branch;
	LLVMValueRef last = LLVMBuildAnd(l->ir->b, is_number(l, r->place,
		GROUP - 1), is_number(l, l->value.tid[s->axis], 0), "");

	nvptx_if_begin(l->ir, &branch, last, "all");
	tell(l, s, r->own, nvptx_int(l->ir, ALL), nvptx_link_joined(l, s, sum,
		take_heard(l, s, r->base, nvptx_int(l->ir, BEHIND))));
	nvptx_if_end(l->ir, &branch);
}

/* Find the place of the tile among the others; what the block hears is kept from "base"
 * on.
 */
static struct relay relay_of(struct nvptx_lower *l, const struct nvptx_scan *s,
	LLVMValueRef base)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(l->ir->m->ctx);
	LLVMValueRef group = nvptx_int(l->ir, GROUP), chain;
	struct relay r = { .base = base, .at = nvptx_find_var(l, poly_coordinate(l->prog,
		POLY_BLOCK + !s->axis)) };

	r.at = LLVMBuildIntCast2(l->ir->b, r.at, nvptx_i32(l->ir), 0, "");
	r.group = LLVMBuildUDiv(l->ir->b, r.at, group, "group");
	r.place = LLVMBuildURem(l->ir->b, r.at, group, "place");
	r.lane = LLVMBuildURem(l->ir->b, l->value.tid[s->axis],
		nvptx_int(l->ir, POLY_LANES), "lane");
	r.tag = nvptx_element(l->ir, byte, base, nvptx_int(l->ir,
		heard_bytes(s)));
	chain = LLVMBuildUDiv(l->ir->b, l->value.tile, nvptx_int(l->ir,
		s->tiles), "chain");
	r.own = handed(l, s, s->all_tiles, nvptx_add(l->ir, nvptx_mul(l->ir,
		chain, nvptx_int(l->ir, n_groups(s))), r.group, ""));
	return r;
}

struct nvptx_link nvptx_scan_before_tile(struct nvptx_lower *l,
	const struct nvptx_scan *s, LLVMValueRef places, LLVMValueRef room)
{
	struct relay r = relay_of(l, s, room);
	LLVMValueRef warp = LLVMBuildUDiv(l->ir->b, l->value.tid[s->axis],
		nvptx_int(l->ir, POLY_LANES), "warp"), zero = nvptx_int(l->ir, 0);
	struct nvptx_link sum = nvptx_link_nothing(l, s), none = sum;
	struct nvptx_branch branch;
	LLVMBasicBlockRef then;

	nvptx_if_begin(l->ir, &branch, is_number(l, warp, 0), "tiles");
	hear_tiles(l, s, &r, places);
	nvptx_if_end(l->ir, &branch);
	nvptx_if_begin(l->ir, &branch, is_number(l, warp, 1), "groups");
	hear_groups(l, s, &r);
	nvptx_if_end(l->ir, &branch);
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
	nvptx_if_begin(l->ir, &branch, LLVMBuildNot(l->ir->b, is_number(l,
		r.group, 0), ""), "behind");
	sum = before_group(l, s, &r);
	tell_all(l, s, &r, sum);
	then = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	for (int k = 0; k < s->parts; k++)
		sum.v[k] = nvptx_if_value(l->ir, &branch, then, sum.v[k],
			none.v[k], "");
	return nvptx_link_joined(l, s, sum, take_heard(l, s, r.base, nvptx_int(l->ir,
		BEFORE)));
}

/* Where the number of the block's tile is. */
int64_t nvptx_relay_bytes(void)
{
	return nvptx_places_bytes(POLY_WORD);
}
