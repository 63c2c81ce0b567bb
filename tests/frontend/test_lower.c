/* The lowered program: statements, domains, accesses, types, names. isl
 * objects are compared by meaning.
 */
#include "test.h"

#define D2(name, m, n) "{ " name "[i,j] : 0 <= i < " m " and 0 <= j < " n " }"
#define D3(name, m, n, k) "{ " name "[i,j,k] : 0 <= i < " m \
	" and 0 <= j < " n " and 0 <= k < " k " }"

static isl_ctx *ctx;

static struct poly_prog *lower(const struct fe_unit *u)
{
	struct poly_report report = { 0 };
	struct poly_prog *prog = u ? fe_lower(u, ctx, &report) : NULL;

	CHECK(prog && !report.n_msg);
	poly_report_free(&report);
	return prog;
}

static struct poly_prog *lower_text(const char *text)
{
	struct fe_unit *u = test_unit(text);
	struct poly_prog *prog = lower(u);

	fe_unit_free(u);
	return prog;
}

/* The domain of "stmt" is "want". */
static void check_domain(struct poly_prog *prog, const char *stmt,
	const char *want)
{
	struct poly_stmt *s = poly_prog_find_stmt(prog, stmt);
	isl_set *set = isl_set_read_from_str(ctx, want);

	CHECK(s && s->kind == POLY_POINT);
	CHECK(s && isl_set_is_equal(s->domain, set) == isl_bool_true);
	isl_set_free(set);
}

/* The write of "stmt", as a map, and its reduction. */
static void check_write(struct poly_prog *prog, const char *stmt,
	const char *want, enum poly_op reduce)
{
	struct poly_stmt *s = poly_prog_find_stmt(prog, stmt);
	isl_map *map = isl_map_read_from_str(ctx, want), *got;

	CHECK(s && s->reduce == reduce);
	if (s) {
		got = isl_map_from_multi_pw_aff(
			isl_multi_pw_aff_copy(s->write_index));
		CHECK(isl_map_is_equal(got, map) == isl_bool_true);
		SAME(s->write_array->name,
			isl_map_get_tuple_name(map, isl_dim_out));
		isl_map_free(got);
	}
	isl_map_free(map);
}

struct leaves {
	isl_map *map[4];
	int n;
};

static void add_leaf(struct poly_expr *leaf, void *user)
{
	struct leaves *l = user;

	if (l->n < 4)
		l->map[l->n++] = isl_map_from_multi_pw_aff(
			isl_multi_pw_aff_copy(leaf->index));
}

/* The reads of "stmt" in order are the maps "a" and "b" (NULL: none). */
static void check_reads(struct poly_prog *prog, const char *stmt,
	const char *a, const char *b)
{
	struct poly_stmt *s = poly_prog_find_stmt(prog, stmt);
	const char *const want[2] = { a, b };
	struct leaves l = { 0 };
	int i;

	if (s)
		poly_expr_each_access(s->rhs, add_leaf, &l);
	CHECK(l.n == !!a + !!b);
	for (i = 0; i < l.n; i++) {
		isl_map *map = isl_map_read_from_str(ctx, want[i]);

		CHECK(isl_map_is_equal(l.map[i], map) == isl_bool_true);
		isl_map_free(map);
		isl_map_free(l.map[i]);
	}
}

static void check_value(struct poly_prog *prog, const char *stmt,
	const char *want)
{
	struct poly_stmt *s = poly_prog_find_stmt(prog, stmt);
	struct poly_str text = { 0 };

	CHECK(s != NULL);
	if (s)
		poly_print_expr(s->rhs, &text);
	SAME(text.s, want);
	poly_str_free(&text);
}

static void check_array(struct poly_prog *prog, const char *name,
	enum poly_type type, enum poly_role role, const char *extent)
{
	struct poly_array *a = poly_prog_find_array(prog, name);
	isl_multi_pw_aff *want = isl_multi_pw_aff_read_from_str(ctx, extent);

	CHECK(a && a->type == type && a->role == role && a->n_dim == 2);
	CHECK(a && isl_multi_pw_aff_is_equal(a->extent, want) ==
		isl_bool_true);
	isl_multi_pw_aff_free(want);
}

/* The names of the statements, in order. */
static void check_order(struct poly_prog *prog, const char *want)
{
	struct poly_str text = { 0 };
	int i;

	for (i = 0; i < prog->n_stmt; i++)
		poly_str_printf(&text, "%s%s", i ? " " : "",
			prog->stmt[i]->name);
	SAME(text.s, want);
	poly_str_free(&text);
}

static void check_fig2(void)
{
	struct poly_prog *p = lower_text("Params M, K, N;\nMatrix A(M,K);\n"
		"Matrix B(K,N);\nMatrix C(M,N);\nD = A * B;\nE = D + C;\n"
		"CodeGen(FLOAT, {E});\n");
	struct poly_stmt *s;

	if (!p)
		return;
	SAME(p->name, "test");
	SAME(p->file, "test.dsl");
	check_order(p, "D_init D_mul E_add");
	check_array(p, "A", POLY_F32, POLY_INPUT, "[M,K] -> { A[(M),(K)] }");
	check_array(p, "B", POLY_F32, POLY_INPUT, "[K,N] -> { B[(K),(N)] }");
	check_array(p, "D", POLY_F32, POLY_TEMP, "[M,N] -> { D[(M),(N)] }");
	check_array(p, "E", POLY_F32, POLY_OUTPUT, "[M,N] -> { E[(M),(N)] }");
	check_domain(p, "D_init", "[M,N] -> " D2("D_init", "M", "N"));
	check_domain(p, "D_mul", "[M,N,K] -> " D3("D_mul", "M", "N", "K"));
	check_domain(p, "E_add", "[M,N] -> " D2("E_add", "M", "N"));
	check_write(p, "D_init", "{ D_init[i,j] -> D[i,j] }", POLY_OP_NONE);
	check_write(p, "D_mul", "{ D_mul[i,j,k] -> D[i,j] }", POLY_OP_ADD);
	check_write(p, "E_add", "{ E_add[i,j] -> E[i,j] }", POLY_OP_NONE);
	check_reads(p, "D_mul", "{ D_mul[i,j,k] -> A[i,k] }",
		"{ D_mul[i,j,k] -> B[k,j] }");
	check_reads(p, "E_add", "{ E_add[i,j] -> D[i,j] }",
		"{ E_add[i,j] -> C[i,j] }");
	s = poly_prog_find_stmt(p, "E_add");
	CHECK(s && s->loc.line == 6 && s->loc.col == 7);
	s = poly_prog_find_stmt(p, "D_mul");
	CHECK(s && s->loc.line == 5);
	poly_prog_free(p);
}

/* Views become index maps, and only outputs that are views are copied. */
static void check_views(void)
{
	struct poly_prog *p = lower_text("Params M, N; Matrix A(M,N);"
		"Matrix r(1,N); Matrix c(M,1); Matrix s(1,1);"
		"B = A^T^T + r; C = c - A; D = s .* A^T; U = B^T; V = U^T;"
		"W = U^T + 2; CodeGen(FLOAT, {C, D, U, V, W});");

	if (!p)
		return;
	check_order(p, "B_add C_sub D_mul U_copy V_copy W_add");
	check_reads(p, "B_add", "{ B_add[i,j] -> A[i,j] }",
		"{ B_add[i,j] -> r[0,j] }");
	check_reads(p, "C_sub", "{ C_sub[i,j] -> c[i,0] }",
		"{ C_sub[i,j] -> A[i,j] }");
	check_reads(p, "D_mul", "{ D_mul[i,j] -> s[0,0] }",
		"{ D_mul[i,j] -> A[j,i] }");
	check_domain(p, "D_mul", "[M,N] -> " D2("D_mul", "N", "M"));
	check_reads(p, "U_copy", "{ U_copy[i,j] -> B[j,i] }", NULL);
	check_reads(p, "V_copy", "{ V_copy[i,j] -> B[i,j] }", NULL);
	check_domain(p, "U_copy", "[M,N] -> " D2("U_copy", "N", "M"));
	check_reads(p, "W_add", "{ W_add[i,j] -> B[i,j] }", NULL);
	check_value(p, "W_add", "(add (read B \"{ W_add[i, j] -> "
		"B[(i), (j)] }\") (const f32 2))");
	poly_prog_free(p);
}

/* A transposed operation is computed in place. */
static void check_flipped(void)
{
	struct poly_prog *p = lower_text("Params M, K, N; Matrix A(M,K);"
		"Matrix B(K,N); Matrix v(1,N); C = (A * B)^T;"
		"D = transpose(A * B + v); E = C^T + D';");

	if (!p)
		return;
	check_order(p,
		"C_init C_mul D_1_init D_1_mul D_add E_add");
	check_array(p, "C", POLY_F32, POLY_TEMP, "[M,N] -> { C[(N),(M)] }");
	check_domain(p, "C_mul", "[M,N,K] -> " D3("C_mul", "N", "M", "K"));
	check_write(p, "C_mul", "{ C_mul[i,j,k] -> C[i,j] }", POLY_OP_ADD);
	check_reads(p, "C_mul", "{ C_mul[i,j,k] -> B[k,i] }",
		"{ C_mul[i,j,k] -> A[j,k] }");
	check_domain(p, "D_1_mul", "[M,N,K] -> " D3("D_1_mul", "M", "N", "K"));
	check_domain(p, "D_add", "[M,N] -> " D2("D_add", "N", "M"));
	check_write(p, "D_add", "{ D_add[i,j] -> D[i,j] }", POLY_OP_NONE);
	check_reads(p, "D_add", "{ D_add[i,j] -> D_1[j,i] }",
		"{ D_add[i,j] -> v[0,i] }");
	check_reads(p, "E_add", "{ E_add[i,j] -> C[j,i] }",
		"{ E_add[i,j] -> D[j,i] }");
	poly_prog_free(p);
}

/* Where values are stored in another type than they are computed in. */
static void check_types(void)
{
	struct poly_prog *p = lower_text("Matrix A(4,4); T = A * A;"
		"X = T + A; Y = A * A + A; Z = (A * A) * A;"
		"W = (A + A .* A) * A; CodeGen(HALF, {X, Y, Z, W});");

	if (!p)
		return;
	check_order(p, "T_init T_mul T_round X_add Y_1_init Y_1_mul Y_add "
		"Z_1_init Z_1_mul Z_1_round Z_init Z_mul Z_round "
		"W_1_mul W_2_add W_init W_mul W_round");
	check_array(p, "A", POLY_F16, POLY_INPUT, "{ A[(4),(4)] }");
	check_array(p, "T", POLY_F16, POLY_TEMP, "{ T[(4),(4)] }");
	check_array(p, "T_acc", POLY_F32, POLY_TEMP, "{ T_acc[(4),(4)] }");
	check_array(p, "Y_1", POLY_F32, POLY_TEMP, "{ Y_1[(4),(4)] }");
	check_array(p, "Z_1", POLY_F16, POLY_TEMP, "{ Z_1[(4),(4)] }");
	check_array(p, "W_1", POLY_F32, POLY_TEMP, "{ W_1[(4),(4)] }");
	check_array(p, "W_2", POLY_F16, POLY_TEMP, "{ W_2[(4),(4)] }");
	check_value(p, "T_init", "(const f32 0)");
	check_write(p, "T_mul", "{ T_mul[i,j,k] -> T_acc[i,j] }",
		POLY_OP_ADD);
	check_write(p, "T_round", "{ T_round[i,j] -> T[i,j] }", POLY_OP_NONE);
	check_value(p, "T_mul", "(mul (cast f32 (read A \"{ T_mul[i, j, k] "
		"-> A[(i), (k)] }\")) (cast f32 (read A \"{ T_mul[i, j, k] "
		"-> A[(k), (j)] }\")))");
	check_value(p, "T_round", "(cast f16 (read T_acc \"{ T_round[i, j] "
		"-> T_acc[(i), (j)] }\"))");
	check_value(p, "Y_add", "(cast f16 (add (read Y_1 \"{ Y_add[i, j] "
		"-> Y_1[(i), (j)] }\") (cast f32 (read A \"{ Y_add[i, j] -> "
		"A[(i), (j)] }\"))))");
	poly_prog_free(p);
}

/* Names that would collide with made ones or that isl would misread. */
static void check_names(void)
{
	struct poly_prog *p = lower_text("Params k, and; Matrix j(k,and);"
		"Matrix C_mul(and,k); Matrix C(2,2); C = j * C_mul;"
		"C = C + C; not = C; CodeGen good(DOUBLE, {C, not});");

	if (!p)
		return;
	SAME(p->name, "good");
	SAME(p->param[0].name, "k");
	SAME(p->param[1].name, "and_1");
	CHECK(poly_prog_find_array(p, "j") && poly_prog_find_array(p, "C_0"));
	check_order(p, "C_1_init C_1_mul C_add not_1_copy");
	check_domain(p, "C_1_mul", "[k,and_1] -> { C_1_mul[i,j,l] : "
		"0 <= i < k and 0 <= j < k and 0 <= l < and_1 }");
	check_reads(p, "C_1_mul", "{ C_1_mul[i,j,k] -> j[i,k] }",
		"{ C_1_mul[i,j,k] -> C_mul[k,j] }");
	check_array(p, "not_1", POLY_F64, POLY_OUTPUT,
		"[k] -> { not_1[(k),(k)] }");
	poly_prog_free(p);
}

/* -D gives values to parameters and leaves domains symbolic. */
static void check_fixed(void)
{
	static const char text[] = "Params M, N; Matrix A(M,N); B = A + A;";
	const struct fe_define def = { "N", 7 };
	struct fe_unit *u = test_read("x/2-d.v.dsl", text, strlen(text), &def,
		1);
	struct poly_prog *p = lower(u);
	isl_set *want;

	fe_unit_free(u);
	if (!p)
		return;
	SAME(p->name, "_2_d");
	SAME(p->file, "x/2-d.v.dsl");
	CHECK(!p->param[0].fixed && p->param[1].fixed &&
		p->param[1].value == 7);
	check_domain(p, "B_add", "[M,N] -> " D2("B_add", "M", "N"));
	want = isl_set_read_from_str(ctx,
		"[M,N] -> { : M >= 0 and N >= 0 }");
	CHECK(isl_set_is_equal(p->context, want) == isl_bool_true);
	isl_set_free(want);
	poly_prog_free(p);
}

/* Definitions that no output needs, and unused inputs. */
static void check_dead(void)
{
	struct poly_prog *p = lower_text("Matrix A(2,2); Matrix B(2,2);"
		"C = A * A; D = C; C = A; CodeGen(FLOAT, {C});");

	CHECK(test_report.n_msg == 3);
	if (!p)
		return;
	check_order(p, "C_copy");
	CHECK(p->n_array == 3 && poly_prog_find_array(p, "B"));
	poly_prog_free(p);
	p = lower_text("a = 2; B = a + a; CodeGen(INT, {a, B});");
	if (!p)
		return;
	check_order(p, "a_copy B_add");
	check_value(p, "a_copy", "(const i32 2)");
	check_value(p, "B_add", "(add (const i32 2) (const i32 2))");
	poly_prog_free(p);
}

/* The program passes the verifier and reads back from its text. */
static void check_verified(const char *path)
{
	struct poly_str text = { 0 }, again = { 0 };
	struct poly_report report = { 0 };
	struct poly_prog *p, *q;
	struct fe_unit *u;
	size_t len;
	char *source = test_file(path, &len);

	u = test_read(path, source, len, NULL, 0);
	p = lower(u);
	if (p) {
		p->report = &report;
		CHECK(poly_verify(p, "fe_lower") == isl_stat_ok);
		poly_print(p, &text);
		q = poly_parse(ctx, text.s, text.len, &report);
		CHECK(q != NULL);
		if (q)
			poly_print(q, &again);
		SAME(again.s, text.s);
		poly_prog_free(q);
	}
	CHECK(report.n_msg == 0);
	poly_report_free(&report);
	poly_str_free(&text);
	poly_str_free(&again);
	poly_prog_free(p);
	fe_unit_free(u);
	free(source);
}

/* The text of the program "source", with "before" in front of it. */
static struct poly_str lower_file(const char *path, const char *before,
	const char *source)
{
	struct poly_str all = { 0 }, text = { 0 };
	struct poly_prog *p;
	struct fe_unit *u;

	poly_str_printf(&all, "%s%s", before, source);
	u = test_read(path, all.s, all.len, NULL, 0);
	p = lower(u);
	if (p)
		poly_print(p, &text);
	poly_prog_free(p);
	fe_unit_free(u);
	poly_str_free(&all);
	return text;
}

/* Every line of "want" about a statement is in "got", up to the place. */
static void check_lines(const char *got, const char *want)
{
	for (; want && *want; want += strcspn(want, "\n") + 1) {
		size_t n = strcspn(want, "\n");
		const char *loc = strstr(want, " loc ");
		char line[4096];

		if (strncmp(want, "stmt ", 5) && strncmp(want, "  ", 2))
			continue;
		n = loc && loc < want + n ? (size_t)(loc - want) : n;
		snprintf(line, sizeof(line), "%.*s", (int)n, want);
		CHECK(got && strstr(got, line));
		if (got && !strstr(got, line))
			fprintf(stderr, "%s\nis not in\n%s\n", line, got);
	}
}

/* A matrix becomes the same whether index notation stands beside it or not. */
static void check_beside(const char *path)
{
	size_t len;
	char *source = test_file(path, &len);
	struct poly_str alone = lower_file(path, "", source);
	struct poly_str beside = lower_file(path,
		"beside(here) for 0 <= here < 2 = 1;\n", source);

	CHECK(alone.len && strstr(alone.s, "stmt "));
	check_lines(beside.s, alone.s);
	poly_str_free(&alone);
	poly_str_free(&beside);
	free(source);
}

void test_lower(void)
{
	static const char *const file[] = {
		"fig2", "fig6", "fig7", "fig7_parametric", "grammar", "types",
		"names", "warnings", "no_codegen", "bom_crlf",
	};
	char path[4096];
	size_t i;

	ctx = poly_ctx_alloc();
	check_fig2();
	check_views();
	check_flipped();
	check_types();
	check_names();
	check_fixed();
	check_dead();
	for (i = 0; i < sizeof(file) / sizeof(file[0]); i++) {
		snprintf(path, sizeof(path), "%s/accept/%s.dsl", TEST_DATA,
			file[i]);
		check_verified(path);
		if (strcmp(file[i], "bom_crlf"))
			check_beside(path);
	}
	CHECK(poly_ctx_free(ctx));
}
