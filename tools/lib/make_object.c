/* The kind of output "object", NAME.o, NAME.h and NAME.json; and "fatbin", the
 * images alone.
 *
 * The program is compiled once for the host and once for each architecture: from the
 * host's schedule on where that is one for it, too; otherwise from the text on, because
 * schedules are made for a target. The
 * oldest of them, without the features of one chip ("a"), also gives PTX, for
 * GPUs that are made later. On a machine without an assembler PTX takes the place
 * of all machine code. The images go into one container, and that with the host's
 * kernels into the object.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/lib.h"
#include "tools/lib/object/object.h"
#include "tools/lib/compile/compile.h"

const char *const tool_part_suffix[TOOL_N_PART] = { ".o", ".h", ".json" };

/* Options and source of one build, and its results. "unit" is NULL with --from=poly,
 * "host" is the compilation whose module becomes the object.
 */
struct build {
	const struct tool_options *o;
	const struct tool_source *src;
	struct tool_reply *reply;
	struct fe_unit *unit;
	struct tool_compile host;
	bool no_assembler;
	struct tool_object result;
	struct tool_words test;	/* of --selftest */
	struct poly_str part[TOOL_N_PART];
};

/* ---------------------------------------------------------------- the name */

/* Name the function of the object as --name says, or after the program; refuse
 * a name that C or its library has.
 */
static enum tool_exit choose_name(struct build *b)
{
	const char *name = b->o->name ? b->o->name : b->host.prog->name;

	if (!tool_is_function_name(name)) {
		tool_message(MSG_USAGE_VALUE, "name", "a name for a function "
			"in C, which the C library does not have", name, "",
			"");
		return TOOL_USAGE;
	}
	b->result.name = name;
	return TOOL_OK;
}

/* ------------------------------------------------------------------ images */

/* Add an image with the record of "c", which "unit" and the text order. */
static struct tool_image *add_image(struct build *b,
	const struct tool_compile *c, enum cetane_rt_kind kind)
{
	struct tool_image *im = &b->result.image[b->result.n_image];

	*im = (struct tool_image){ .kind = kind, .target = c->nvptx.target,
		.host = c->nvptx.host };
	if (im->target)
		im->ptx = nvptx_ptx_version(c->module);
	im->record = tool_record(nvptx_module_plan(c->module), b->unit,
		b->result.name);
	if (!im->record)
		return NULL;
	b->result.n_image++;
	return im;
}

/* Add the machine code of "c" as an image, with what the assembler said of it;
 * both move. False without memory.
 */
static bool add_cubin(struct build *b, struct tool_compile *c)
{
	struct tool_image *im = add_image(b, c, CETANE_RT_CUBIN);

	if (!im)
		return false;
	im->data = c->cubin;
	im->usage = c->usage;
	im->n_usage = c->n_usage;
	c->cubin = (struct poly_str){ 0 };
	c->usage = NULL;
	c->n_usage = 0;
	return true;
}

/* Add the PTX of "c" as an image; it moves. False without memory. */
static bool add_ptx(struct build *b, struct tool_compile *c)
{
	struct tool_image *im = add_image(b, c, CETANE_RT_PTX);

	if (!im)
		return false;
	im->data = c->ptx;
	c->ptx = (struct poly_str){ 0 };
	return true;
}

/* Is the code of "c" code for "t", too? */
static bool shares_code(const struct tool_compile *c, const struct nvptx_target *t)
{
	if (!c->prog || !nvptx_target_shares(c->nvptx.target, t, c->prog))
		return false;
	for (int i = 0; i < c->n_version; i++)
		if (!nvptx_target_shares(c->nvptx.target, t, c->version[i].prog))
			return false;
	return true;
}

/* Add PTX for "t", whose code that of "c" is. */
static enum tool_exit add_ptx_for(struct build *b, struct tool_compile *c,
	const struct nvptx_target *t)
{
	struct poly_report report = { 0 };
	enum tool_exit status = TOOL_OK;

	if (t != c->nvptx.target) {
		poly_str_free(&c->ptx);
		if (nvptx_retarget(c->module, t, &report) < 0 ||
		    nvptx_emit_ptx(c->module, &c->ptx, &report) < 0)
			status = tool_exit_of(&report, c->options->from);
		tool_report_tell(&report);
		c->nvptx.target = t;
	}
	return status == TOOL_OK && !add_ptx(b, c) ?
		tool_no_memory("the launch record") : status;
}

/* Compile for "t" and add what was asked for; no cubin, having noted it, if this
 * machine has no assembler. PTX is for the target "ptx", NULL: none; it is left out if
 * that has another code.
 */
static enum tool_exit compile_gpu(struct build *b,
	const struct nvptx_target *t, bool cubin, const struct nvptx_target *ptx)
{
	struct tool_compile c;
	enum tool_exit status;

	cubin &= !b->no_assembler;
	tool_compile_init(&c, b->o, b->src, NVPTX_GPU, cubin ?
		TOOL_STAGE_NVPTX_ASSEMBLE : TOOL_STAGE_NVPTX_EMIT_PTX,
		b->unit);
	c.nvptx.target = t;
	c.scheduled = b->host.prog ? &b->host : NULL;
	c.shown_file = true;
	c.ptx_will_do = true;
	status = tool_compile(&c);
	if (status == TOOL_OK && cubin && !c.cubin.len) {
		b->no_assembler = true;
		cubin = false;
	}
	if (status == TOOL_OK && cubin && !add_cubin(b, &c))
		status = tool_no_memory("the launch record");
	if (status == TOOL_OK && ptx && (ptx == t || shares_code(&c, ptx)))
		status = add_ptx_for(b, &c, ptx);
	return tool_compile_free(&c, status);
}

/* "t" without the features of one chip. */
static const struct nvptx_target *without_features(const struct nvptx_target *t)
{
	char name[16];

	snprintf(name, sizeof(name), "sm_%d", t->cc);
	return nvptx_target_find(name);
}

/* The oldest of the architectures without the features of one chip. */
static const struct nvptx_target *find_base(const struct tool_options *o)
{
	const struct nvptx_target *oldest = o->arch_list[0];
	int i;

	for (i = 1; i < o->n_arch; i++)
		if (o->arch_list[i]->cc < oldest->cc)
			oldest = o->arch_list[i];
	return without_features(oldest);
}

/* Is there an image for "t" already? */
static bool has_image(const struct build *b, const struct nvptx_target *t)
{
	int i;

	for (i = 0; i < b->result.n_image; i++)
		if (b->result.image[i].target == t)
			return true;
	return false;
}

/* PTX for each architecture, in the place of machine code. */
static enum tool_exit compile_ptx(struct build *b)
{
	enum tool_exit status = TOOL_OK;
	int i;

	for (i = 0; i < b->o->n_arch && status == TOOL_OK; i++) {
		const struct nvptx_target *t =
			without_features(b->o->arch_list[i]);

		if (!has_image(b, t))
			status = compile_gpu(b, t, false, t);
	}
	if (status == TOOL_OK)
		tool_message(MSG_NO_CUBINS, b->result.name);
	return status;
}

/* Is "t" one of the architectures? */
static bool is_listed(const struct tool_options *o, const struct nvptx_target *t)
{
	bool is = false;

	for (int i = 0; i < o->n_arch; i++)
		is |= o->arch_list[i] == t;
	return is;
}

/* Move the image for "t" behind all others. */
static void move_last(struct build *b, const struct nvptx_target *t)
{
	struct tool_image *im = b->result.image;

	for (int i = 0; i + 1 < b->result.n_image; i++)
		if (im[i].target == t) {
			struct tool_image moved = im[i];

			im[i] = im[i + 1];
			im[i + 1] = moved;
		}
}

/* Whether there is an assembler is known after the first one. PTX for the base
 * architecture comes last, whether it has code of its own or not.
 */
static enum tool_exit compile_images(struct build *b)
{
	const struct tool_options *o = b->o;
	const struct nvptx_target *base = find_base(o);
	bool listed = is_listed(o, base);
	enum tool_exit status = TOOL_OK;
	int i;

	for (i = 0; i < o->n_arch && status == TOOL_OK && !b->no_assembler;
			i++) {
		const struct nvptx_target *t = o->arch_list[i];

		status = compile_gpu(b, t, true, listed ? (t == base ? t : NULL) :
			without_features(t) == base ? base : NULL);
	}
	if (status == TOOL_OK && b->no_assembler)
		return compile_ptx(b);
	if (status == TOOL_OK && !listed && has_image(b, base))
		move_last(b, base);
	else if (status == TOOL_OK && !listed)
		status = compile_gpu(b, base, false, base);
	return status;
}

/* Compile for the host device, without what only this machine's processor can,
 * up to the module that becomes the object.
 */
static enum tool_exit compile_host(struct build *b)
{
	tool_compile_init(&b->host, b->o, b->src, NVPTX_HOST,
		TOOL_STAGE_NVPTX_OPT, b->unit);
	b->host.nvptx.portable = true;
	b->host.nvptx.host = b->o->host;
	b->host.nvptx.target = NULL;
	b->host.shown_file = true;
	return tool_compile(&b->host);
}

/* --------------------------------------------------------------- container */

/* Read back what was written: limits of the reader bound what can be built. */
static bool can_be_read(const void *bytes, size_t size)
{
	struct cetane_rt_record *r;
	struct cetane_rt_image im;
	enum cetane_status s;
	int i, n = 0;

	s = cetane_rt_image_count(bytes, size, &n);
	for (i = 0; i < n && s == CETANE_OK; i++) {
		s = cetane_rt_image_get(bytes, size, i, &im);
		if (s == CETANE_OK)
			s = cetane_rt_record_read(&im, &r);
		if (s == CETANE_OK)
			cetane_rt_record_free(r);
	}
	return s == CETANE_OK;
}

/* The NUL behind PTX goes with it, so that the driver can read it in place. */
static enum tool_exit write_container(struct build *b)
{
	struct cetane_rt_image im[TOOL_MAX_IMAGE] = { 0 };
	struct tool_object *r = &b->result;
	enum tool_exit status = TOOL_OK;
	size_t size;
	void *bytes;
	int i;

	for (i = 0; i < r->n_image; i++) {
		const struct nvptx_target *t = r->image[i].target;

		im[i].kind = r->image[i].kind;
		im[i].capability = t ? t->cc : 0;
		im[i].specific = t && strchr(t->name, 'a') != NULL;
		im[i].ptx = r->image[i].ptx;
		im[i].data = r->image[i].data.s;
		im[i].size = r->image[i].data.len +
			(im[i].kind == CETANE_RT_PTX);
		im[i].record = r->image[i].record;
	}
	bytes = cetane_rt_image_write(im, r->n_image, &size);
	if (!bytes || !can_be_read(bytes, size)) {
		status = tool_no_memory("the container of the object");
	} else {
		poly_str_addn(&r->container, bytes, size);
	}
	free(bytes);
	return status;
}

/* ------------------------------------------------------------------- parts */

/* How many arrays a caller gives. */
static int count_interface(const struct cetane_rt_record *r)
{
	int i, n = 0;

	for (i = 0; i < r->n_array; i++)
		n += r->array[i].role != CETANE_RT_TEMP;
	return n;
}

/* How many strides each array of a caller has; NULL without memory. */
static int *count_strides(const struct cetane_rt_record *r)
{
	int *count = calloc((size_t)r->n_array + 1, sizeof(*count));
	int i, n = 0;

	for (i = 0; count && i < r->n_array; i++)
		if (r->array[i].role != CETANE_RT_TEMP)
			count[n++] = cetane_rt_record_first_stride(r, i) < 0 ? 0 :
				r->array[i].n_dim - 1;
	return count;
}

/* Make the parts of the object from the images: the object with container and
 * note, the header and the manifest. What fails is told.
 */
static enum tool_exit make_parts(struct build *b)
{
	const struct tool_object *r = &b->result;
	const struct cetane_rt_record *record =
		r->image[r->n_image - 1].record;
	struct nvptx_interface face = { .name = r->name,
		.n_size = cetane_rt_record_plain(record),
		.n_array = count_interface(record),
		.abi = CETANE_RT_ABI, .prog = b->host.prog,
		.test = b->test.word, .n_test = b->test.n };
	char *valid = poly_assumed_sizes(b->host.prog);
	struct poly_report report = { 0 };
	struct poly_str note = { 0 };
	struct nvptx_drop_in drop_in = { 0 };
	enum tool_exit status = TOOL_OK;

	if (r->entry) {
		drop_in = tool_drop_in(r->entry, record, b->host.prog);
		face.drop_in = &drop_in;
		if (!drop_in.arg || !drop_in.member)
			status = tool_no_memory("the object");
	}
	if (b->o->pitched && !(face.n_stride = count_strides(record)))
		status = tool_no_memory("the object");
	face.valid = valid;
	tool_stage(TOOL_STAGE_NVPTX_OBJECT);
	tool_object_note(r, &note);
	face.note = note.s;
	if (note.failed)
		status = tool_no_memory("the object");
	if (status == TOOL_OK && nvptx_object(b->host.module, &face,
			&r->container, &b->part[TOOL_PART_OBJECT], &report) < 0)
		status = tool_exit_of(&report, TOOL_FROM_DSL);
	tool_report_tell(&report);
	poly_str_free(&note);
	free(valid);
	free((void *)(uintptr_t)face.n_stride);
	free((void *)(uintptr_t)drop_in.arg);
	free((void *)(uintptr_t)drop_in.member);
	tool_object_header(r, &b->part[TOOL_PART_HEADER]);
	tool_object_manifest(r, &b->part[TOOL_PART_MANIFEST]);
	return status;
}

/* Add the parts to the reply as outputs. */
static enum tool_exit add_parts(struct build *b)
{
	static const char *const kind[TOOL_N_PART] = { "object", "header",
		"manifest" };
	int i;

	for (i = 0; i < TOOL_N_PART; i++)
		if (b->part[i].failed ||
		    !tool_reply_add(b->reply, kind[i], tool_part_suffix[i],
				b->part[i].s, b->part[i].len)) {
			return tool_no_memory("the object");
		}
	return TOOL_OK;
}

/* Free what b->result and b->part own. */
static void free_result(struct build *b)
{
	struct tool_object *r = &b->result;
	int i;

	/* as many as the record below has arrays */
	tool_contracts_free(r->numbers, r->n_image ?
		r->image[r->n_image - 1].record->n_array : 0);
	for (i = 0; i < r->n_image; i++) {
		poly_str_free(&r->image[i].data);
		cetane_rt_record_free(r->image[i].record);
		nvptx_usage_free(r->image[i].usage, r->image[i].n_usage);
	}
	for (i = 0; i < TOOL_N_PART; i++)
		poly_str_free(&b->part[i]);
	poly_str_free(&r->container);
	free(r->source);
	free(b->test.word);
}

/* ------------------------------------------------------------------- build */

/* What the outputs promise, by the program as the text has it. */
static enum tool_exit find_contracts(struct build *b)
{
	struct tool_object *r = &b->result;
	struct poly_report report = { 0 };
	struct poly_prog *prog = tool_lower(&b->host, &report);

	if (prog)
		r->numbers = tool_contracts(prog,
			r->image[r->n_image - 1].record);
	poly_report_free(&report);
	poly_prog_free(prog);
	return r->numbers ? TOOL_OK : tool_no_memory("the manifest");
}

/* Build from b->unit, or from the text if that is NULL. */
static enum tool_exit build_all(struct build *b)
{
	enum tool_exit status = compile_host(b);

	b->result.text = b->src;
	b->result.no_provenance = b->o->no_provenance;
	b->result.source = tool_source_shown(b->o, b->src->name);
	if (status == TOOL_OK && !b->result.source)
		status = tool_no_memory("a name");
	if (status == TOOL_OK)
		status = choose_name(b);
	if (status == TOOL_OK) {
		b->result.entry = b->unit ? fe_unit_entry(b->unit) : NULL;
		b->result.fp = b->host.prog->fp;
		b->result.contract = !b->o->no_contract;
		status = compile_images(b);
	}
	if (status == TOOL_OK && !add_image(b, &b->host, CETANE_RT_HOST))
		status = tool_no_memory("the launch record");
	if (status == TOOL_OK)
		status = write_container(b);
	if (status == TOOL_OK && b->unit)
		status = find_contracts(b);
	b->result.selftest = b->o->selftest;
	b->result.pitched = b->o->pitched;
	if (status == TOOL_OK && b->o->selftest)
		status = tool_selftest(&b->result, b->o, b->unit, b->host.prog,
			&b->test);
	if (status == TOOL_OK && b->o->measure_error)
		status = tool_measure(&b->result, b->o, b->unit, b->host.prog);
	if (status == TOOL_OK)
		status = make_parts(b);
	if (status == TOOL_OK)
		status = add_parts(b);
	free_result(b);
	return tool_compile_free(&b->host, status);
}

/* Add the images as a fat binary to the reply. What fails is told. */
static enum tool_exit pack_images(struct build *b)
{
	struct nvptx_fat_image im[TOOL_MAX_IMAGE];
	const struct tool_object *r = &b->result;
	struct poly_report report = { 0 };
	struct poly_str out = { 0 };
	enum tool_exit status = TOOL_OK;
	int i;

	for (i = 0; i < r->n_image; i++)
		im[i] = (struct nvptx_fat_image){ r->image[i].target,
			r->image[i].kind == CETANE_RT_PTX, &r->image[i].data };
	if (nvptx_fatbin(im, r->n_image, &out, &report) < 0)
		status = tool_exit_of(&report, TOOL_FROM_DSL);
	tool_report_tell(&report);
	if (status == TOOL_OK && (out.failed || !tool_reply_add(b->reply,
			"fatbin", ".fatbin", out.s, out.len))) {
		status = tool_no_memory("the fat binary");
	}
	poly_str_free(&out);
	return status;
}

enum tool_exit tool_make_fatbin(const struct tool_options *o,
	const struct tool_source *src, struct tool_reply *reply)
{
	struct build b = { .o = o, .src = src, .reply = reply,
		.result = { .name = "fatbin" } };
	struct tool_compile front = { 0 };
	enum tool_exit status = TOOL_OK;

	if (o->from == TOOL_FROM_DSL) {
		tool_compile_init(&front, o, src, NVPTX_HOST,
			TOOL_STAGE_FE_READ, NULL);
		status = tool_compile(&front);
		b.unit = front.unit;
	}
	if (status == TOOL_OK)
		status = compile_images(&b);
	if (status == TOOL_OK)
		status = pack_images(&b);
	if (status == TOOL_OK && b.unit)
		status = tool_make_headers(&front, reply);
	free_result(&b);
	return o->from == TOOL_FROM_DSL ? tool_compile_free(&front, status) :
		status;
}

enum tool_exit tool_make_object(const struct tool_options *o,
	const struct tool_source *src, struct tool_reply *reply)
{
	struct build b = { .o = o, .src = src, .reply = reply };
	struct tool_compile front;
	enum tool_exit status;

	if (o->from != TOOL_FROM_DSL)
		return build_all(&b);
	tool_compile_init(&front, o, src, NVPTX_HOST, TOOL_STAGE_FE_READ,
		NULL);
	status = tool_compile(&front);
	b.unit = front.unit;
	if (status == TOOL_OK)
		status = build_all(&b);
	if (status == TOOL_OK)
		status = tool_make_headers(&front, reply);
	return tool_compile_free(&front, status);
}
