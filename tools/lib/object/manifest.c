/* NAME.json of an object: what is in it and what made it, for other tools.
 * Nothing tells when or where that was, so that the same inputs give the same
 * bytes. Hashes are SHA-256.
 */
#include <stdio.h>
#include <string.h>

#include <isl/version.h>

#include "tools/lib/object/object.h"

/* A key and its text, both in quotes, with what JSON wants escaped. */
static void add_key_text(struct poly_str *out, const char *key,
	const char *text)
{
	poly_str_printf(out, "\"%s\": ", key);
	tool_json_text(out, text);
}

/* 64 digits and a NUL. */
static void add_hash(struct poly_str *out, const char *key, const void *data,
	size_t len)
{
	char hash[65];

	tool_sha256(data, len, hash);
	poly_str_printf(out, "\"%s\": \"%s\"", key, hash);
}

/* Formulas are texts in the manifest: readers show them, they do not compute.
 */
static void add_formula(struct poly_str *out,
	const struct cetane_rt_record *r, const struct cetane_rt_formula *a)
{
	struct poly_str text = { 0 };

	tool_formula_text(r, a, &text);
	tool_json_text(out, text.s ? text.s : "");
	poly_str_free(&text);
}

/* -------------------------------------------------------- the whole program */

/* isl's own text has more lines, and a word in front. */
void tool_isl_version(char *text, size_t size)
{
	const char *all = isl_version();

	if (!strncmp(all, "isl-", 4))
		all += 4;
	snprintf(text, size, "%.*s", (int)strcspn(all, "\n"), all);
}

/* Append the versions of all that made the object, and name and hash of its
 * source.
 *
 * Either assembler is named, whichever was found.
 */
static void add_provenance(const struct tool_object *b, struct poly_str *out)
{
	struct nvptx_found found;
	char isl[64];

	if (!nvptx_find(&found, false))
		poly_str_fail(out);
	tool_isl_version(isl, sizeof(isl));
	poly_str_add(out, "  \"made_by\": {");
	add_key_text(out, "cetane", CETANE_VERSION);
	poly_str_add(out, ", ");
	add_key_text(out, "llvm", found.llvm);
	poly_str_add(out, ", ");
	add_key_text(out, "isl", isl);
	if (found.ptxas && found.ptxas_version) {
		poly_str_add(out, ", ");
		add_key_text(out, "ptxas", found.ptxas_version);
	} else if (found.jitlink_version) {
		poly_str_add(out, ", ");
		add_key_text(out, "nvjitlink", found.jitlink_version);
	}
	poly_str_add(out, "},\n  \"source\": {");
	add_key_text(out, "name", b->source);
	poly_str_add(out, ", ");
	add_hash(out, "sha256", b->text->text, b->text->len);
	poly_str_add(out, "},\n");
	nvptx_found_free(&found);
}

/* Append the sizes, with the value of those that are fixed.
 *
 * Sizes that are open have a name alone.
 */
static void add_sizes(const struct cetane_rt_record *r, struct poly_str *out)
{
	int i;

	poly_str_add(out, "  \"sizes\": [");
	for (i = 0; i < cetane_rt_record_plain(r); i++) {
		poly_str_add(out, i ? ",\n    {" : "\n    {");
		add_key_text(out, "name", r->size[i].name);
		if (r->size[i].fixed)
			poly_str_printf(out, ", \"fixed\": %lld",
				(long long)r->size[i].value);
		poly_str_add(out, "}");
	}
	poly_str_add(out, "\n  ],\n");
}

/* Append what an output promises of its numbers. */
static void add_contract(const struct tool_object *b, const struct tool_contract *c,
	const char *indent, struct poly_str *out)
{
	poly_str_printf(out, ",\n%s \"numbers\": {", indent);
	add_key_text(out, "class", tool_contract_class(c, b->fp));
	poly_str_printf(out, ", \"operations\": %d, \"function_ulp\": %d, ",
		c->n_round, c->ulp);
	add_key_text(out, "terms", c->terms.s ? c->terms.s : "");
	poly_str_add(out, ", \"approximate\": [");
	tool_contract_approximate(c, "\"", ", ", out);
	poly_str_add(out, "]}");
	if (c->measured.n)
		poly_str_printf(out, ",\n%s \"measured\": {\"error\": %.5g, "
			"\"of_bound\": %.3g, \"largest\": %.3g, \"elements\": "
			"%lld}", indent, c->measured.error, c->measured.share,
			c->measured.largest, (long long)c->measured.n);
}

/* The temporaries, or the others.
 *
 * Temporaries belong to an image, since each is compiled with its own schedule;
 * inputs and outputs are those of the program.
 */
static void add_arrays(const struct tool_object *b,
	const struct cetane_rt_record *r, bool temporary, const char *indent,
	struct poly_str *out)
{
	static const char *const role[] = {
		"input", "output", "temporary", "inout"
	};
	bool first = true;
	int i, d;

	for (i = 0; i < r->n_array; i++) {
		const struct cetane_rt_array *a = &r->array[i];

		if ((a->role == CETANE_RT_TEMP) != temporary)
			continue;
		poly_str_printf(out, "%s\n%s{", first ? "" : ",", indent);
		first = false;
		add_key_text(out, "name", a->name);
		poly_str_printf(out, ", \"role\": \"%s\", ", role[a->role]);
		add_key_text(out, "type", a->type);
		poly_str_add(out, ", \"extents\": [");
		for (d = 0; d < a->n_dim; d++) {
			poly_str_add(out, d ? ", " : "");
			add_formula(out, r, &a->extent[d]);
		}
		poly_str_add(out, cetane_rt_record_first_stride(r, i) < 0 ? "]" :
			"], \"pitched\": true");
		if (a->look) {
			poly_str_add(out, ", \"within\": [");
			add_formula(out, r, &a->within[0]);
			poly_str_add(out, ", ");
			add_formula(out, r, &a->within[1]);
			poly_str_add(out, "]");
		}
		if (!temporary && b->numbers && b->numbers[i].known)
			add_contract(b, &b->numbers[i], indent, out);
		poly_str_add(out, "}");
	}
}

/* -------------------------------------------------------------- one image */

/* Images are one per architecture, and that of the host. */

/* What the assembler says of the kernel, or NULL: it has not seen it.
 *
 * PTX that is not assembled has no usage.
 */
static const struct nvptx_usage *find_usage(const struct tool_image *im,
	const char *kernel)
{
	int i;

	for (i = 0; i < im->n_usage; i++)
		if (!strcmp(im->usage[i].kernel, kernel))
			return &im->usage[i];
	return NULL;
}

/* Append a kernel: its block, its tiles as formulas, and what the assembler
 * says of it.
 *
 * The block is written with the threads along x in front. Registers and spills
 * stand there only if the assembler has seen the kernel.
 */
static void add_kernel(const struct tool_image *im,
	const struct cetane_rt_kernel *k, struct poly_str *out)
{
	const struct nvptx_usage *u = find_usage(im, k->name);

	poly_str_add(out, "\n        {");
	add_key_text(out, "name", k->name);
	poly_str_printf(out, ", \"block\": [%d, %d, 1], \"tiles\": [",
		k->thread[1], k->thread[0]);
	add_formula(out, im->record, &k->n[0]);
	poly_str_add(out, ", ");
	add_formula(out, im->record, &k->n[1]);
	poly_str_printf(out, "], \"dynamic_shared_bytes\": %d",
		k->shared_bytes);
	if (u)
		poly_str_printf(out, ",\n         \"registers\": %d, "
			"\"stack_bytes\": %d, \"spill_store_bytes\": %d, "
			"\"spill_load_bytes\": %d, \"constant_bytes\": %d",
			u->registers, u->stack, u->spill_stores,
			u->spill_loads, u->constant);
	poly_str_add(out, "}");
}

/* Append an image with its temporaries and kernels; that of the host has no
 * code of its own to hash.
 *
 * Without a target it is the host's.
 */
static void add_image(const struct tool_image *im, struct poly_str *out)
{
	static const char *const kind[] = { "host", "cubin", "ptx" };
	const struct cetane_rt_record *r = im->record;
	int i;

	poly_str_printf(out, "\n    {\"kind\": \"%s\"", kind[im->kind]);
	if (im->host)
		poly_str_printf(out, ", \"triple\": \"%s\"", im->host->name);
	if (im->target) {
		poly_str_printf(out, ", \"arch\": \"%s\", \"ptx_isa\": "
			"\"%d.%d\", \"bytes\": %zu,\n     ", im->target->name,
			im->ptx / 10, im->ptx % 10,
			im->data.len);
		add_hash(out, "sha256", im->data.s, im->data.len);
	}
	poly_str_add(out, ",\n     \"temporaries\": [");
	add_arrays(NULL, r, true, "        ", out);
	poly_str_add(out, "],\n     \"kernels\": [");
	for (i = 0; i < r->n_kernel; i++) {
		poly_str_add(out, i ? "," : "");
		add_kernel(im, &r->kernel[i], out);
	}
	poly_str_add(out, "]}");
}

/* Arrays and sizes are the same in all images: they are taken from the last
 * one.
 */
void tool_object_manifest(const struct tool_object *b, struct poly_str *out)
{
	const struct cetane_rt_record *r = b->image[b->n_image - 1].record;
	int i;

	poly_str_add(out, "{\n  ");
	add_key_text(out, "program", b->name);
	poly_str_printf(out, ",\n  \"abi\": %d,\n"
		"  \"entry\": \"%s\",\n  \"floating_point\": \"%s\",\n"
		"  \"contract\": %s,\n", CETANE_RT_ABI,
		b->entry ? "drop-in" : "launch", tool_fp_name(b->fp),
		b->contract ? "true" : "false");
	if (!b->no_provenance)
		add_provenance(b, out);
	add_sizes(r, out);
	poly_str_add(out, "  \"arrays\": [");
	add_arrays(b, r, false, "    ", out);
	poly_str_printf(out, "\n  ],\n  \"workspace_alignment\": %d,\n"
		"  \"container\": {\"bytes\": %zu, ", CETANE_RT_WORK_ALIGN,
		b->container.len);
	add_hash(out, "sha256", b->container.s, b->container.len);
	poly_str_add(out, "},\n  \"images\": [");
	for (i = 0; i < b->n_image; i++) {
		poly_str_add(out, i ? "," : "");
		add_image(&b->image[i], out);
	}
	poly_str_add(out, "\n  ]\n}\n");
}

/* ------------------------------------------------------------------ note */

/* The note stands in the object, for `cetane inspect`. */

/* Append the line of the note that names the versions of all that made the
 * object.
 *
 * The same facts as in the manifest, as one line.
 */
static void add_note_versions(struct poly_str *out)
{
	struct nvptx_found found;
	char isl[64];

	if (!nvptx_find(&found, false))
		poly_str_fail(out);
	tool_isl_version(isl, sizeof(isl));
	poly_str_printf(out, "made by cetane " CETANE_VERSION ", LLVM %s, "
		"isl %s", found.llvm, isl);
	if (found.ptxas && found.ptxas_version)
		poly_str_printf(out, ", ptxas %s", found.ptxas_version);
	else if (found.jitlink_version)
		poly_str_printf(out, ", nvJitLink %s", found.jitlink_version);
	poly_str_add(out, "\n");
	nvptx_found_free(&found);
}

/* The first lines tell which container the note belongs to. An image without
 * usage has no lines of spills.
 */
/* Append a line with the largest error that was measured, if any was. */
static void add_note_measured(const char *name, const struct tool_measured *m,
	struct poly_str *out)
{
	if (m->n)
		poly_str_printf(out, "numbers %s: largest error measured %.3g, "
			"%.3g of what is allowed, over %lld elements of at most "
			"%.3g\n", name, m->error, m->share, (long long)m->n,
			m->largest);
}

/* Append a line for each output, with what it promises. */
static void add_note_numbers(const struct tool_object *b, struct poly_str *out)
{
	const struct cetane_rt_record *r = b->image[b->n_image - 1].record;

	for (int i = 0; b->numbers && i < r->n_array; i++) {
		const struct tool_contract *c = &b->numbers[i];
		struct poly_str names = { 0 };

		if (!c->known)
			continue;
		poly_str_printf(out, "numbers %s: %s", r->array[i].name,
			tool_contract_class(c, b->fp));
		if (c->n_sum)
			poly_str_printf(out, ", over %s terms", c->terms.s ?
				c->terms.s : "");
		if (c->n_round)
			poly_str_printf(out, "; %d operation%s rounded to %s",
				c->n_round, c->n_round == 1 ? "" : "s",
				poly_type_name(poly_type_compute(poly_type_find(
					r->array[i].type))));
		if (c->ulp)
			poly_str_printf(out, ", functions within %d ulp more",
				c->ulp);
		if (tool_contract_approximate(c, "", ", ", &names))
			poly_str_printf(out, ", of which a GPU approximates %s",
				names.s ? names.s : "");
		poly_str_free(&names);
		poly_str_printf(out, "; --fp=%s, products and sums %sfused\n",
			tool_fp_name(b->fp), b->contract ? "may be " :
			"are not ");
		add_note_measured(r->array[i].name, &c->measured, out);
	}
}

/* Append who made the object, and of what. */
static void add_note_origin(const struct tool_object *b, struct poly_str *out)
{
	char hash[65];

	add_note_versions(out);
	tool_sha256(b->text->text, b->text->len, hash);
	poly_str_add(out, "made from ");
	poly_str_add_shown(out, b->source);
	poly_str_printf(out, ", sha256 %s\n", hash);
}

void tool_object_note(const struct tool_object *b, struct poly_str *out)
{
	char hash[65];
	int i, k;

	tool_sha256(b->container.s, b->container.len, hash);
	poly_str_printf(out, "%s%s\n", TOOL_NOTE_MAGIC, hash);
	if (!b->no_provenance)
		add_note_origin(b, out);
	add_note_numbers(b, out);
	for (i = 0; i < b->n_image; i++)
		for (k = 0; k < b->image[i].n_usage; k++) {
			const struct nvptx_usage *u = &b->image[i].usage[k];

			poly_str_printf(out, "image %d   spills of %s: %d "
				"bytes stored, %d bytes loaded\n", i,
				u->kernel, u->spill_stores, u->spill_loads);
		}
}
