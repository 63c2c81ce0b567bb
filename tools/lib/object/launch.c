/* How a compiled program is launched: by the plan of its lowering or, where LLVM IR
 * was read, by the record that goes with its text.
 *
 * The record stands in the module as a container (runtime/image/image.h) of one image
 * without code. The reader of containers checks every byte of it, so that text
 * which somebody has edited does no harm.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/image/image.h"
#include "tools/lib/object/object.h"
#include "tools/lib/compile/compile.h"

/* Only texts of LLVM IR get one: objects carry the record themselves. */
bool tool_launch_note(struct tool_compile *c)
{
	const unsigned text = 1u << TOOL_EMIT_LLVM | 1u << TOOL_EMIT_LLVM_OPT;
	struct cetane_rt_image image = { .kind = CETANE_RT_HOST };
	struct cetane_rt_record *r;
	void *bytes = NULL;
	size_t size;

	if (!(c->emit & text))
		/* "kind" says host, the one kind of image that has no code. */
		return true;
	r = tool_record(nvptx_module_plan(c->module), c->unit, c->prog->name);
	image.record = r;
	if (r)
		bytes = cetane_rt_image_write(&image, 1, &size);
	if (bytes)
		nvptx_note_set(c->module, bytes, size);
	free(bytes);
	cetane_rt_record_free(r);
	return bytes != NULL;
}

/* Has every array of "r" a type of ours, and every name no control characters?
 *
 * A name goes into messages and headers.
 */
static bool is_ours(const struct cetane_rt_record *r)
{
	const char *c;
	int i;

	for (i = 0; i < r->n_array; i++) {
		enum poly_type type = poly_type_find(r->array[i].type);

		if (type == POLY_N_TYPE ||
		    r->array[i].elem_bytes != poly_type_size(type))
			return false;
		for (c = r->array[i].name; *c; c++)
			if (iscntrl((unsigned char)*c))
				return false;
	}
	return true;
}

/* The record in "note"; NULL, with the reason in "*why".
 *
 * The reader gives the reasons for what it refuses (cetane_last_error).
 */
static struct cetane_rt_record *read_note(const struct poly_str *note,
	const char **why)
{
	struct cetane_rt_record *r = NULL;
	struct cetane_rt_image image;
	int n;

	*why = cetane_last_error();
	if (cetane_rt_image_count(note->s, note->len, &n) != CETANE_OK)
		return NULL;
	/* A container with several images is right for an object, but here
	 * there is one text.
	 */
	if (n != 1) {
		*why = "it has not one record";
		return NULL;
	}
	if (cetane_rt_image_get(note->s, note->len, 0, &image) == CETANE_OK)
		cetane_rt_record_read(&image, &r);
	if (r && !is_ours(r)) {
		*why = "an array is not as the compiler makes it";
		cetane_rt_record_free(r);
		r = NULL;
	}
	return r;
}

/* Read the record that goes with the text of c's module, if there is one;
 * *record is NULL otherwise. A damaged one is told as a fault of the input.
 *
 * No memory is told as that, although it looks like a damaged record.
 */
static enum tool_exit find_note(struct tool_compile *c,
	struct cetane_rt_record **record)
{
	struct poly_str note = { 0 };
	enum tool_exit status = TOOL_OK;
	const char *why = "it is empty";

	/* Texts from elsewhere have no note: that is no error here. */
	if (!nvptx_note_get(c->module, &note))
		return TOOL_OK;
	if (note.s)
		*record = read_note(&note, &why);
	for (int i = 0; *record && i < (*record)->n_kernel; i++)
		(*record)->kernel[i].early &= nvptx_begins_early(&c->nvptx);
	if (poly_memory_refused()) {
		status = tool_no_memory("the launch record");
	} else if (!*record) {
		tool_message(MSG_NOTE_DAMAGED, c->source->name, why);
		status = TOOL_INPUT;
	}
	poly_str_free(&note);
	return status;
}

/* The caller frees the record. "unit" gives the sizes the names of the text, or
 * is NULL.
 */
enum tool_exit tool_launch_record(struct tool_compile *c,
	const struct fe_unit *unit, struct cetane_rt_record **record)
{
	*record = NULL;
	if (c->options->from == TOOL_FROM_LLVM)
		return find_note(c, record);
	*record = tool_record(nvptx_module_plan(c->module), unit,
		c->prog->name);
	return *record ? TOOL_OK : tool_no_memory("the launch record");
}

/* The size of "r" called "name", or NULL.
 *
 * By the name in the text, which -D has.
 */
static const struct cetane_rt_size *find_size(const struct cetane_rt_record *r,
	const char *name)
{
	int i;

	for (i = 0; i < r->n_size; i++)
		if (!strcmp(r->size[i].name, name))
			return &r->size[i];
	return NULL;
}

/* -D may repeat a value that was compiled in, and may give one to a size that
 * is open.
 */
enum tool_exit tool_launch_defines(const struct tool_options *o,
	const struct cetane_rt_record *r)
{
	int i;

	for (i = 0; i < o->n_define; i++) {
		const struct cetane_rt_size *s = find_size(r,
			o->define[i].name);

		if (!s) {
			tool_message(MSG_FE_DEFINE_NAME, o->define[i].name);
			return TOOL_INPUT;
		}
		if (!s->fixed || s->value == o->define[i].value)
			continue;
		tool_message(MSG_RUN_FIXED, s->name,
			(long long)o->define[i].value, (long long)s->value);
		return TOOL_INPUT;
	}
	return TOOL_OK;
}
