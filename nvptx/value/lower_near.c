/* nvptx: a block updates a copy of a small array in shared memory, and adds the copy to the
 * array in the end: atomic updates of other blocks are then fewer.
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/value/value.h"

/* The statement whose cells blocks of "k" have a copy of; NULL: none. */
static const struct poly_stmt *near_of(struct poly_prog *prog,
	const struct poly_kernel *k)
{
	const struct poly_stmt *s = NULL;
	int n;
	struct poly_stmt **list = k->near ? poly_kernel_stmts(prog, k, &n) : NULL;

	if (list)
		s = list[0];
	free(list);
	return s;
}

/* The cells of the copy that blocks of "k" have, and the coordinate along the line that
 * it is a copy of, or -1.
 */
static int64_t near_cells(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *s, int *line)
{
	*line = -1;
	return k->slice ? poly_slice_cells(prog, s, k->slice) :
		poly_near_cells(prog, s, line);
}

/* How many cells behind the last take what must not be written: that is hardly anything
 * but of a slice, of which each lane has such a cell.
 */
static int n_behind(const struct poly_kernel *k)
{
	return k->slice ? POLY_LANES : 1;
}

/* The bytes of the copy, and of these cells. */
static int64_t copy_bytes(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *s)
{
	int line;

	return nvptx_places_bytes((near_cells(prog, k, s, &line) + n_behind(k)) *
		(int64_t)poly_type_size(s->write_array->type));
}

/* A copy of a line has the indices of the line behind it. */
int64_t nvptx_near_bytes(struct poly_prog *prog, const struct poly_kernel *k)
{
	const struct poly_stmt *s = near_of(prog, k);
	int line;

	if (!s)
		return 0;
	near_cells(prog, k, s, &line);
	return copy_bytes(prog, k, s) + nvptx_places_bytes(line < 0 ? 0 :
		8 * s->write_array->n_dim);
}

/* Where index "d" of the line that the block has a copy of is. */
static LLVMValueRef line_index(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef copy, int d)
{
	int64_t bytes = copy_bytes(l->prog, l->kernel, s);

	copy = nvptx_element(l->ir, LLVMInt8TypeInContext(l->ir->m->ctx), copy,
		nvptx_int(l->ir, bytes));
	return nvptx_element(l->ir, nvptx_i64(l->ir), copy, nvptx_int(l->ir, d));
}

/* Begin a loop of the block's threads over "n" cells.
 *
 * Each thread takes every so many-th cell.
 */
static void cells_begin(struct nvptx_lower *l, struct nvptx_loop *loop, int64_t n)
{
	int threads = l->kernel->thread[0] * l->kernel->thread[1];

	nvptx_loop_begin(l->ir, loop, "cell", nvptx_thread_number(l, ""),
		nvptx_int(l->ir, threads));
	nvptx_loop_body(l->ir, loop, LLVMBuildICmp(l->ir->b, LLVMIntULT, loop->i,
		nvptx_int(l->ir, n), ""));
}

/* All cells hold what changes nothing; the barrier comes before the first
 * update. Each thread notes where the line is that it updates.
 *
 * Nothing depends on what cells behind the last hold, but checks ask for something.
 */
void nvptx_near_begin(struct nvptx_lower *l)
{
	LLVMValueRef zero = nvptx_int(l->ir, 0), none, copy;
	const struct poly_stmt *s = near_of(l->prog, l->kernel);
	struct nvptx_loop loop;
	int k, line;

	l->value.near = l->value.line = NULL;
	if (!s)
		return;
	k = nvptx_array_number(l->prog, s->write_array);
	copy = nvptx_take_places(l, nvptx_near_bytes(l->prog, l->kernel));
	none = nvptx_identity(l, s->reduce, s->write_array->type);
	cells_begin(l, &loop, near_cells(l->prog, l->kernel, s, &line) +
		(l->ir->m->opt.checked ? n_behind(l->kernel) : 0));
	LLVMBuildStore(l->ir->b, none, nvptx_element(l->ir, LLVMTypeOf(none),
		copy, loop.i));
	nvptx_loop_end(l->ir, &loop, 0);
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
	l->value.near = l->value.base[k];
	l->value.base[k] = copy;
	if (line < 0)
		return;
	l->value.line = nvptx_room(l->ir, LLVMArrayType2(nvptx_i64(l->ir),
		s->write_array->n_dim), "line");
	for (int d = 0; d < s->write_array->n_dim; d++)
		LLVMBuildStore(l->ir->b, LLVMConstNull(nvptx_i64(l->ir)),
			nvptx_element(l->ir, nvptx_i64(l->ir), l->value.line,
			nvptx_int(l->ir, d)));
}

/* The first row of the slice that the block has a copy of. */
static LLVMValueRef first_row(struct nvptx_lower *l, const struct poly_stmt *s)
{
	int n = poly_slice_count(l->prog, s, l->kernel->slice);

	return nvptx_mul(l->ir, nvptx_mod(l->ir, nvptx_find_var(l, poly_coordinate(
		l->prog, POLY_BLOCK)), nvptx_int(l->ir, n)), nvptx_int(l->ir,
		l->kernel->slice));
}

/* The cell of the copy that "index" means: of a line, that along it; note where the line
 * is.
 */
static LLVMValueRef copied_cell(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef copy, const LLVMValueRef *index)
{
	struct poly_array dense = *s->write_array;	/* without gaps */
	LLVMTypeRef i64 = nvptx_i64(l->ir);
	LLVMValueRef inside[16];
	int line;

	near_cells(l->prog, l->kernel, s, &line);
	dense.stride = 0;
	for (int d = 0; d < dense.n_dim; d++)
		inside[d] = d || !l->kernel->slice ? index[d] :
			nvptx_sub(l->ir, index[d], first_row(l, s));
	if (line < 0)
		return nvptx_element_address(l, &dense, copy, inside);
	for (int d = 0; d < dense.n_dim; d++)
		if (d != line)
			LLVMBuildStore(l->ir->b, nvptx_extend(l->ir, index[d],
				i64), nvptx_element(l->ir, i64, l->value.line,
				nvptx_int(l->ir, d)));
	return nvptx_element(l->ir, nvptx_memory_type(l->ir, dense.type), copy,
		index[line]);
}

/* An update whose condition does not hold goes to a cell behind the last,
 * without a branch.
 */
void nvptx_near_update(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, enum poly_op op, LLVMValueRef v,
	LLVMValueRef cond)
{
	const struct poly_stmt *s = near_of(l->prog, l->kernel);
	LLVMValueRef copy = l->value.base[nvptx_array_number(l->prog, a)];
	int line;
	LLVMValueRef none = nvptx_int(l->ir, near_cells(l->prog, l->kernel, s, &line));
	LLVMValueRef at = copied_cell(l, s, copy, index);

	if (l->kernel->slice)
		none = LLVMBuildAdd(l->ir->b, none, LLVMBuildAnd(l->ir->b,
			nvptx_thread_number(l, ""), nvptx_int(l->ir,
			POLY_LANES - 1), ""), "");
	none = nvptx_element(l->ir, LLVMTypeOf(v), copy, none);
	at = LLVMBuildSelect(l->ir->b, cond, at, none, "");
	nvptx_atomic_at(l, a, at, op, v, "block");
}

/* Let all threads know where the line is that the first one, which has a point whenever
 * one has, has updated.
 */
static void tell_line(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef copy)
{
	LLVMTypeRef i64 = nvptx_i64(l->ir);
	struct nvptx_branch branch;

	if (!l->value.line)
		return;
	nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b, LLVMIntEQ,
		nvptx_thread_number(l, ""), nvptx_int(l->ir, 0), ""), "line");
	for (int d = 0; d < s->write_array->n_dim; d++)
		LLVMBuildStore(l->ir->b, LLVMBuildLoad2(l->ir->b, i64,
			nvptx_element(l->ir, i64, l->value.line,
			nvptx_int(l->ir, d)), ""), line_index(l, s, copy, d));
	nvptx_if_end(l->ir, &branch);
}

/* The index of cell "at" of the copy, taken apart into those of the dimensions, the last
 * one first; of a line, its own and those of the line.
 */
static void cell_index(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef copy, LLVMValueRef at, LLVMValueRef *index)
{
	const struct poly_array *a = s->write_array;
	LLVMValueRef size;
	int line;

	near_cells(l->prog, l->kernel, s, &line);
	for (int d = a->n_dim - 1; d >= 0; d--) {
		if (line >= 0) {
			index[d] = d == line ? at : LLVMBuildLoad2(l->ir->b,
				nvptx_i64(l->ir), line_index(l, s, copy, d), "");
			continue;
		}
		if (!d && l->kernel->slice) {
			index[d] = nvptx_add(l->ir, at, first_row(l, s), "");
			continue;
		}
		size = nvptx_int(l->ir, poly_fixed_extent(l->prog, a, d));
		index[d] = LLVMBuildURem(l->ir->b, at, size, "");
		at = LLVMBuildUDiv(l->ir->b, at, size, "");
	}
}

/* Cells that nothing has changed are left out. The barrier lets all updates of
 * the block come before.
 */
void nvptx_near_end(struct nvptx_lower *l)
{
	LLVMValueRef zero = nvptx_int(l->ir, 0), copy, own, v, index[16];
	const struct poly_stmt *s = near_of(l->prog, l->kernel);
	const struct poly_array *a = s ? s->write_array : NULL;
	struct nvptx_branch some;
	struct nvptx_loop loop;
	int k, line;

	if (!a || !l->value.near)
		return;
	k = nvptx_array_number(l->prog, a);
	copy = l->value.base[k];
	l->value.base[k] = l->value.near;
	l->value.near = NULL;
	tell_line(l, s, copy);
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
	cells_begin(l, &loop, near_cells(l->prog, l->kernel, s, &line));
	v = nvptx_identity(l, s->reduce, a->type);
	own = LLVMBuildLoad2(l->ir->b, LLVMTypeOf(v), nvptx_element(l->ir,
		LLVMTypeOf(v), copy, loop.i), "");
	/* In the ring floats are integers. */
	nvptx_if_begin(l->ir, &some,
		LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind ?
		LLVMBuildICmp(l->ir->b, LLVMIntNE, own, v, "") :
		LLVMBuildFCmp(l->ir->b, LLVMRealUNE, own, v, ""), "some");
	cell_index(l, s, copy, loop.i, index);
	nvptx_atomic(l, a, index, s->reduce, own);
	nvptx_if_end(l->ir, &some);
	nvptx_loop_end(l->ir, &loop, 0);
}
