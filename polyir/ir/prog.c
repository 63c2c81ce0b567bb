/* The program: tables of named records, and their owner.
 *
 * Everything is found by name. Records are allocated one by one, so that
 * pointers to them stay good while the tables grow.
 *
 * Nothing here knows what a record means: poly_verify says what a program must
 * be. A caller that fails half way leaves a program that can be freed, no more.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/facts.h"
#include "polyir/ir/ir.h"

/* Is "word" one that isl's readers take for themselves, in any case?
 *
 * exists, and, mod and so on are syntax in isl's text form: an array of that
 * name would print as a set that cannot be read back.
 */
bool poly_is_word(const char *word)
{
	static const char *const keyword[] = {
		"exists", "and", "or", "implies", "not", "infty", "infinity",
		"nan", "min", "max", "rat", "true", "false", "ceild", "floord",
		"mod", "ceil", "floor",
	};
	size_t i;

	for (i = 0; i < sizeof(keyword) / sizeof(keyword[0]); i++)
		if (!strcasecmp(word, keyword[i]))
			return true;
	return false;
}

/* True if "name" is an identifier that isl reads as a name.
 *
 * The rule is that of C's identifiers, in ASCII: isl prints and reads these
 * without quotes.
 */
static bool is_name(const char *name)
{
	const char *p = name;

	if (!isalpha((unsigned char)*p) && *p != '_')
		return false;
	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	return !*p && !poly_is_word(name);
}

/* Make room in "table" for one more entry of "size" bytes behind "n" entries;
 * tables grow at the powers of two. Returns the table, perhaps elsewhere; or,
 * without memory, NULL, and the old table is as it was.
 */
static void *grow(void *table, int n, size_t size)
{
	if (n & (n - 1))
		/* n is a power of two (or 0): the table is full */
		return table;
	return realloc(table, (n ? 2 * (size_t)n : 1) * size);
}

/* A new program named "name" without parameters; its context knows nothing.
 * "report" must outlive it. NULL without memory.
 */
struct poly_prog *poly_prog_alloc(isl_ctx *ctx, const char *name,
	struct poly_report *report)
{
	struct poly_prog *prog = calloc(1, sizeof(*prog));

	if (!prog)
		return NULL;
	prog->ctx = ctx;
	prog->report = report;
	prog->fp = POLY_FP_REASSOC;
	prog->name = strdup(name);
	prog->file = strdup("");
	prog->context = isl_set_universe(isl_space_params_alloc(ctx, 0));
	poly_coordinates_choose(prog);
	if (!prog->name || !prog->file || !prog->context)
		return poly_prog_free(prog);
	return prog;
}

/* Expressions and indices that name the array are freed with their statements;
 * the order among tables does not matter.
 */
static void free_array(struct poly_array *array)
{
	free(array->name);
	isl_multi_pw_aff_free(array->extent);
	isl_multi_pw_aff_free(array->within);
	free(array);
}

/* Members are statements of the program's table and freed there. */
static void free_stmt(struct poly_stmt *stmt)
{
	free(stmt->name);
	isl_set_free(stmt->domain);
	isl_multi_pw_aff_free(stmt->write_index);
	poly_expr_free(stmt->rhs);
	free(stmt->member);
	isl_union_map_free(stmt->contraction);
	isl_multi_aff_free(stmt->at);
	for (int i = 0; i < POLY_MAX_OPERAND; i++)
		isl_multi_pw_aff_free(stmt->operand_index[i]);
	free(stmt);
}

static void free_kernel(struct poly_kernel *kernel)
{
	free(kernel->name);
	isl_pw_aff_free(kernel->grid[0]);
	isl_pw_aff_free(kernel->grid[1]);
	for (int i = 0; i < kernel->n_batch; i++)
		isl_pw_aff_free(kernel->batch[i]);
	poly_seen_free(kernel->legal);
	poly_seen_free(kernel->ordered);
	free(kernel);
}

/* Release "prog" (NULL: nothing) and all it owns; returns NULL. */
struct poly_prog *poly_prog_free(struct poly_prog *prog)
{
	int i;

	if (!prog)
		return NULL;
	for (i = 0; i < prog->n_param; i++)
		free(prog->param[i].name);
	for (i = 0; i < prog->n_array; i++)
		free_array(prog->array[i]);
	for (i = 0; i < prog->n_stmt; i++)
		free_stmt(prog->stmt[i]);
	for (i = 0; i < prog->n_kernel; i++)
		free_kernel(prog->kernel[i]);
	free(prog->param);
	free(prog->array);
	free(prog->stmt);
	free(prog->kernel);
	poly_deps_clear(&prog->deps);
	isl_set_free(prog->context);
	isl_schedule_free(prog->original);
	poly_found_free(prog->found);
	isl_schedule_free(prog->schedule);
	free(prog->name);
	free(prog->file);
	free(prog);
	return NULL;
}

/* True if "name" is a name isl can read that nothing in "prog" has yet. A
 * kernel may share the name of something else: it is never in an isl object
 * by itself.
 *
 * What is in isl's objects, sizes, arrays and statements, shares one space of
 * names, since a parameter, a tuple of an array and a tuple of a statement may
 * stand in one set.
 */
static bool is_free_name(struct poly_prog *prog, const char *name)
{
	return is_name(name) && !poly_prog_find_param(prog, name) &&
		!poly_prog_find_array(prog, name) &&
		!poly_prog_find_stmt(prog, name);
}

/* The context with "name >= 0". */
static __isl_give isl_set *add_size(__isl_take isl_set *context,
	const char *name)
{
	isl_ctx *ctx = isl_set_get_ctx(context);
	isl_id *id = isl_id_alloc(ctx, name, NULL);
	isl_space *space = isl_space_params_alloc(ctx, 0);

	space = isl_space_add_param_id(space, id);
	return isl_set_intersect(context, isl_set_lower_bound_si(
		isl_set_universe(space), isl_dim_param, 0, 0));
}

/* Add the size "name"; the context learns that it is not negative. Returns
 * NULL, having changed nothing, if the name is taken or none, or without
 * memory; so do the other functions that add. The result is good until the
 * next size is added.
 */
struct poly_param *poly_prog_add_param(struct poly_prog *prog,
	const char *name)
{
	struct poly_param *table;
	char *copy;

	if (!is_free_name(prog, name))
		return NULL;
	table = grow(prog->param, prog->n_param, sizeof(*table));
	if (!table)
		return NULL;
	prog->param = table;
	copy = strdup(name);
	if (!copy)
		return NULL;
	table[prog->n_param] = (struct poly_param) { .name = copy };
	prog->context = add_size(prog->context, name);
	prog->n_param++;
	/* a size of the name "b0" takes that of a coordinate */
	poly_coordinates_choose(prog);
	return &table[prog->n_param - 1];
}

/* At most one of each kind; a linear walk over a handful. */
const struct poly_param *poly_prog_hidden(const struct poly_prog *prog,
	enum poly_hidden kind)
{
	for (int i = prog->n_param - prog->n_hidden; i < prog->n_param; i++)
		if (prog->param[i].hidden == kind)
			return &prog->param[i];
	return NULL;
}

/* Called for size M with kind PARTS it makes "M_parts": users see the name in
 * dumps and in plans, and cannot pass it.
 */
struct poly_param *poly_prog_add_hidden(struct poly_prog *prog,
	const char *size, enum poly_hidden kind)
{
	static const char *const what[] = { "", "parts", "steps", "first",
		"first" };
	char *name = poly_unique_name(prog, size, what[kind]);
	struct poly_param *p = name ? poly_prog_add_param(prog, name) : NULL;

	free(name);
	if (!p)
		return NULL;
	p->of = poly_prog_find_param(prog, size) - prog->param;
	p->hidden = kind;
	prog->n_hidden++;
	return p;
}

/* Give the size "name" the value "v". Domains and context stay symbolic:
 * constants in them change what the scheduler fuses, so values enter with the
 * AST. Fails if there is no such size.
 */
isl_stat poly_prog_fix(struct poly_prog *prog, const char *name, int64_t v)
{
	struct poly_param *param = poly_prog_find_param(prog, name);

	if (!param)
		return isl_stat_error;
	param->fixed = true;
	param->value = v;
	return isl_stat_ok;
}

/* NULL takes the order away, as for definitions: then only values order
 * instances.
 */
void poly_prog_set_original(struct poly_prog *prog,
	__isl_take isl_schedule *schedule)
{
	isl_schedule_free(prog->original);
	prog->original = schedule;
}

/* What a new entry of a table of pointers needs. */
struct slot {
	char *name;
	void *record;
	void *table;
};

/* What a new entry needs: a copy of "name", a zeroed record of "size" bytes,
 * and "table" of "n" entries with room for one more. False, with nothing
 * allocated but perhaps a bigger table, without memory.
 */
static bool alloc_slot(struct slot *slot, void *table, int n, size_t size,
	const char *name)
{
	slot->table = grow(table, n, sizeof(void *));
	if (!slot->table)
		return false;
	slot->name = strdup(name);
	slot->record = calloc(1, size);
	if (slot->name && slot->record)
		return true;
	free(slot->name);
	free(slot->record);
	slot->name = NULL;
	return false;
}

/* Add a global array; "extent" gives its number of dimensions.
 *
 * Fails as poly_prog_add_param does, and frees "extent" then. Passes turn it
 * into a shared array or a register later.
 */
struct poly_array *poly_prog_add_array(struct poly_prog *prog,
	const char *name, enum poly_type type, enum poly_role role,
	__isl_take isl_multi_pw_aff *extent)
{
	struct poly_array *array;
	struct slot slot = { 0 };

	if (extent && is_free_name(prog, name))
		alloc_slot(&slot, prog->array, prog->n_array, sizeof(*array),
			name);
	if (slot.table)
		prog->array = slot.table;
	if (!slot.name) {
		isl_multi_pw_aff_free(extent);
		return NULL;
	}
	array = slot.record;
	array->name = slot.name;
	array->type = type;
	array->role = role;
	array->space = POLY_GLOBAL;
	array->extent = extent;
	array->n_dim = (int)isl_multi_pw_aff_dim(extent, isl_dim_out);
	prog->array[prog->n_array++] = array;
	return array;
}

/* Add a statement behind the others.
 *
 * The place in the table is the program order: passes that need another one
 * move it (poly_move_stmt). Fails as the others do, and frees "domain".
 */
struct poly_stmt *poly_prog_add_stmt(struct poly_prog *prog,
	const char *name, enum poly_kind kind, __isl_take isl_set *domain)
{
	struct poly_stmt *stmt;
	struct slot slot = { 0 };

	if (domain && is_free_name(prog, name))
		alloc_slot(&slot, prog->stmt, prog->n_stmt, sizeof(*stmt),
			name);
	if (slot.table)
		prog->stmt = slot.table;
	if (!slot.name) {
		isl_set_free(domain);
		return NULL;
	}
	stmt = slot.record;
	stmt->name = slot.name;
	stmt->kind = kind;
	stmt->domain = domain;
	stmt->reduce = POLY_OP_NONE;
	prog->stmt[prog->n_stmt++] = stmt;
	return stmt;
}

/* Add a kernel behind the others: not tiled, one thread, one point a tile,
 * and no grid yet.
 */
struct poly_kernel *poly_prog_add_kernel(struct poly_prog *prog,
	const char *name)
{
	struct poly_kernel *kernel;
	struct slot slot = { 0 };

	if (is_name(name) && !poly_prog_find_kernel(prog, name))
		alloc_slot(&slot, prog->kernel, prog->n_kernel,
			sizeof(*kernel), name);
	if (slot.table)
		prog->kernel = slot.table;
	if (!slot.name)
		return NULL;
	kernel = slot.record;
	kernel->name = slot.name;
	kernel->thread[0] = kernel->thread[1] = 1;
	kernel->tile[0] = kernel->tile[1] = 1;
	kernel->tile_k = 1;
	kernel->vec[0] = kernel->vec[1] = kernel->vec_k = 1;
	kernel->stages = 1;
	prog->kernel[prog->n_kernel++] = kernel;
	return kernel;
}

/* Those behind move up, so that the order of execution stays. Pointers to the
 * kernel are void.
 */
void poly_prog_drop_kernel(struct poly_prog *prog, int i)
{
	free_kernel(prog->kernel[i]);
	prog->n_kernel--;
	memmove(&prog->kernel[i], &prog->kernel[i + 1],
		(prog->n_kernel - i) * sizeof(*prog->kernel));
}

/* Pointers to the statement are void; it is no member of another. */
void poly_prog_drop_stmt(struct poly_prog *prog, int i)
{
	free_stmt(prog->stmt[i]);
	prog->n_stmt--;
	memmove(&prog->stmt[i], &prog->stmt[i + 1],
		(prog->n_stmt - i) * sizeof(*prog->stmt));
}

void poly_prog_drop_array(struct poly_prog *prog, struct poly_array *array)
{
	int i = 0;

	while (prog->array[i] != array)
		i++;
	free_array(array);
	prog->n_array--;
	memmove(&prog->array[i], &prog->array[i + 1],
		(prog->n_array - i) * sizeof(*prog->array));
}

/* Set or replace what "stmt" writes; takes "index" and "rhs".
 *
 * An array that a SCATTER writes stays marked as scattered, even when the
 * statement writes another array later: the mark is only ever too careful.
 */
void poly_stmt_set_write(struct poly_stmt *stmt, struct poly_array *array,
	__isl_take isl_multi_pw_aff *index, enum poly_op reduce,
	struct poly_expr *rhs)
{
	isl_multi_pw_aff_free(stmt->write_index);
	if (stmt->rhs != rhs)
		poly_expr_free(stmt->rhs);
	stmt->write_array = array;
	stmt->write_index = index;
	stmt->reduce = reduce;
	stmt->rhs = rhs;
	if (array && rhs && rhs->op == POLY_OP_SCATTER)
		array->scattered = true;
}

/* Behind t0, t1, and of a CONTRACT, COPY or SYNC also tk: these stand inside
 * the loop over the sum.
 */
int poly_op_first_outer(const struct poly_stmt *op)
{
	return op->kind == POLY_GROUP || op->kind == POLY_REDUCE ||
		op->kind == POLY_SCAN ? 2 : 3;
}

/* Add "member" behind the members of "stmt". Without memory the member is left
 * out, which poly_verify reports.
 */
void poly_stmt_add_member(struct poly_stmt *stmt, struct poly_stmt *member)
{
	struct poly_stmt **table;

	table = grow(stmt->member, stmt->n_member, sizeof(*table));
	if (!table)
		return;
	stmt->member = table;
	table[stmt->n_member++] = member;
}

bool poly_prog_is_fixed(const struct poly_prog *prog)
{
	for (int i = 0; i < prog->n_param; i++)
		if (!prog->param[i].fixed && !prog->param[i].stride)
			return false;
	return true;
}

/* The finders return NULL if nothing has the name. */
struct poly_param *poly_prog_find_param(struct poly_prog *p, const char *name)
{
	int i;

	for (i = 0; name && i < p->n_param; i++)
		if (!strcmp(p->param[i].name, name))
			return &p->param[i];
	return NULL;
}

struct poly_array *poly_prog_find_array(struct poly_prog *p, const char *name)
{
	int i;

	for (i = 0; i < p->n_array; i++)
		if (!strcmp(p->array[i]->name, name))
			return p->array[i];
	return NULL;
}

struct poly_stmt *poly_prog_find_stmt(struct poly_prog *p, const char *name)
{
	int i;

	for (i = 0; i < p->n_stmt; i++)
		if (!strcmp(p->stmt[i]->name, name))
			return p->stmt[i];
	return NULL;
}

struct poly_kernel *poly_prog_find_kernel(struct poly_prog *p,
	const char *name)
{
	int i;

	for (i = 0; i < p->n_kernel; i++)
		if (!strcmp(p->kernel[i]->name, name))
			return p->kernel[i];
	return NULL;
}

/* Takes time linear in all members; asked once for each statement by passes
 * that walk the tree.
 */
bool poly_stmt_is_member(const struct poly_prog *p,
	const struct poly_stmt *stmt)
{
	int i, m;

	for (i = 0; i < p->n_stmt; i++)
		for (m = 0; m < p->stmt[i]->n_member; m++)
			if (p->stmt[i]->member[m] == stmt)
				return true;
	return false;
}

/* A statement in three loops counts 4. It stands for the time of isl's
 * scheduler, whose linear programs have a variable for each coefficient of each
 * statement.
 */
int poly_measure(const struct poly_prog *prog)
{
	int n = 0;

	for (int i = 0; i < prog->n_stmt; i++)
		n += 1 + isl_set_dim(prog->stmt[i]->domain, isl_dim_set);
	return n;
}

void poly_prog_drop_writer(struct poly_prog *prog, struct poly_stmt *stmt)
{
	struct poly_array *array = stmt->write_array;
	bool used = !array || array->role != POLY_TEMP;

	poly_prog_drop_stmt(prog, poly_stmt_position(prog, stmt->name));
	for (int i = 0; i < prog->n_stmt && !used; i++)
		used = poly_stmt_accesses(prog->stmt[i], array);
	if (!used)
		poly_prog_drop_array(prog, array);
}
