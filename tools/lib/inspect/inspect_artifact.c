/* cetane inspect ARTIFACT: what a build has made: any file that holds one of
 * our containers (an object, a library, a program), a cubin, a fat binary, or
 * PTX. Nothing in the file is believed: readers check every byte.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/inspect/cubin.h"
#include "tools/lib/inspect/inspect.h"
#include "tools/lib/object/object.h"
#include "tools/lib/compile/compile.h"

/* Which driver came with which release, by a table. */
static const struct release {
	int cuda, ptx;
	const char *driver;
} releases[] = {
#define CUDA(release, ptx, driver) { release, ptx, driver },
#include "tools/lib/base/cuda.def"
#undef CUDA
};
enum { N_RELEASE = sizeof(releases) / sizeof(releases[0]) };

/* The first bytes of a fat binary. */
static const unsigned char fat_magic[4] = { 0x50, 0xed, 0x55, 0xba };

/* The header alone has that many bytes. */
static bool is_fat(const struct tool_source *src)
{
	return src->len >= 16 && !memcmp(src->text, fat_magic, 4);
}

/* The next place from "from" on where a container may begin, or NULL.
 *
 * The magic may stand there by chance: what follows is checked.
 */
static const char *find_container(const struct tool_source *src,
	const char *from)
{
	size_t left = src->len - (size_t)(from - src->text);

	return memmem(from, left, CETANE_RT_MAGIC, 8);
}

/* Has the text the directives that all PTX begins with?
 *
 * The source has a NUL behind it, so that it can be searched as a text.
 */
static bool is_ptx(const struct tool_source *src)
{
	return strstr(src->text, "\n.version ") &&
		strstr(src->text, "\n.target ") &&
		strstr(src->text, "\n.address_size ");
}

/* Any ELF file counts: it may be a library with an object of ours in it. */
bool tool_is_artifact(const struct tool_source *src)
{
	return tool_is_cubin(src->text, src->len) || is_fat(src) ||
		is_ptx(src) || find_container(src, src->text) ||
		(src->len >= 4 && !memcmp(src->text, "\177ELF", 4));
}

/* ---------------------------------------------------------------- drivers */

/* The release "cuda" or the next, and its driver.
 *
 * PTX needs a driver by its version, machine code by its release; 0 is no
 * demand.
 */
static void add_driver(struct poly_str *out, int cuda, int ptx)
{
	int i;

	for (i = 0; i < N_RELEASE; i++)
		if (releases[i].cuda >= cuda && releases[i].ptx >= ptx)
			break;
	if (i == N_RELEASE)
		poly_str_add(out, "needs a driver newer than this version "
			"knows of");
	else
		poly_str_printf(out, "needs driver %s (CUDA %d.%d) or later",
			releases[i].driver, releases[i].cuda / 10,
			releases[i].cuda % 10);
}

/* Machine code needs a driver of the assembler's major release, which knows
 * the architecture.
 *
 * The assembler's major release is what its output says.
 */
static void add_cubin_driver(struct poly_str *out, int capability,
	const char *release)
{
	char name[16];
	const struct nvptx_target *t;

	snprintf(name, sizeof(name), "sm_%d", capability);
	t = nvptx_target_find(name);
	if (t)
		add_driver(out, atoi(release) * 10, t->ptx);
	else
		poly_str_add(out, "is for a GPU that is not known here");
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

/* Append what a cubin tells, and its kernels; false if it is damaged or there
 * is no memory.
 *
 * The structure is large, so it is on the heap.
 */
static bool add_cubin(struct poly_str *out, const void *data, size_t size)
{
	struct tool_cubin *c = malloc(sizeof(*c));
	bool ok = c && tool_cubin_read(data, size, c);
	char arch[16] = "";
	int i;

	if (ok) {
		snprintf(arch, sizeof(arch), "sm_%d", c->capability);
		poly_str_printf(out, "cubin %s, ", *c->arch ? c->arch : arch);
		add_hash(out, data, size);
		poly_str_add(out, "\n    ");
		add_cubin_driver(out, c->capability, c->release);
		if (*c->release)
			poly_str_printf(out, "; assembled by release %s",
				c->release);
		poly_str_add(out, "\n");
	}
	for (i = 0; ok && i < c->n_kernel; i++)
		add_cubin_kernel(out, &c->kernel[i]);
	free(c);
	return ok;
}

/* The number behind "key" in PTX, 80 for 8.0; 0: none.
 *
 * Two digits each at most.
 */
static int ptx_version(const char *text)
{
	const char *p = strstr(text, "\n.version ");
	int major = 0, minor = 0;

	if (!p || sscanf(p, "\n.version %2d.%2d", &major, &minor) != 2)
		return 0;
	return 10 * major + minor;
}

/* Append what PTX tells: its version, its target, which GPUs run it, and its
 * kernels. "text" ends with a NUL behind "size" bytes.
 *
 * An "a" at the end means that no other architecture runs it.
 */
static void add_ptx(struct poly_str *out, const char *text, size_t size)
{
	const char *p = strstr(text, "\n.target ");
	const char *arch = p ? p + 9 : "";
	int version = ptx_version(text), len = (int)strcspn(arch, ", \r\n");

	poly_str_printf(out, "PTX %d.%d for %.*s %s, ", version / 10,
		version % 10, len, arch, len && arch[len - 1] == 'a' ?
		"alone" : "and later");
	add_hash(out, text, size);
	poly_str_add(out, "\n    ");
	add_driver(out, 0, version);
	poly_str_add(out, "\n");
	for (p = text; (p = strstr(p, ".entry ")); p += 7)
		poly_str_printf(out, "    kernel %.*s\n",
			(int)strcspn(p + 7, "( \t\r\n"), p + 7);
}

/* The bytes of a number, the lowest first. */
static uint64_t little(const char *p, int bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | (unsigned char)p[bytes];
	return v;
}

/* One entry of a fat binary: kind:16 version:16 header:32 size:64 .. and the
 * architecture at byte 28, flags at 40.
 *
 * A compressed entry cannot be looked into.
 */
static void add_fat_entry(struct poly_str *out, const char *p, size_t header,
	size_t size)
{
	const char *data = p + header;
	bool elf = little(p, 2) == 2;
	struct poly_str text = { 0 };

	poly_str_add(out, "  ");
	if (elf && add_cubin(out, data, size))
		return;
	poly_str_addn(&text, data, size);
	if (!elf && text.s && ptx_version(text.s))
		add_ptx(out, text.s, strlen(text.s));
	else
		poly_str_printf(out, "%s sm_%d, %zu bytes, compressed\n",
			elf ? "cubin" : "PTX", (int)little(p + 28, 4), size);
	poly_str_free(&text);
}

/* Append the entries of a fat binary; false if one of them is not inside of the
 * file.
 *
 * Every length is compared with what is left of the file.
 */
static bool add_fat(struct poly_str *out, const struct tool_source *src)
{
	size_t at = (size_t)little(src->text + 6, 2);
	size_t header, size;

	poly_str_add(out, "fat binary ");
	poly_str_add_shown(out, src->name);
	poly_str_add(out, ", ");
	add_hash(out, src->text, src->len);
	poly_str_add(out, "\n");
	while (at < src->len) {
		if (src->len - at < 64)
			return false;
		header = (size_t)little(src->text + at + 4, 4);
		size = (size_t)little(src->text + at + 8, 8);
		if (header < 64 || header > src->len - at ||
		    size > src->len - at - header)
			return false;
		add_fat_entry(out, src->text + at, header, size);
		at += header + size;
	}
	return true;
}

/* ------------------------------------------------------------- containers */

/* A container stands somewhere in a file of any kind. */

/* The value for "key" in the note of "container", with the line's end; NULL
 * if there is no note or no such line.
 *
 * The hash ties the note to its container.
 */
static const char *find_note(const struct tool_source *src, const char *hash)
{
	const char *p = src->text, *end = src->text + src->len;

	while ((p = memmem(p, (size_t)(end - p), TOOL_NOTE_MAGIC,
			strlen(TOOL_NOTE_MAGIC)))) {
		p += strlen(TOOL_NOTE_MAGIC);
		if (end - p > 64 && !memcmp(p, hash, 64) && p[64] == '\n')
			return p + 65;
	}
	return NULL;
}

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
		poly_str_add(out, cetane_rt_record_pitch(r, i) < 0 ? "\n" :
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
	const struct cetane_rt_image *im, int i,
	const struct cetane_rt_record *r, const char *note)
{
	const struct nvptx_host *host = nvptx_host_of(src->text, src->len);
	char key[32];

	poly_str_printf(out, "  image %d: ", i);
	if (im->kind == CETANE_RT_HOST)
		poly_str_printf(out, "functions for the host device%s%s\n",
			host ? ", " : "", host ? host->name : "");
	else if (im->kind == CETANE_RT_PTX &&
		 memchr(im->data, '\0', im->size))
		add_ptx(out, im->data, strlen(im->data));
	else if (im->kind == CETANE_RT_PTX ||
		 !add_cubin(out, im->data, im->size))
		poly_str_printf(out, "damaged code for sm_%d%s\n",
			im->capability, im->specific ? "a" : "");
	add_launches(out, r);
	tool_versions_text(r, out);
	snprintf(key, sizeof(key), "image %d ", i);
	add_note(out, note, key);
}

/* Printed once behind the images, since it is about all of them. */
static const char rule[] =
"  picked: the cubin for exactly the device's capability with the features of\n"
"  that chip (a); else the cubin of the highest capability of the same major\n"
"  version that is not above; else the PTX of the highest capability that is\n"
"  not above; else the launch fails\n";

/* The container at "p"; false if it is none.
 *
 * Facts about the program come from the first image: they are the same in all.
 */
static bool add_container(struct poly_str *out, const struct tool_source *src,
	const char *p, uint64_t size)
{
	struct cetane_rt_record *r;
	struct cetane_rt_image im;
	char hash[65];
	const char *note;
	int i, n;

	if (cetane_rt_image_count(p, (size_t)size, &n) != CETANE_OK)
		return false;
	tool_sha256(p, (size_t)size, hash);
	note = find_note(src, hash);
	for (i = 0; i < n; i++) {
		if (cetane_rt_image_get(p, (size_t)size, i, &im) ||
		    cetane_rt_record_read(&im, &r))
			return false;
		if (!i) {
			poly_str_printf(out, "program %s in ", r->program);
			poly_str_add_shown(out, src->name);
			poly_str_printf(out, ": ABI %d, %d images, %llu bytes, "
				"sha256 %s\n", CETANE_RT_ABI, n,
				(unsigned long long)size, hash);
			add_note(out, note, "made ");
			add_call(out, r);
			add_note(out, note, "numbers ");
		}
		add_image(out, src, &im, i, r, note);
		cetane_rt_record_free(r);
	}
	poly_str_add(out, rule);
	return true;
}

/* All containers of the file; returns their number.
 *
 * What looks like a container and is none is stepped over by one byte.
 */
static int add_containers(struct poly_str *out, const struct tool_source *src)
{
	const char *p = src->text, *end = src->text + src->len;
	uint64_t size;
	int n = 0;

	while ((p = find_container(src, p))) {
		size = end - p >= CETANE_RT_HEADER ? little(p + 16, 8) : 0;
		if (size && size <= (uint64_t)(end - p) &&
		    add_container(out, src, p, size)) {
			p += size;
			n++;
		} else {
			p++;
		}
	}
	return n;
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
 * or damaged. Containers come before PTX, as an object has PTX in it.
 *
 * The order of the tests matters: a file of one kind may contain another.
 */
static bool add_any(struct poly_str *out, const struct tool_source *src)
{
	if (tool_is_cubin(src->text, src->len))
		return add_cubin(out, src->text, src->len);
	if (is_fat(src))
		return add_fat(out, src);
	if (add_containers(out, src))
		return true;
	if (!is_ptx(src))
		return false;
	add_ptx(out, src->text, src->len);
	return true;
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
	if (o->json || o->tree || o->layout || o->access || o->resources) {
		tool_message(MSG_USAGE_CONFLICT, !o->json ?
			"parts are for sources" : "--json is for sources; "
			"the facts of an object are in its .json");
		return TOOL_USAGE;
	}
	if (add_any(out, src)) {
		hide_controls(out);
		return TOOL_OK;
	}
	tool_message(MSG_ARTIFACT, src->name);
	return TOOL_INPUT;
}
