/* What an artifact holds: any file that holds one of our containers (an object, a
 * library, a program), a cubin, a fat binary, or PTX. Nothing in the file is believed:
 * every byte is checked.
 */
#include <string.h>

#include "tools/lib/inspect/artifact.h"
#include "tools/lib/inspect/inspect.h"
#include "tools/lib/object/object.h"

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

/* The order of the tests matters: a file of one kind may contain another, and an
 * object has PTX in it.
 */
enum tool_artifact tool_artifact_kind(const struct tool_source *src)
{
	size_t size;

	return tool_is_cubin(src->text, src->len) ? TOOL_ARTIFACT_CUBIN :
		is_fat(src) ? TOOL_ARTIFACT_FATBIN :
		tool_container_next(src, src->text, &size) ?
		TOOL_ARTIFACT_OBJECT :
		is_ptx(src) ? TOOL_ARTIFACT_PTX : TOOL_ARTIFACT_NONE;
}

/* The bytes of a number, the lowest first. */
static uint64_t little(const char *p, int bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | (unsigned char)p[bytes];
	return v;
}

/* ------------------------------------------------------------- containers */

/* A container stands somewhere in a file of any kind. */

/* Can all images of the container and their records be read? */
static bool is_whole(const char *p, size_t size)
{
	struct cetane_rt_record *r;
	struct cetane_rt_image im;
	int i, n;

	if (cetane_rt_image_count(p, size, &n) != CETANE_OK || n < 1)
		return false;
	for (i = 0; i < n; i++) {
		if (cetane_rt_image_get(p, size, i, &im) ||
		    cetane_rt_record_read(&im, &r))
			return false;
		cetane_rt_record_free(r);
	}
	return true;
}

/* What looks like a container and is none is stepped over by one byte. */
const char *tool_container_next(const struct tool_source *src,
	const char *from, size_t *size)
{
	const char *end = src->text + src->len;

	while ((from = find_container(src, from))) {
		uint64_t all = end - from >= CETANE_RT_HEADER ?
			little(from + 16, 8) : 0;

		*size = (size_t)all;
		if (all && all <= (uint64_t)(end - from) &&
		    is_whole(from, *size))
			return from;
		from++;
	}
	return NULL;
}

/* The hash ties the note to its container. */
const char *tool_container_note(const struct tool_source *src,
	const char *hash)
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

/* ------------------------------------------------------------------ pieces */

/* Add the piece of code of "size" bytes, which may be compressed or damaged: then only
 * its architecture is known. False without room.
 */
static bool add_code(struct tool_codes *all, bool ptx, const char *data,
	size_t size, int capability)
{
	struct tool_code *c = &all->code[all->n];
	const char *end = ptx ? memchr(data, '\0', size) : NULL;

	if (all->n == TOOL_MOST_CODE)
		return false;
	all->n++;
	if ((!ptx || end) && tool_code_read(c, ptx, data, end ? (size_t)(end -
			data) : size))
		return true;
	tool_codes_free(c, 1);
	*c = (struct tool_code){ .kind = ptx ? TOOL_CODE_PTX : TOOL_CODE_CUBIN,
		.data = data, .size = size, .capability = capability,
		.opaque = true };
	return true;
}

bool tool_codes_of_container(struct tool_codes *all, const char *p,
	size_t size)
{
	struct cetane_rt_image im;
	int i, n;

	*all = (struct tool_codes){ .container = p, .size = size };
	if (cetane_rt_image_count(p, size, &n) != CETANE_OK)
		return false;
	for (i = 0; i < n; i++) {
		if (cetane_rt_image_get(p, size, i, &im))
			return false;
		if (im.kind != CETANE_RT_HOST) {
			if (!add_code(all, im.kind == CETANE_RT_PTX, im.data,
				im.size, im.capability))
				return false;
		} else if (all->n == TOOL_MOST_CODE) {
			return false;
		} else {
			all->code[all->n++] = (struct tool_code){
				.kind = TOOL_CODE_HOST };
		}
	}
	return true;
}

/* An entry of a fat binary is kind:16 version:16 header:32 size:64 .. and the
 * architecture at byte 28. Every length is compared with what is left of the file.
 */
static bool add_fat(struct tool_codes *all, const struct tool_source *src)
{
	size_t at = (size_t)little(src->text + 6, 2);
	size_t header, size;

	while (at < src->len) {
		const char *p = src->text + at;

		if (src->len - at < 64)
			return false;
		header = (size_t)little(p + 4, 4);
		size = (size_t)little(p + 8, 8);
		if (header < 64 || header > src->len - at ||
		    size > src->len - at - header ||
		    !add_code(all, little(p, 2) != 2, p + header, size,
				(int)little(p + 28, 4)))
			return false;
		at += header + size;
	}
	return true;
}

bool tool_codes_of_file(struct tool_codes *all, const struct tool_source *src)
{
	enum tool_artifact kind = tool_artifact_kind(src);

	*all = (struct tool_codes){ .n = 0 };
	if (kind == TOOL_ARTIFACT_FATBIN)
		return add_fat(all, src);
	if (kind != TOOL_ARTIFACT_CUBIN && kind != TOOL_ARTIFACT_PTX)
		return false;
	all->n = 1;
	return tool_code_read(&all->code[0], kind == TOOL_ARTIFACT_PTX,
		src->text, src->len);
}
