/* NAME.h of an object: prototypes, and a comment with what a caller must know.
 *
 * Parameters carry a prefix that tells what they are, so that no size or
 * matrix of a program can be a keyword, and macros such as M or N that others
 * define do no harm.
 */
#include <ctype.h>
#include <string.h>

#include "tools/lib/object.h"

static const char *c_type(const char *type)
{
	static const char *const row[][2] = {
		{ "f32", "float" }, { "f64", "double" },
		{ "f16", "uint16_t" }, { "bf16", "uint16_t" },
		{ "i8", "int8_t" }, { "i16", "int16_t" },
		{ "i32", "int32_t" }, { "i64", "int64_t" },
		{ "u8", "uint8_t" }, { "u16", "uint16_t" },
		{ "u32", "uint32_t" }, { "u64", "uint64_t" },
		{ "bool", "uint8_t" }
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (!strcmp(type, row[i][0]))
			return row[i][1];
	return "void";
}

/* ----------------------------------------------------------- the comment */

static void add_sizes(const struct cetane_rt_record *r, struct poly_str *out)
{
	int i;

	if (r->n_size)
		poly_str_add(out, " *\n * Sizes, each from 0 to 2147483647:\n"
			" *\n");
	for (i = 0; i < r->n_size; i++) {
		poly_str_printf(out, " *\tsize_%s", r->size[i].name);
		if (r->size[i].fixed)
			poly_str_printf(out, "\tonly %lld: fixed when this "
				"was compiled", (long long)r->size[i].value);
		poly_str_add(out, "\n");
	}
}

/* What comes before the name of the array "a". */
static const char *prefix(const struct cetane_rt_array *a)
{
	static const char *const text[] = { "in_", "out_", "", "inout_" };

	return text[a->role];
}

static void add_arrays(const struct cetane_rt_record *r, struct poly_str *out)
{
	int i, d;

	poly_str_add(out, " *\n * Arrays in memory of the device, row-major "
		"without gaps, each aligned to its\n * element:\n *\n");
	for (i = 0; i < r->n_array; i++) {
		const struct cetane_rt_array *a = &r->array[i];

		if (a->role == CETANE_RT_TEMP)
			continue;
		poly_str_printf(out, " *\t%s%s\t%s", prefix(a), a->name,
			a->type);
		for (d = 0; d < a->n_dim; d++) {
			poly_str_add(out, "[");
			tool_formula_text(r, &a->extent[d], out);
			poly_str_add(out, "]");
		}
		poly_str_add(out, "\n");
	}
}

static const char rules[] =
" *\n"
" * f16 and bf16 are passed as their bits. An output may not overlap an input,\n"
" * another output or the workspace; inputs may overlap one another. The\n"
" * workspace is memory of the device, aligned to 256 bytes, of at least\n"
" * %s_workspace_size(...) bytes; its contents need not be kept\n"
" * between calls, and calls that may run at the same time need one each.\n"
" * An array of 0 bytes may be NULL.\n"
" *\n"
" * \"stream\" is a CUstream or cudaStream_t of the CUDA context that is current\n"
" * on the calling thread; after cetane_device_use(dev), a struct cetane_stream *\n"
" * of \"dev\". NULL is the default stream. Kernels run in order on the stream;\n"
" * nothing waits for them.\n"
" *\n"
" * Order of floating-point operations: class reassoc. Sums may be regrouped in\n"
" * a way that was fixed at compile time: on one device, the same bits every\n"
" * time. Products and sums may be fused.\n"
" *\n"
" * Each int is 0, or an enum cetane_status of cetane_rt.h; cetane_last_error()\n"
" * gives the reason. Link with libcetane_rt.\n"
" */\n";

static void add_comment(const struct tool_object *b, struct poly_str *out)
{
	const struct cetane_rt_record *r = b->image[b->n_image - 1].record;
	const char *c;

	poly_str_printf(out, "/* %s: made by cetane " CETANE_VERSION
		" from ", b->name);
	for (c = b->source; *c; c++)
		poly_str_printf(out, "%c", (unsigned char)*c < 0x80 &&
			(isalnum((unsigned char)*c) || strchr("./_-+ ", *c)) ?
			*c : '_');
	poly_str_add(out, ".\n");
	add_sizes(r, out);
	add_arrays(r, out);
	poly_str_printf(out, rules, b->name);
}

/* ------------------------------------------------------------ prototypes */

/* Append "text" in a line that begins with a tab, behind what stands there. */
static void add_parameter(struct poly_str *out, bool *first, const char *type,
	const char *prefix, const char *name)
{
	poly_str_printf(out, "%s%s%s%s", *first ? "" : ",\n\t", type, prefix,
		name);
	*first = false;
}

static void add_size_parameters(const struct cetane_rt_record *r, bool *first,
	struct poly_str *out)
{
	int i;

	for (i = 0; i < r->n_size; i++)
		add_parameter(out, first, "int64_t ", "size_",
			r->size[i].name);
}

static void add_launch(const struct tool_object *b, const char *suffix,
	struct poly_str *out)
{
	const struct cetane_rt_record *r = b->image[b->n_image - 1].record;
	bool first = true;
	char type[32];
	int i;

	poly_str_printf(out, "int %s%s(", b->name, suffix);
	add_parameter(out, &first, "void *", "", "stream");
	add_size_parameters(r, &first, out);
	for (i = 0; i < r->n_array; i++) {
		const struct cetane_rt_array *a = &r->array[i];

		if (a->role == CETANE_RT_TEMP)
			continue;
		snprintf(type, sizeof(type), "%s%s *",
			a->role == CETANE_RT_INPUT ? "const " : "",
			c_type(a->type));
		add_parameter(out, &first, type, prefix(a), a->name);
	}
	add_parameter(out, &first, "void *", "", "workspace");
	poly_str_add(out, ");\n");
}

static void add_prototypes(const struct tool_object *b, struct poly_str *out)
{
	const struct cetane_rt_record *r = b->image[b->n_image - 1].record;
	bool first = true;

	poly_str_printf(out,
		"/* Load the program for the current context or the device in "
		"use, or let go of\n * it; both may be repeated. %s loads by "
		"itself, except while its stream is\n * captured into a "
		"graph.\n */\nint %s_load(void);\nint %s_unload(void);\n",
		b->name, b->name, b->name);
	poly_str_printf(out, "/* Bytes, or -1. */\nint64_t "
		"%s_workspace_size(", b->name);
	add_size_parameters(r, &first, out);
	poly_str_add(out, first ? "void);\n" : ");\n");
	add_launch(b, "", out);
	poly_str_add(out, "/* The same, and says which pointer is NULL, "
		"misaligned, or overlaps another. */\n");
	add_launch(b, "_checked", out);
}

void tool_object_header(const struct tool_object *b, struct poly_str *out)
{
	add_comment(b, out);
	poly_str_printf(out, "#ifndef CETANE_PROGRAM_%s_H\n"
		"#define CETANE_PROGRAM_%s_H\n\n#include <stdint.h>\n\n"
		"#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", b->name,
		b->name);
	add_prototypes(b, out);
	poly_str_add(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}
