/* cetane inspect ARTIFACT: what a build has made, as text (artifact.c reads it). */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/inspect/artifact.h"
#include "tools/lib/inspect/inspect.h"
#include "tools/lib/object/object.h"
#include "tools/lib/compile/compile.h"

/* Append what driver that release came with; NULL is one that is not known. */
static void add_driver(struct poly_str *out, const struct tool_release *r)
{
	if (r)
		poly_str_printf(out, "needs driver %s (CUDA %d.%d) or later",
			r->driver, r->cuda / 10, r->cuda % 10);
	else
		poly_str_add(out, "needs a driver or is for a GPU that is newer "
			"than this version knows of");
}

/* The hash is printed in full: it tells whether two files are the same. */
static void add_hash(struct poly_str *out, const void *data, size_t size)
{
	char hash[65];

	tool_sha256(data, size, hash);
	poly_str_printf(out, "%zu bytes, sha256 %s", size, hash);
}

/* --------------------------------------------------------- cubin, fat, PTX */

/* Append a line for a kernel, with what the cubin tells of it.
 *
 * -1 is what a cubin does not tell.
 */
static void add_cubin_kernel(struct poly_str *out,
	const struct tool_cubin_kernel *k)
{
	poly_str_printf(out, "    kernel %s:", k->name);
	if (k->registers >= 0)
		poly_str_printf(out, " %lld registers,",
			(long long)k->registers);
	if (k->stack >= 0)
		poly_str_printf(out, " %lld bytes of stack,",
			(long long)k->stack);
	poly_str_printf(out, " %lld bytes of static shared memory\n",
		(long long)k->shared);
}

/* Append what a cubin tells, and its kernels. */
static void add_cubin(struct poly_str *out, const struct tool_code *code)
{
	const struct tool_cubin *c = code->cubin;
	char arch[16] = "";
	int i;

	snprintf(arch, sizeof(arch), "sm_%d", c->capability);
	poly_str_printf(out, "cubin %s, ", *c->arch ? c->arch : arch);
	add_hash(out, code->data, code->size);
	poly_str_add(out, "\n    ");
	add_driver(out, code->release);
	if (*c->release)
		poly_str_printf(out, "; assembled by release %s", c->release);
	poly_str_add(out, "\n");
	for (i = 0; i < c->n_kernel; i++)
		add_cubin_kernel(out, &c->kernel[i]);
}

/* Append what PTX tells: its version, its target, which GPUs run it, and its
 * kernels.
 */
static void add_ptx(struct poly_str *out, const struct tool_code *c)
{
	const char *text = c->data, *p = strstr(text, "\n.target ");
	const char *arch = p ? p + 9 : "";

	poly_str_printf(out, "PTX %d.%d for %.*s %s, ", c->ptx / 10, c->ptx % 10,
		(int)strcspn(arch, ", \r\n"), arch, c->specific ? "alone" :
		"and later");
	add_hash(out, text, c->size);
	poly_str_add(out, "\n    ");
	add_driver(out, c->release);
	poly_str_add(out, "\n");
	for (p = text; (p = strstr(p, ".entry ")); p += 7)
		poly_str_printf(out, "    kernel %.*s\n",
			(int)strcspn(p + 7, "( \t\r\n"), p + 7);
}

/* Code that could not be looked into is compressed in a fat binary, and damaged
 * elsewhere.
 */
static void add_code(struct poly_str *out, const struct tool_code *c,
	const char *opaque)
{
	if (c->opaque)
		poly_str_printf(out, "%s code (%s) for sm_%d, %zu bytes\n",
			opaque, c->kind == TOOL_CODE_PTX ? "PTX" : "cubin",
			c->capability, c->size);
	else if (c->kind == TOOL_CODE_PTX)
		add_ptx(out, c);
	else
		add_cubin(out, c);
}

/* Append the pieces of a file that is no container: a cubin, PTX or a fat binary. */
static bool add_file(struct poly_str *out, const struct tool_source *src,
	enum tool_artifact kind)
{
	struct tool_codes all;
	bool ok = tool_codes_of_file(&all, src);
	int i;

	if (ok && kind == TOOL_ARTIFACT_FATBIN) {
		poly_str_add(out, "fat binary ");
		poly_str_add_shown(out, src->name);
		poly_str_add(out, ", ");
		add_hash(out, src->text, src->len);
		poly_str_add(out, "\n");
	}
	for (i = 0; ok && i < all.n; i++) {
		if (kind == TOOL_ARTIFACT_FATBIN)
			poly_str_printf(out, "  entry %d: ", i);
		add_code(out, &all.code[i], "compressed");
	}
	if (ok)
		tool_runs_text(&all, out);
	tool_codes_free(all.code, all.n);
	return ok;
}

/* ------------------------------------------------------------- containers */

/* Append the lines of "note" that begin with "key", without it. The note ends
 * at a NUL, which is behind the source at the latest.
 *
 *	image 0   spills of k: 0 bytes stored, 0 bytes loaded
 *
 * is shown behind the image that it is about.
 */
static void add_note(struct poly_str *out, const char *note, const char *key)
{
	size_t len = strlen(key), line;

	for (; note && *note; note += line + (note[line] == '\n')) {
		line = strcspn(note, "\n");
		if (line <= len || strncmp(note, key, len))
			continue;
		poly_str_add(out, "  ");
		poly_str_addn(out, note + len, line - len);
		poly_str_add(out, "\n");
	}
}

/* Append how the program of "r" is called: its parameters in order, the shape
 * of each array, and sizes with a fixed value.
 *
 * As the header of an object declares it: sizes, arrays that the caller passes,
 * the workspace.
 */
static void add_call(struct poly_str *out, const struct cetane_rt_record *r)
{
	static const char *const role[] = {
		[CETANE_RT_INPUT] = "input ", [CETANE_RT_OUTPUT] = "output",
		[CETANE_RT_INOUT] = "in/out"
	};
	int i, d;

	poly_str_printf(out, "  %s(stream", r->program);
	for (i = 0; i < cetane_rt_record_plain(r); i++)
		poly_str_printf(out, ", %s", r->size[i].name);
	for (i = 0; i < r->n_array; i++)
		if (r->array[i].role != CETANE_RT_TEMP)
			poly_str_printf(out, ", %s", r->array[i].name);
	poly_str_add(out, ", workspace)\n");
	for (i = 0; i < r->n_array; i++) {
		const struct cetane_rt_array *a = &r->array[i];

		if (a->role == CETANE_RT_TEMP)
			continue;
		poly_str_printf(out, "    %s %s %s", role[a->role], a->name,
			a->type);
		for (d = 0; d < a->n_dim; d++) {
			poly_str_add(out, "[");
			tool_formula_text(r, &a->extent[d], out);
			poly_str_add(out, "]");
		}
		poly_str_add(out, cetane_rt_record_first_stride(r, i) < 0 ?
			"\n" : a->n_dim > 2 ? ", any strides apart\n" :
			", rows a pitch apart\n");
	}
	for (i = 0; i < r->n_size; i++)
		if (r->size[i].fixed)
			poly_str_printf(out, "    %s is fixed: %lld\n",
				r->size[i].name,
				(long long)r->size[i].value);
}

/* Append grid and block of each launch, x before y as CUDA has them.
 *
 * Grids are formulas of the sizes.
 */
static void add_launches(struct poly_str *out,
	const struct cetane_rt_record *r)
{
	int i;

	for (i = 0; i < r->n_kernel; i++) {
		const struct cetane_rt_kernel *k = &r->kernel[i];

		poly_str_printf(out, "    launch %s: grid ", k->name);
		tool_formula_text(r, &k->n[1], out);
		poly_str_add(out, " x ");
		tool_formula_text(r, &k->n[0], out);
		poly_str_printf(out, ", block %d x %d, %d bytes of dynamic "
			"shared memory\n", k->thread[1], k->thread[0],
			k->shared_bytes);
	}
}

/* Append image "i" of a container, with its launches and versions, and what
 * "note" says of it. "src" has the container.
 *
 * Code that is damaged does not hide the rest.
 */
static void add_image(struct poly_str *out, const struct tool_source *src,
	const struct tool_code *c, int i, const struct cetane_rt_record *r,
	const char *note)
{
	const struct nvptx_host *host = nvptx_host_of(src->text, src->len);
	char key[32];

	poly_str_printf(out, "  image %d: ", i);
	if (c->kind == TOOL_CODE_HOST)
		poly_str_printf(out, "functions for the host device%s%s\n",
			host ? ", " : "", host ? host->name : "");
	else
		add_code(out, c, "damaged");
	add_launches(out, r);
	tool_versions_text(r, out);
	tool_order_text(r, out);
	snprintf(key, sizeof(key), "image %d ", i);
	add_note(out, note, key);
}

/* Printed once behind the images, since it is about all of them. */
static const char rule[] =
"  picked: the cubin for exactly the device's capability with the features of\n"
"  that chip (a); else the cubin of the highest capability of the same major\n"
"  version that is not above; else the PTX of the highest capability that is\n"
"  not above; else the launch fails\n";

/* Append what the program of "r" is, before its images. */
static void add_program(struct poly_str *out, const struct tool_source *src,
	const struct cetane_rt_record *r, int n, size_t size, const char *hash)
{
	poly_str_printf(out, "program %s in ", r->program);
	poly_str_add_shown(out, src->name);
	poly_str_printf(out, ": ABI %d, %d images, %zu bytes, sha256 %s\n",
		CETANE_RT_ABI, n, size, hash);
}

/* Append the container at "p", which is whole.
 *
 * Facts about the program come from the first image: they are the same in all.
 */
static bool add_container(struct poly_str *out, const struct tool_source *src,
	const char *p, size_t size)
{
	struct cetane_rt_record *r;
	struct cetane_rt_image im;
	struct tool_codes all;
	char hash[65];
	const char *note;
	bool ok = tool_codes_of_container(&all, p, size);
	int i;

	tool_sha256(p, size, hash);
	note = tool_container_note(src, hash);
	for (i = 0; ok && i < all.n; i++) {
		ok = !cetane_rt_image_get(p, size, i, &im) &&
			!cetane_rt_record_read(&im, &r);
		if (ok && !i) {
			add_program(out, src, r, all.n, size, hash);
			add_note(out, note, "made ");
			add_call(out, r);
			add_note(out, note, "numbers ");
		}
		if (ok) {
			add_image(out, src, &all.code[i], i, r, note);
			cetane_rt_record_free(r);
		}
	}
	if (ok)
		tool_runs_text(&all, out);
	poly_str_add(out, ok ? rule : "");
	tool_codes_free(all.code, all.n);
	return ok;
}

/* ---------------------------------------------------------------- choice */

/* Names in a hostile file may hold what a terminal takes for commands.
 *
 * Line ends stay: they are our own.
 */
static void hide_controls(struct poly_str *out)
{
	size_t i;

	for (i = 0; i < out->len; i++)
		if (((unsigned char)out->s[i] < 0x20 && out->s[i] != '\n') ||
		    out->s[i] == 0x7f)
			out->s[i] = '?';
}

/* Append what the file holds, whatever kind it is; false if it is none of ours
 * or damaged.
 */
static bool add_any(struct poly_str *out, const struct tool_source *src)
{
	enum tool_artifact kind = tool_artifact_kind(src);
	const char *p = src->text;
	bool ok = kind != TOOL_ARTIFACT_NONE;
	size_t size;

	if (ok && kind != TOOL_ARTIFACT_OBJECT)
		return add_file(out, src, kind);
	while (ok && (p = tool_container_next(src, p, &size))) {
		ok = add_container(out, src, p, size);
		p += size;
	}
	return ok;
}

/* What a compilation has just made is inspected like a file. */
enum tool_exit tool_inspect_code(const struct tool_compile *c,
	struct poly_str *out)
{
	const struct poly_str *code = c->cubin.len ? &c->cubin : &c->ptx;
	const struct tool_source src = { .name = c->source->name,
		.text = code->s, .len = code->len };

	return tool_inspect_artifact(c->options, &src, out);
}

/* Options about parts of a source do not go with files that have none. */
enum tool_exit tool_inspect_artifact(const struct tool_options *o,
	const struct tool_source *src, struct poly_str *out)
{
	if (o->tree || o->layout || o->access || o->resources || o->explain) {
		tool_message(MSG_USAGE_CONFLICT, "parts are for sources");
		return TOOL_USAGE;
	}
	if (o->json ? tool_artifact_json(src, out) : add_any(out, src)) {
		hide_controls(out);
		return TOOL_OK;
	}
	tool_message(MSG_ARTIFACT, src->name);
	return TOOL_INPUT;
}
