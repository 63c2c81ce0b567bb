/* Programs with inputs and outputs that NumPy computed (make_cases.py): the
 * exact values are the same to the last bit, and the wide values with their
 * bounds hold for them and for other orders of evaluation.
 */
#include <math.h>

#include "test.h"

enum { MAX_INPUT = 8 };

/* Words of the file, and the case that is being read. */
struct reader {
	char *word, *rest;
	struct fe_unit *unit;
	struct fe_interp *in;
	int64_t size[8];
	void *data[MAX_INPUT];
	int n_data;
	char name[64];
};

static const char *next(struct reader *r)
{
	r->word = strtok_r(NULL, " \n", &r->rest);
	return r->word ? r->word : "";
}

/* Read the program, up to the line "end". */
static void read_source(struct reader *r)
{
	char *end = strstr(r->rest, "\nend\n");

	*end = '\0';
	r->unit = test_unit(r->rest);
	if (!r->unit)
		fprintf(stderr, "case %s: %s\n", r->name,
			test_report.n_msg ? test_report.msg[0].text : "?");
	r->rest = end + 5;
}

static void read_size(struct reader *r)
{
	const char *name = next(r);
	int i;

	for (i = 0; i < fe_unit_n_param(r->unit); i++)
		if (!strcmp(fe_unit_param(r->unit, i), name))
			break;
	CHECK(i < fe_unit_n_param(r->unit));
	r->size[i] = atoll(next(r));
}

/* The bits of a value that a 16-bit float holds exactly. */
static uint16_t half_bits(enum poly_type type, double x)
{
	int digits = poly_type_digits(type), high = type == POLY_F16 ? 31 : 255;
	int bias = high / 2, exponent, bits;
	double fraction = frexp(fabs(x), &exponent);

	if (isnan(x))
		return (uint16_t)(type == POLY_F16 ? 0x7e00 : 0x7fc0);
	exponent += bias - 1;
	if (isinf(x))
		bits = high << (digits - 1);
	else if (x == 0)
		bits = 0;
	else if (exponent < 1)
		bits = (int)ldexp(fraction, digits - 1 + exponent);
	else
		bits = (exponent - 1) * (1 << (digits - 1)) +
			(int)ldexp(fraction, digits);
	return (uint16_t)(bits | (signbit(x) ? 0x8000 : 0));
}

static void store(enum poly_type type, void *data, int64_t i, double x)
{
	switch (type) {
	case POLY_I8:
		((int8_t *)data)[i] = (int8_t)x;
		break;
	case POLY_I32:
		((int32_t *)data)[i] = (int32_t)x;
		break;
	case POLY_F32:
		((float *)data)[i] = (float)x;
		break;
	case POLY_F64:
		((double *)data)[i] = x;
		break;
	default:
		((uint16_t *)data)[i] = half_bits(type, x);
		break;
	}
}

static struct fe_interp *interp(struct reader *r)
{
	if (!r->in)
		r->in = fe_interp_alloc(r->unit, r->size);
	return r->in;
}

static void read_input(struct reader *r)
{
	enum poly_type type = fe_unit_input(r->unit, 0).type;
	char name[64];
	int64_t dim[FE_MAX_DIM], want[2], i;
	void *data;

	snprintf(name, sizeof(name), "%s", next(r));
	want[0] = atoll(next(r));
	want[1] = atoll(next(r));
	fe_interp_shape(interp(r), name, dim);
	CHECK(dim[0] == want[0] && dim[1] == want[1]);
	data = calloc((size_t)(want[0] * want[1]) + 1, 8);
	for (i = 0; i < want[0] * want[1]; i++)
		store(type, data, i, strtod(next(r), NULL));
	CHECK(fe_interp_set_input(r->in, name, data));
	r->data[r->n_data++] = data;
}

/* True if the value "x" of the output is what it has to be. */
static bool is_right(const struct fe_value *v, double x, bool exact,
	bool is_float)
{
	bool same = v->exact == x || (isnan(v->exact) && isnan(x));

	if (exact && !same)
		return false;
	if (!is_float)
		return v->wide == x && v->bound == 0 &&
			v->integer == (int64_t)x;
	if (isinf(v->bound))
		return exact;
	return fabs(x - v->wide) <= v->bound;
}

/* The bound is of some use: below a part of what the type resolves. */
static bool is_useful(const struct reader *r, const struct fe_value *v)
{
	double u = ldexp(1, -poly_type_digits(fe_unit_input(r->unit, 0).type));

	return isinf(v->bound) || v->bound <= 20000 * u * (fabs(v->wide) + 1);
}

static void read_output(struct reader *r, bool exact)
{
	bool is_float = poly_type_is_float(fe_unit_input(r->unit, 0).type);
	char name[64];
	int64_t dim[FE_MAX_DIM], want[2], i;

	snprintf(name, sizeof(name), "%s", next(r));
	want[0] = atoll(next(r));
	want[1] = atoll(next(r));
	fe_interp_shape(interp(r), name, dim);
	CHECK(dim[0] == want[0] && dim[1] == want[1]);
	for (i = 0; i < want[0] * want[1]; i++) {
		double x = strtod(next(r), NULL);
		struct fe_value v;
		const int64_t at[] = { i / want[1], i % want[1] };
		bool good = fe_interp_eval(r->in, name, at, &v);

		good = good && is_right(&v, x, exact, is_float) &&
			(!is_float || is_useful(r, &v));
		CHECK(good);
		if (!good)
			fprintf(stderr, "case %s: %s[%d]: want %a, exact %a, "
				"wide %a, bound %g\n", r->name, name, (int)i,
				x, v.exact, v.wide, v.bound);
	}
}

static void end_case(struct reader *r)
{
	fe_interp_free(r->in);
	fe_unit_free(r->unit);
	while (r->n_data)
		free(r->data[--r->n_data]);
	r->in = NULL;
	r->unit = NULL;
}

void test_cases(void)
{
	char path[4096];
	struct reader r = { 0 };
	size_t len;
	char *text;
	int n = 0;

	snprintf(path, sizeof(path), "%s/cases.txt", TEST_DATA);
	text = test_file(path, &len);
	strtok_r(text, "\n", &r.rest);
	while (*next(&r)) {
		if (!strcmp(r.word, "case")) {
			snprintf(r.name, sizeof(r.name), "%s", next(&r));
			n++;
		} else if (!strcmp(r.word, "source"))
			read_source(&r);
		else if (!r.unit) {
			CHECK(false);
			break;
		} else if (!strcmp(r.word, "size"))
			read_size(&r);
		else if (!strcmp(r.word, "input"))
			read_input(&r);
		else if (!strcmp(r.word, "output"))
			read_output(&r, true);
		else if (!strcmp(r.word, "also"))
			read_output(&r, false);
		else
			end_case(&r);
	}
	CHECK(n >= 70);
	end_case(&r);
	free(text);
}
