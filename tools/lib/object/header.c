/* NAME.h of an object: prototypes, and a comment with what a caller must know.
 *
 * Parameters carry a prefix that tells what they are, so that no size or
 * matrix of a program can be a keyword, and macros such as M or N that others
 * define do no harm.
 */
#include <ctype.h>
#include <string.h>

#include "tools/lib/object/object.h"

/* What an array of the element type "type" is in C; floats that C lacks are their
 * bits.
 */
static const char *c_type(const char *type)
{
	static const char *const word[][4] = {
		[POLY_CLASS_INT] = { "int8_t", "int16_t", "int32_t", "int64_t" },
		[POLY_CLASS_UINT] = { "uint8_t", "uint16_t", "uint32_t",
			"uint64_t" },
		[POLY_CLASS_BOOL] = { "uint8_t" },
		[POLY_CLASS_FLOAT] = { "uint8_t", "uint16_t", "float", "double" },
	};
	enum poly_type t = poly_type_find(type);
	int i = 0;

	if (t == POLY_N_TYPE)
		return "void";
	while (1 << i < poly_type_size(t))
		i++;
	return word[poly_type_class(t)][i];
}

/* ----------------------------------------------------------- the comment */

/* Append the lines about sizes. */
static void add_sizes(const struct cetane_rt_record *r, struct poly_str *out)
{
	int i;

	if (cetane_rt_record_plain(r))
		poly_str_add(out, " *\n * Sizes, each from 0 to 2147483647:\n"
			" *\n");
	for (i = 0; i < cetane_rt_record_plain(r); i++) {
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

/* Append the lines about the caller's arrays: prefix, name, type and shape. */
static void add_arrays(const struct tool_object *b,
	const struct cetane_rt_record *r, struct poly_str *out)
{
	int i, d;

	poly_str_printf(out, " *\n * Arrays in memory of the %s, row-major "
		"without gaps, each aligned to its\n * element:\n *\n",
		b->entry ? "host" : "device");
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

static const char drop_in_rules[] =
" *\n"
" * The function stands in the place of the one in C: arrays are those of the\n"
" * host, and those that are members of structures lie in these. A call\n"
" * allocates on the device, copies in what is read, runs, waits, and copies out\n"
" * what was written. It runs on the device that the thread uses\n"
" * (cetane_device_use), or in its current CUDA context; or else on the device\n"
" * that $CETANE_DEVICE names (host, cuda, cuda:N), or else on the first GPU, or,\n"
" * on a machine without any, on the CPU. An array that is written may not\n"
" * overlap another.\n"
" *\n"
" * A call that fails (sizes that the program was not compiled for, no memory, a\n"
" * device that failed) calls %s_failed with an enum cetane_status of\n"
" * cetane_rt.h and a text. The object's own prints them on standard error and\n"
" * aborts; a program may define another, and if that returns, the arrays may\n"
" * have their new values in part and what is returned is 0. Link with\n"
" * libcetane_rt.\n";

static const char rules[] =
" *\n"
" * Floats of 16 and 8 bits are passed as their bits. An output may not overlap an input,\n"
" * another output or the workspace; inputs may overlap one another. The\n"
" * workspace is memory of the device, aligned to 256 bytes, of at least\n"
" * %s_workspace_size(...) bytes; its contents need not be kept\n"
" * between calls, and calls that may run at the same time need one each.\n"
" * An array of 0 bytes may be NULL.\n"
" *\n"
" * \"stream\" is a CUstream or cudaStream_t of the CUDA context that is current\n"
" * on the calling thread; after cetane_device_use(dev), a struct cetane_stream *\n"
" * of \"dev\". NULL is the default stream. Kernels run in order on the stream;\n"
" * nothing waits for them.\n";

static const char status_rules[] =
" *\n"
" * Each int is 0, or an enum cetane_status of cetane_rt.h; cetane_last_error()\n"
" * gives the reason. Link with libcetane_rt.\n";

const char *tool_fp_name(enum poly_fp fp)
{
	static const char *const name[] = {
		[POLY_FP_STRICT] = "strict", [POLY_FP_REASSOC] = "reassoc",
		[POLY_FP_RELAXED] = "relaxed"
	};

	return name[fp];
}

/* Append the lines about the order of floating-point operations. */
static void add_order(const struct tool_object *b, struct poly_str *out)
{
	static const char *const text[] = {
		[POLY_FP_STRICT] =
" * operations keep the order of the text.",
		[POLY_FP_REASSOC] =
" * sums may be regrouped in a way that was fixed at compile time: on one\n"
" * device, the same bits every time.",
		[POLY_FP_RELAXED] =
" * sums may be regrouped, in another way every time."
	};

	poly_str_printf(out, " *\n * Order of floating-point operations: class "
		"%s:\n%s\n * %s\n", tool_fp_name(b->fp), text[b->fp],
		b->contract ? "Products and sums may be fused." :
		"Products and sums are not fused.");
}

/* Append who made the object, and of what. Of the name of the source only characters that
 * cannot end the comment are kept.
 */
static void add_origin(const struct tool_object *b, struct poly_str *out)
{
	const char *c;

	poly_str_add(out, ": made by cetane " CETANE_VERSION " from ");
	for (c = b->source; *c; c++)
		poly_str_printf(out, "%c", (unsigned char)*c < 0x80 &&
			(isalnum((unsigned char)*c) || strchr("./_-+ ", *c)) ?
			*c : '_');
}

/* Append the comment at the head of the header. */
static void add_comment(const struct tool_object *b, struct poly_str *out)
{
	const struct cetane_rt_record *r = b->image[b->n_image - 1].record;

	poly_str_printf(out, "/* %s", b->name);
	if (!b->no_provenance)
		add_origin(b, out);
	poly_str_add(out, ".\n");
	add_sizes(r, out);
	add_arrays(b, r, out);
	if (b->entry) {
		poly_str_printf(out, drop_in_rules, b->name);
	} else {
		poly_str_printf(out, rules, b->name);
		poly_str_add(out, status_rules);
	}
	add_order(b, out);
	poly_str_add(out, " */\n");
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

	for (i = 0; i < cetane_rt_record_plain(r); i++)
		add_parameter(out, first, "int64_t ", "size_",
			r->size[i].name);
}

/* Append the prototype of a function that launches the program: a stream, the
 * sizes, the caller's arrays, if "strided" with their strides, and the workspace.
 */
static void add_launch(const struct tool_object *b, const char *suffix,
	bool strided, struct poly_str *out)
{
	const struct cetane_rt_record *r = b->image[b->n_image - 1].record;
	bool first = true;
	bool checked = tool_ends_with(suffix, "_checked");
	char type[64];
	int i;

	poly_str_printf(out, "int %s%s(", b->name, suffix);
	add_parameter(out, &first, "void *", "", "stream");
	add_size_parameters(r, &first, out);
	for (i = 0; i < r->n_array; i++) {
		const struct cetane_rt_array *a = &r->array[i];

		if (a->role == CETANE_RT_TEMP)
			continue;
		snprintf(type, sizeof(type), a->role == CETANE_RT_INPUT ?
			"const %s *" : checked ? "%s *" : "%s *CETANE_RESTRICT ",
			c_type(a->type));
		add_parameter(out, &first, type, prefix(a), a->name);
		for (int k = cetane_rt_record_first_stride(r, i);
		     strided && k >= 0 && k < r->n_size &&
		     r->size[k].stride_of == i + 1; k++)
			add_parameter(out, &first, "int64_t ", "",
				r->size[k].name);
	}
	add_parameter(out, &first, "void *", "", "workspace");
	poly_str_add(out, ");\n");
}

/* The function that tests the others. */
static void add_selftest(const struct tool_object *b, struct poly_str *out)
{
	if (b->selftest)
		poly_str_printf(out, "/* Run the program on inputs that are made "
			"up, on the device in use or in the current\n"
			" * context, and compare outputs with values that were "
			"evaluated when this was\n * compiled: 0, or "
			"CETANE_MISMATCH with the first wrong one in "
			"cetane_last_error().\n * Allocates, and waits. */\n"
			"int %s_selftest(void);\n", b->name);
}

/* The function itself, and who hears that it failed. */
static void add_drop_in(const struct tool_object *b, struct poly_str *out)
{
	poly_str_printf(out, "#ifdef __cplusplus\n%s;\n#else\n%s;\n#endif\n"
		"void %s_failed(int status, const char *reason);\n",
		b->entry->plain, b->entry->prototype, b->name);
}

/* Append what the compiler of the caller checks: elements and addresses have the sizes that
 * they had here, and, by "restrict", an output is given once; the checked functions say so
 * themselves.
 *
 * A type of an array of -1 elements is refused by C89 and C++ alike; its name says why.
 */
static void add_asserts(const struct tool_object *b, struct poly_str *out)
{
	const struct cetane_rt_record *r = b->image[b->n_image - 1].record;
	int i;

	poly_str_printf(out, "#ifndef CETANE_RESTRICT\n#if defined(__GNUC__) || "
		"defined(_MSC_VER)\n#define CETANE_RESTRICT __restrict\n#else\n"
		"#define CETANE_RESTRICT\n#endif\n#endif\n"
		"/* Refused where an element or an address is not as large as this "
		"program needs. */\ntypedef char %s_needs_addresses_of_8_bytes["
		"sizeof(void *) == 8 ? 1 : -1];\n", b->name);
	for (i = 0; i < r->n_array; i++) {
		const struct cetane_rt_array *a = &r->array[i];

		if (a->role != CETANE_RT_TEMP && poly_type_find(a->type) !=
		    POLY_N_TYPE)
			poly_str_printf(out, "typedef char %s_needs_%s%s_of_%d_"
				"bytes[sizeof(%s) == %d ? 1 : -1];\n", b->name,
				prefix(a), a->name, a->elem_bytes,
				c_type(a->type), a->elem_bytes);
	}
	poly_str_add(out, "\n");
}

/* Append the prototypes of an object that is launched, each with its comment.
 */
static void add_prototypes(const struct tool_object *b, struct poly_str *out)
{
	const struct cetane_rt_record *r = b->image[b->n_image - 1].record;
	bool first = true;

	add_asserts(b, out);
	poly_str_add(out, "struct cetane_program;\n\n");
	poly_str_printf(out,
		"/* Load the program for the current context or the device in "
		"use, or let go of\n * it; both may be repeated. %s loads by "
		"itself, except while its stream is\n * captured into a "
		"graph.\n */\nint %s_load(void);\nint %s_unload(void);\n",
		b->name, b->name, b->name);
	poly_str_printf(out, "/* The program, for the functions of program.h: "
		"they list its sizes and arrays,\n * and launch it with as many "
		"as it takes. cetane_program_call takes arrays of the "
		"host.\n */\nstruct cetane_program *%s_program(void);\n",
		b->name);
	poly_str_printf(out, "/* Bytes, or -1. */\nint64_t "
		"%s_workspace_size(", b->name);
	add_size_parameters(r, &first, out);
	poly_str_add(out, first ? "void);\n" : ");\n");
	add_launch(b, "", false, out);
	poly_str_add(out, "/* The same, and says which pointer is NULL, "
		"misaligned, or overlaps another,\n * and refuses sizes that "
		"the program is not compiled for");
	poly_str_add(out, cetane_rt_record_assumes(r) ? ", and elements that\n * are "
		"not what it assumes: it waits for the stream. */\n" : ". */\n");
	add_launch(b, "_checked", false, out);
	if (!b->pitched)
		return;
	poly_str_add(out, "/* Both with gaps: a stride is how many elements lie from "
		"one index of a dimension to\n * the next, a pitch that of rows, "
		"which are the last dimension; each is at least as\n * long as a "
		"row. What lies between is neither read nor written. */\n");
	add_launch(b, "_strided", true, out);
	add_launch(b, "_strided_checked", true, out);
}

void tool_object_header(const struct tool_object *b, struct poly_str *out)
{
	add_comment(b, out);
	poly_str_printf(out, "#ifndef CETANE_PROGRAM_%s_H\n"
		"#define CETANE_PROGRAM_%s_H\n\n%s#include <stdint.h>\n\n"
		"#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", b->name,
		b->name, b->entry ? "#include <stddef.h>\n" : "");
	if (b->entry)
		add_drop_in(b, out);
	else
		add_prototypes(b, out);
	add_selftest(b, out);
	poly_str_add(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}
