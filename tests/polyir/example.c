/* Programs built by hand for the tests of polyir. */
#include <string.h>

#include <isl/id.h>

#include "example.h"

void example_open(struct example *x, const char *name)
{
	memset(x, 0, sizeof(*x));
	x->ctx = poly_ctx_alloc();
	x->prog = poly_prog_alloc(x->ctx, name, &x->report);
	poly_prog_add_param(x->prog, "M");
	poly_prog_add_param(x->prog, "N");
	poly_prog_add_param(x->prog, "K");
}

bool example_close(struct example *x)
{
	poly_prog_free(x->prog);
	poly_report_free(&x->report);
	return poly_ctx_free(x->ctx);
}

struct poly_array *example_array(struct example *x, const char *name,
	enum poly_role role, const char *rows, const char *columns)
{
	struct poly_str t = { 0 };
	struct poly_array *array;

	poly_str_printf(&t, "[M, N, K] -> { %s[(%s), (%s)] }", name, rows,
		columns);
	array = poly_prog_add_array(x->prog, name, POLY_F32, role,
		poly_read_index(x->prog, t.s));
	poly_str_free(&t);
	return array;
}

/* A statement with the domain "{ NAME[dims] : bounds }". */
static struct poly_stmt *add_stmt(struct example *x, const char *name,
	const char *dims, const char *bounds)
{
	struct poly_str t = { 0 };
	struct poly_stmt *stmt;

	poly_str_printf(&t, "[K, M, N] -> { %s[%s] : %s }", name, dims, bounds);
	stmt = poly_prog_add_stmt(x->prog, name, POLY_POINT,
		poly_read_set(x->prog, t.s));
	poly_str_free(&t);
	return stmt;
}

/* "{ NAME[dims] -> ARRAY[index] }" */
static __isl_give isl_multi_pw_aff *index_of(struct example *x,
	const char *name, const char *dims, const char *array,
	const char *index)
{
	struct poly_str t = { 0 };
	isl_multi_pw_aff *mpa;

	poly_str_printf(&t, "{ %s[%s] -> %s[%s] }", name, dims, array, index);
	mpa = poly_read_index(x->prog, t.s);
	poly_str_free(&t);
	return mpa;
}

static struct poly_expr *access_of(struct example *x, const char *name,
	const char *dims, const char *array, const char *index)
{
	return poly_expr_access(poly_prog_find_array(x->prog, array),
		index_of(x, name, dims, array, index));
}

void example_product(struct example *x, const char *name, const char *out,
	const char *a, const char *b, const char *depth)
{
	struct poly_array *array = poly_prog_find_array(x->prog, out);
	struct poly_str init = { 0 }, bounds = { 0 };
	struct poly_expr *left, *right;
	struct poly_stmt *stmt;

	poly_str_printf(&init, "%s_init", name);
	poly_str_printf(&bounds, "0 <= i < M and 0 <= j < N and 0 <= k < %s",
		depth);
	stmt = add_stmt(x, init.s, "i, j", "0 <= i < M and 0 <= j < N");
	poly_stmt_set_write(stmt, array,
		index_of(x, init.s, "i, j", out, "(i), (j)"), POLY_OP_NONE,
		poly_expr_const(POLY_F32, 0));
	stmt = add_stmt(x, name, "i, j, k", bounds.s);
	left = access_of(x, name, "i, j, k", a, "(i), (k)");
	right = access_of(x, name, "i, j, k", b, "(k), (j)");
	poly_stmt_set_write(stmt, array,
		index_of(x, name, "i, j, k", out, "(i), (j)"), POLY_OP_ADD,
		poly_expr_op(POLY_OP_MUL, POLY_F32, left, right));
	poly_str_free(&init);
	poly_str_free(&bounds);
}

void example_sum(struct example *x, const char *name, const char *out,
	const char *a, const char *b)
{
	struct poly_stmt *stmt;
	struct poly_expr *left, *right;

	stmt = add_stmt(x, name, "i, j", "0 <= i < M and 0 <= j < N");
	left = access_of(x, name, "i, j", a, "(i), (j)");
	right = access_of(x, name, "i, j", b, "(i), (j)");
	poly_stmt_set_write(stmt, poly_prog_find_array(x->prog, out),
		index_of(x, name, "i, j", out, "(i), (j)"), POLY_OP_NONE,
		poly_expr_op(POLY_OP_ADD, POLY_F32, left, right));
}

void example_fig2(struct example *x, const char *depth)
{
	example_open(x, "fig2");
	example_array(x, "A", POLY_INPUT, "M", depth);
	example_array(x, "B", POLY_INPUT, depth, "N");
	example_array(x, "C", POLY_INPUT, "M", "N");
	example_array(x, "T", POLY_TEMP, "M", "N");
	example_array(x, "E", POLY_OUTPUT, "M", "N");
	example_product(x, "P", "T", "A", "B", depth);
	example_sum(x, "S", "E", "T", "C");
	poly_prog_find_stmt(x->prog, "P")->loc = (struct poly_loc) { 4, 1, 5 };
}

void example_fig7(struct example *x)
{
	static const char *const input[] = { "A", "B", "C", "D" };
	int i;

	example_open(x, "fig7");
	for (i = 0; i < 4; i++)
		example_array(x, input[i], POLY_INPUT, "M", "M");
	example_array(x, "E", POLY_TEMP, "M", "M");
	example_array(x, "F", POLY_TEMP, "M", "M");
	example_array(x, "G", POLY_OUTPUT, "M", "M");
	example_sum(x, "N1", "E", "A", "B");
	example_sum(x, "N2", "F", "C", "D");
	example_product(x, "N3", "G", "E", "F", "M");
}

static __isl_give isl_schedule_node *insert_band(
	__isl_take isl_schedule_node *node, const char *text, int coincident)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_size i, n;

	node = isl_schedule_node_insert_partial_schedule(node,
		isl_multi_union_pw_aff_read_from_str(ctx, text));
	node = isl_schedule_node_band_set_permutable(node, 1);
	n = isl_schedule_node_band_n_member(node);
	for (i = 0; i < n; i++)
		node = isl_schedule_node_band_member_set_coincident(node,
			(int)i, coincident);
	return isl_schedule_node_child(node, 0);
}

/* A sequence of the two filters; stands on the first's leaf. */
static __isl_give isl_schedule_node *insert_sequence(
	__isl_take isl_schedule_node *node, const char *first,
	const char *second)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);
	isl_union_set_list *list = isl_union_set_list_alloc(ctx, 2);

	list = isl_union_set_list_add(list,
		isl_union_set_read_from_str(ctx, first));
	list = isl_union_set_list_add(list,
		isl_union_set_read_from_str(ctx, second));
	node = isl_schedule_node_insert_sequence(node, list);
	return isl_schedule_node_grandchild(node, 0, 0);
}

/* Insert a kernel's mark and the filter that binds its coordinates. */
static __isl_give isl_schedule_node *insert_kernel(
	__isl_take isl_schedule_node *node, const char *mark,
	const char *filter)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(node);

	node = isl_schedule_node_insert_mark(node,
		isl_id_alloc(ctx, mark, NULL));
	node = isl_schedule_node_child(node, 0);
	node = isl_schedule_node_insert_filter(node,
		isl_union_set_read_from_str(ctx, filter));
	return isl_schedule_node_child(node, 0);
}

#define PLACE(s) s ": floor(i/16) = b0 and i mod 16 = t0 " \
	"and floor(j/16) = b1 and j mod 16 = t1"

/* k0 computes the product, k1 adds. */
static __isl_give isl_schedule *mapped_tree(struct example *x)
{
	isl_union_set *domain = poly_point_domains(x->prog);
	isl_schedule_node *node = isl_schedule_node_from_domain(domain);
	isl_schedule *schedule;

	node = isl_schedule_node_child(node, 0);
	node = insert_sequence(node, "{ P[i,j,k]; P_init[i,j] }", "{ S[i,j] }");
	node = insert_kernel(node, "kernel:k0",
		"[t1, t0, b1, b0] -> { " PLACE("P_init[i,j]")
		"; " PLACE("P[i,j,k]") " }");
	node = insert_band(node, "[{ P[i,j,k] -> [i]; P_init[i,j] -> [i] }, "
		"{ P[i,j,k] -> [j]; P_init[i,j] -> [j] }]", 1);
	node = insert_sequence(node, "{ P_init[i,j] }", "{ P[i,j,k] }");
	node = isl_schedule_node_ancestor(node, 2);
	node = isl_schedule_node_grandchild(node, 1, 0);
	node = insert_band(node, "[{ P[i,j,k] -> [k] }]", 0);
	node = isl_schedule_node_ancestor(node, 8);
	node = isl_schedule_node_grandchild(node, 1, 0);
	node = insert_kernel(node, "kernel:k1",
		"[b0, b1, t0, t1] -> { " PLACE("S[i,j]") " }");
	node = insert_band(node, "[{ S[i,j] -> [i] }, { S[i,j] -> [j] }]", 1);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return schedule;
}

void example_mapped(struct example *x)
{
	static const char *const name[] = { "k0", "k1" };
	struct poly_kernel *kernel;
	int i, d;

	example_fig2(x, "K");
	for (i = 0; i < 2; i++) {
		kernel = poly_prog_add_kernel(x->prog, name[i]);
		for (d = 0; d < 2; d++) {
			kernel->thread[d] = kernel->tile[d] = 16;
			kernel->grid[d] = isl_pw_aff_read_from_str(x->ctx, d ?
				"[N] -> { [(floor((N + 15)/16))] }" :
				"[M] -> { [(floor((M + 15)/16))] }");
		}
	}
	x->prog->schedule = mapped_tree(x);
	x->prog->have = POLY_HAVE_SCHEDULE | POLY_HAVE_KERNELS;
}
