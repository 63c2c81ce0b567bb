/* cetane inspect --json ARTIFACT: what a build has made, for programs to read, such as
 * a manager of packages that wants to know where it runs.
 *
 *	{"file": "gemm.o", "kind": "object", "bytes": .., "sha256": "..", "parts": [
 *	  {"program": "gemm", "abi": 8, "notes": [..], "code": [..], "runs_on": [
 *	    {"capability": "9.0", "code": 2, "driver": "580.65", "cuda": "13.0"}]}]}
 *
 * "code" is the number of the piece that runs there; "later" stands for GPUs that are
 * newer than all that are known. A file that is no container has one part, without a
 * program.
 */
#include <string.h>

#include "tools/lib/inspect/artifact.h"
#include "tools/lib/inspect/inspect.h"
#include "tools/lib/object/object.h"

/* Append bytes and hash as two members. */
static void add_size(struct poly_str *out, const void *data, size_t size)
{
	char hash[65];

	tool_sha256(data, size, hash);
	poly_str_printf(out, "\"bytes\": %zu, \"sha256\": \"%s\"", size, hash);
}

/* Append a member unless the cubin does not say it. */
static void add_number(struct poly_str *out, const char *name, int64_t n)
{
	if (n >= 0)
		poly_str_printf(out, ", \"%s\": %lld", name, (long long)n);
}

/* Append the kernels of machine code. */
static void add_cubin_kernels(const struct tool_cubin *c, struct poly_str *out)
{
	int i;

	for (i = 0; i < c->n_kernel; i++) {
		const struct tool_cubin_kernel *k = &c->kernel[i];

		poly_str_add(out, i ? ", {\"name\": " : "{\"name\": ");
		tool_json_text(out, k->name);
		add_number(out, "registers", k->registers);
		add_number(out, "stack_bytes", k->stack);
		add_number(out, "static_shared_bytes", k->shared);
		poly_str_add(out, "}");
	}
}

/* Append the names of the kernels of PTX. */
static void add_ptx_kernels(const char *text, struct poly_str *out)
{
	const char *between = "", *p;
	struct poly_str name = { 0 };

	for (p = text; (p = strstr(p, ".entry ")); p += 7) {
		poly_str_addn(&name, p + 7, strcspn(p + 7, "( \t\r\n"));
		poly_str_printf(out, "%s{\"name\": ", between);
		tool_json_text(out, name.s ? name.s : "");
		poly_str_add(out, "}");
		poly_str_free(&name);
		between = ", ";
	}
}

/* Append a piece of code: what it is, what it is for, its kernels. */
static void add_code(const struct tool_code *c, struct poly_str *out)
{
	static const char *const kind[] = { "host", "cubin", "ptx" };

	poly_str_printf(out, "{\"kind\": \"%s\"", kind[c->kind]);
	if (c->kind == TOOL_CODE_HOST) {
		poly_str_add(out, "}");
		return;
	}
	poly_str_printf(out, ", \"capability\": \"%d.%d\", \"one_chip\": %s, ",
		c->capability / 10, c->capability % 10, c->specific ? "true" :
		"false");
	add_size(out, c->data, c->size);
	if (c->ptx)
		poly_str_printf(out, ", \"ptx_isa\": \"%d.%d\"", c->ptx / 10,
			c->ptx % 10);
	if (c->cubin && !c->opaque && *c->cubin->release) {
		poly_str_add(out, ", \"assembler\": ");
		tool_json_text(out, c->cubin->release);
	}
	poly_str_add(out, c->opaque ? ", \"readable\": false}" :
		",\n       \"kernels\": [");
	if (c->opaque)
		return;
	if (c->kind == TOOL_CODE_PTX)
		add_ptx_kernels(c->data, out);
	else
		add_cubin_kernels(c->cubin, out);
	poly_str_add(out, "]}");
}

/* Append the pieces, and which runs where. */
static void add_codes(const struct tool_codes *all, struct poly_str *out)
{
	int i;

	poly_str_add(out, "\"code\": [");
	for (i = 0; i < all->n; i++) {
		poly_str_add(out, i ? ",\n      " : "\n      ");
		add_code(&all->code[i], out);
	}
	poly_str_add(out, "],\n    \"runs_on\": [");
	tool_runs_json(all, out);
	poly_str_add(out, "]}");
}

/* Append the lines of a note, which ends at a NUL, as a list of texts. */
static void add_notes(const char *note, struct poly_str *out)
{
	const char *between = "";
	struct poly_str line = { 0 };
	size_t len;

	poly_str_add(out, "\"notes\": [");
	for (; note && *note; note += len + (note[len] == '\n')) {
		len = strcspn(note, "\n");
		poly_str_addn(&line, note, len);
		poly_str_printf(out, "%s\n      ", between);
		tool_json_text(out, line.s ? line.s : "");
		poly_str_free(&line);
		between = ",";
	}
	poly_str_add(out, "],\n    ");
}

/* Append the container at "p". */
static bool add_container(const struct tool_source *src, const char *p,
	size_t size, struct poly_str *out)
{
	struct cetane_rt_record *r = NULL;
	struct cetane_rt_image im;
	struct tool_codes all;
	char hash[65];
	bool ok = tool_codes_of_container(&all, p, size) &&
		!cetane_rt_image_get(p, size, 0, &im) &&
		!cetane_rt_record_read(&im, &r);

	if (ok) {
		poly_str_add(out, "\n   {\"program\": ");
		tool_json_text(out, r->program);
		poly_str_printf(out, ", \"abi\": %d, ", CETANE_RT_ABI);
		add_size(out, p, size);
		poly_str_add(out, ",\n    ");
		tool_sha256(p, size, hash);
		add_notes(tool_container_note(src, hash), out);
		add_codes(&all, out);
	}
	cetane_rt_record_free(r);
	tool_codes_free(all.code, all.n);
	return ok;
}

/* Append all containers, or the one part of another file. */
static bool add_parts(const struct tool_source *src, enum tool_artifact kind,
	struct poly_str *out)
{
	const char *p = src->text;
	struct tool_codes all;
	size_t size;
	bool ok = true;
	int n = 0;

	if (kind != TOOL_ARTIFACT_OBJECT) {
		ok = tool_codes_of_file(&all, src);
		poly_str_add(out, "\n   {");
		add_codes(&all, out);
		tool_codes_free(all.code, all.n);
		return ok;
	}
	for (; ok && (p = tool_container_next(src, p, &size)); p += size) {
		poly_str_add(out, n++ ? "," : "");
		ok = add_container(src, p, size, out);
	}
	return ok;
}

bool tool_artifact_json(const struct tool_source *src, struct poly_str *out)
{
	static const char *const name[] = { "", "cubin", "fatbin", "object",
		"ptx" };
	enum tool_artifact kind = tool_artifact_kind(src);
	bool ok = kind != TOOL_ARTIFACT_NONE;

	poly_str_add(out, "{\"file\": ");
	tool_json_text(out, src->name);
	poly_str_printf(out, ", \"kind\": \"%s\", ", name[kind]);
	add_size(out, src->text, src->len);
	poly_str_add(out, ",\n  \"parts\": [");
	ok = ok && add_parts(src, kind, out);
	poly_str_add(out, "]}\n");
	return ok;
}
