/* What an artifact holds: the files inspect_artifact.c, which prints it as text,
 * inspect_contents.c, which prints it as JSON, and inspect_runs.c share this.
 */
#ifndef TOOLS_ARTIFACT_H
#define TOOLS_ARTIFACT_H

#include "runtime/image/image.h"
#include "tools/lib/base/base.h"
#include "tools/lib/inspect/cubin.h"

/* ---------------------------------------------------------- inspect_runs.c */

/* A row of cuda.def. */
struct tool_release {
	int cuda, ptx;
	const char *driver;
};
/* The first release from "cuda" on that speaks "ptx"; 0 is no demand. NULL: newer than
 * what is known.
 */
const struct tool_release *tool_release_for(int cuda, int ptx);
/* The one that loads machine code for "capability" by the assembler "release", "13.0":
 * one of the same major release that knows the architecture.
 */
const struct tool_release *tool_cubin_release(int capability,
	const char *release);
int tool_ptx_version(const char *text);

/* A piece of code: what runs it, and the oldest driver for it. "opaque" could not be
 * looked into. "data" is not owned, "cubin" is.
 */
struct tool_code {
	enum { TOOL_CODE_HOST, TOOL_CODE_CUBIN, TOOL_CODE_PTX } kind;
	int capability, ptx;
	bool specific, opaque;
	const struct tool_release *release;	/* or NULL */
	const char *data;
	size_t size;
	struct tool_cubin *cubin;
};
enum { TOOL_MOST_CODE = 64 };
/* The pieces of one container, or, without one, of a file. */
struct tool_codes {
	const void *container;
	size_t size;
	struct tool_code code[TOOL_MOST_CODE];
	int n;
};
/* Fill "c"; PTX ends with a NUL behind "size" bytes. False if it is damaged, or without
 * memory. In any case tool_codes_free frees it.
 */
bool tool_code_read(struct tool_code *c, bool is_ptx, const char *data,
	size_t size);
void tool_codes_free(struct tool_code *c, int n);
/* Which of "all" a GPU of "capability" runs, or -1. */
int tool_runs_at(const struct tool_codes *all, int capability);
/* Append a line for each piece that some GPU runs; a list of JSON without brackets. */
void tool_runs_text(const struct tool_codes *all, struct poly_str *out);
void tool_runs_json(const struct tool_codes *all, struct poly_str *out);

/* ------------------------------------------------------ inspect_artifact.c */

/* What the file is, by its first bytes and what it holds. */
enum tool_artifact {
	TOOL_ARTIFACT_NONE, TOOL_ARTIFACT_CUBIN, TOOL_ARTIFACT_FATBIN,
	TOOL_ARTIFACT_OBJECT, TOOL_ARTIFACT_PTX
};
enum tool_artifact tool_artifact_kind(const struct tool_source *src);
/* The next container from "from" on, and its size; NULL if there is none. */
const char *tool_container_next(const struct tool_source *src,
	const char *from, size_t *size);
/* The note of the container with that hash, behind its first lines, or NULL. */
const char *tool_container_note(const struct tool_source *src,
	const char *hash);
/* The pieces of the file; false if it is damaged or has too many. */
bool tool_codes_of_container(struct tool_codes *all, const char *p,
	size_t size);
bool tool_codes_of_file(struct tool_codes *all, const struct tool_source *src);

/* ------------------------------------------------------ inspect_contents.c */

/* Append what the file holds as JSON; false if it is damaged. */
bool tool_artifact_json(const struct tool_source *src, struct poly_str *out);

#endif
