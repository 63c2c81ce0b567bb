/* The interpreter of C nests: bounds of floats, and what is in doubt. */
#include <math.h>

#include "test.h"

/* A nest being interpreted: float x[4], int p[1] -> float y[4], int k[4]. */
struct nest {
	struct fe_unit *unit;
	struct fe_interp *in;
};

/* The sizes are fixed; "body" is the text of the function. */
static struct nest begin(const char *body, const float *x, const int *p)
{
	const struct fe_how source = { 0 };
	struct poly_str text = { 0 };
	struct nest n;

	poly_str_printf(&text, "void f(const float x[4], const int p[1], "
		"float y[4], int k[4])\n{\nfor (int i = 0; i < 4; i++)\n"
		"{ y[i] = 0; k[i] = 0; }\n%s\n}\n", body);
	poly_report_free(&test_report);
	n.unit = fe_read_as(fe_notation_of("f.c"), "f.c", text.s,
		strlen(text.s), &source, NULL, 0, &test_report);
	CHECK(n.unit);
	n.in = n.unit ? fe_interp_alloc(n.unit, NULL) : NULL;
	fe_interp_set_input(n.in, "x", x);
	fe_interp_set_input(n.in, "p", p);
	poly_str_free(&text);
	return n;
}

static void end(struct nest *n)
{
	fe_interp_free(n->in);
	fe_unit_free(n->unit);
}

static struct fe_value get(struct nest *n, const char *name, int64_t i)
{
	struct fe_value v = { NAN, -1, NAN, NAN };

	CHECK(fe_interp_eval(n->in, name, &i, &v));
	return v;
}

static bool covers(const struct fe_value *v, double x)
{
	return fabs(x - v->wide) <= v->bound;
}

/* 0.1f * 3 and what it is rounded to; then it may be above or not. */
#define T "float t = x[0] * x[1], c = x[2];\n"
static const float near[4] = { 0.1f, 3, 0.1f * 3, 7 };

/* Any order of a sum, and no more. */
static void check_sums(void)
{
	static const float x[4] = { 1e8f, 1, -1e8f, 3 };
	struct nest n = begin("for (int i = 0; i < 4; i++) y[0] += x[i];\n"
		"for (int i = 0; i < 4; i++) y[1] -= x[i] * x[3];\n"
		"y[2] = x[1];\n"
		"for (int i = 0; i < 2; i++) { y[3] += x[3]; y[3] *= x[3]; }",
		x, NULL);
	struct fe_value v = get(&n, "y", 0);

	CHECK(v.exact == 3 && v.wide == 4);
	CHECK(covers(&v, 3) && covers(&v, 4) && covers(&v, 0));
	CHECK(v.bound < 200);
	v = get(&n, "y", 1);
	CHECK(v.wide == -12 && covers(&v, v.exact) && v.bound < 600);
	v = get(&n, "y", 2);
	CHECK(v.exact == 1 && v.wide == 1 && v.bound == 0);
	v = get(&n, "y", 3);
	CHECK(v.exact == 36 && v.bound > 0 && v.bound < 1e-4);
	end(&n);
}

/* Both branches of a condition in doubt, one of any other. */
static void check_branches(void)
{
	struct nest n = begin(T "if (t > c) { y[0] = 1; k[0] = 1; k[3] = 0; }\n"
		"else y[1] = 2;\n"
		"if (t > 0) { y[2] = t; k[2] = 5; } else y[2] = 100;\n"
		"if (t > c) if (x[3] < 0) k[3] = 1;\n", near, NULL);
	struct fe_value v = get(&n, "y", 0);

	CHECK(covers(&v, 0) && covers(&v, 1) && v.bound < 3);
	v = get(&n, "y", 1);
	CHECK(covers(&v, 0) && covers(&v, 2) && v.bound < 5);
	v = get(&n, "y", 2);
	CHECK(covers(&v, near[2]) && v.bound < 1e-7);
	CHECK(get(&n, "k", 0).bound > 0);
	v = get(&n, "k", 2);
	CHECK(v.integer == 5 && v.bound == 0);
	v = get(&n, "k", 3);
	CHECK(v.integer == 0 && v.bound == 0);
	end(&n);
}

/* What one branch declares and changes stays there. */
static void check_locals(void)
{
	struct nest n = begin(T "if (t > c) { float s = 2; int q = 3;\n"
		"  s += t; y[0] = s; if (q > 2) k[0] = q; }\n"
		"float m = 4; if (t > c) m = 5; y[1] = m * 2;\n", near, NULL);
	struct fe_value v = get(&n, "y", 0);

	CHECK(covers(&v, 0) && covers(&v, 2.3) && v.bound < 5);
	CHECK(get(&n, "k", 0).bound > 0);
	v = get(&n, "y", 1);
	CHECK(covers(&v, 8) && covers(&v, 10) && v.bound < 5);
	end(&n);
}

/* Where a loop may be left, what follows covers both: it was left, or goes on. "edge" is 0,
 * as rounded, or a little more or less.
 */
#define EDGE "float edge = x[0] * x[1] - x[2];\n"
static void check_exits(void)
{
	/* By "break", by a condition, and by both in turn. */
	static const char *const loop[] = {
		"for (int i = 0; i < 2; i++) { s = 0.5f * s + 0.5f;\n"
		"  if (s <= 0.25f + edge) break; }\n",
		"for (int i = 0; i < 2 && (i < 1 || s > 0.25f + edge); i++)\n"
		"  s = 0.5f * s + 0.5f;\n",
		"for (int i = 0; i < 2; i++) { s = 0.5f * s + 0.5f;\n"
		"  if (s <= 0.25f + edge) goto end; }\nend: ;\n",
	};

	for (size_t i = 0; i < sizeof(loop) / sizeof(loop[0]); i++) {
		struct poly_str text = { 0 };
		struct fe_value v;
		struct nest n;

		poly_str_printf(&text, EDGE "float s = -0.5f;\n%sy[0] = s;\n",
			loop[i]);
		n = begin(text.s, near, NULL);
		v = get(&n, "y", 0);
		CHECK(covers(&v, 0.25) && covers(&v, 0.625) && v.bound < 1);
		poly_str_free(&text);
		end(&n);
	}
}

/* The loop's variable, and others that count, are in doubt behind an exit in doubt, and
 * are what they are for the values as rounded.
 */
static void check_counters(void)
{
	struct nest n = begin(EDGE "int i, q = 1;\n"
		"for (i = 0; i < 4; i++) { if (x[3] * edge <= 0) break; }\n"
		"k[0] = i;\n"
		"for (i = 0; i < 4; i++) { if (x[3] * edge > 0) break; }\n"
		"k[1] = i;\n"
		"if (edge > 0) q = 3;\n"
		"for (int j = 0; j < q; j++) y[2] = j;\n"
		"i = 1;\n"
		"if (edge > 0) i = 3;\n"
		"k[2] = i;\n"
		"for (i = 0; i < 4; i++) { if (i == 2) break; k[3] = i; }\n",
		near, NULL);

	CHECK(get(&n, "k", 0).integer == 0 && get(&n, "k", 0).bound > 0);
	CHECK(get(&n, "k", 1).integer == 4 && get(&n, "k", 1).bound > 0);
	CHECK(get(&n, "y", 2).exact == 0 && get(&n, "y", 2).bound >= 2);
	CHECK(get(&n, "k", 2).integer == 1 && get(&n, "k", 2).bound > 0);
	CHECK(get(&n, "k", 3).integer == 1 && get(&n, "k", 3).bound == 0);
	end(&n);
}

/* Integers made of floats near a step, and what depends on them. */
static void check_steps(void)
{
	struct nest n = begin(T "k[0] = (int)(t / c); k[1] = (int)(t * 5);\n"
		"k[2] = t > c; k[3] = t > 0;\n"
		"y[0] = x[k[0]]; y[1] = x[k[3]];\n", near, NULL);

	CHECK(get(&n, "k", 0).bound > 0);
	CHECK(get(&n, "k", 1).integer == 1 && get(&n, "k", 1).bound == 0);
	CHECK(get(&n, "k", 2).bound > 0);
	CHECK(get(&n, "k", 3).integer == 1 && get(&n, "k", 3).bound == 0);
	CHECK(isinf(get(&n, "y", 0).bound));
	CHECK(get(&n, "y", 1).exact == 3 && get(&n, "y", 1).bound == 0);
	end(&n);
}

/* Of && and || one side may settle it. */
static void check_logic(void)
{
	struct nest n = begin(T "k[0] = t > c && x[3] < 0;\n"
		"k[1] = t > c || x[3] > 0;\n"
		"k[2] = t > c || x[3] < 0; k[3] = !(t > c);\n", near, NULL);

	CHECK(get(&n, "k", 0).integer == 0 && get(&n, "k", 0).bound == 0);
	CHECK(get(&n, "k", 1).integer == 1 && get(&n, "k", 1).bound == 0);
	CHECK(get(&n, "k", 2).bound > 0 && get(&n, "k", 3).bound > 0);
	end(&n);
}

/* What is not evaluated may be outside of its array, in doubt or not. */
static void check_outside(void)
{
	static const int p[1] = { 100 };
	int64_t at = 0;
	struct fe_value v;
	struct nest n = begin(T "y[0] = t > c ? x[p[0]] : 2;\n"
		"y[1] = t < 0 ? x[p[0]] : 3;\n"
		"k[0] = t > c && x[p[0]] > 0;\n", near, p);

	CHECK(get(&n, "y", 0).exact == 2 && isinf(get(&n, "y", 0).bound));
	CHECK(get(&n, "y", 1).exact == 3 && get(&n, "y", 1).bound == 0);
	CHECK(get(&n, "k", 0).integer == 0 && get(&n, "k", 0).bound > 0);
	end(&n);
	n = begin("y[0] = x[p[0]];", near, p);
	CHECK(!fe_interp_eval(n.in, "y", &at, &v));
	end(&n);
}

void test_nest(void)
{
	check_sums();
	check_branches();
	check_locals();
	check_exits();
	check_counters();
	check_steps();
	check_logic();
	check_outside();
}
