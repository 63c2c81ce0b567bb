/* The verb doctor: which kinds of output can be made on this machine. The programs
 * that a build would call are tried on a kernel that does nothing; the other kinds
 * need nothing but the compiler.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doctor.h"
#include "tools/lib/base/option.h"

/* A kernel, its machine code, and why a kind cannot be made, NULL if it can. */
struct trial {
	const struct nvptx_target *target;
	struct poly_str ptx, cubin;
	bool no_assembler;
	char *why[TOOL_N_EMIT];
};

/* Take the reason for the kind from the report, which is freed. */
static void take_reason(struct trial *t, enum tool_emit kind,
	struct poly_report *report)
{
	int i;

	for (i = 0; i < report->n_msg && !t->why[kind]; i++)
		if (report->msg[i].severity == POLY_ERROR)
			t->why[kind] = strdup(report->msg[i].text);
	if (!t->why[kind])
		t->why[kind] = strdup("it fails without a reason");
	poly_report_free(report);
}

static void write_ptx(struct trial *t)
{
	poly_str_printf(&t->ptx, ".version %d.%d\n.target %s\n"
		".address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n",
		t->target->ptx / 10, t->target->ptx % 10, t->target->name);
}

/* Objects and pages have PTX where there is no assembler, but not where one fails. */
static void try_cubin(struct trial *t)
{
	struct poly_report report = { 0 };

	if (nvptx_assemble(&t->ptx, t->target, &t->cubin, NULL, NULL,
			&report) == isl_stat_ok) {
		poly_report_free(&report);
		return;
	}
	t->no_assembler = poly_report_has(&report, MSG_NVPTX_NO_ASSEMBLER);
	take_reason(t, TOOL_EMIT_CUBIN, &report);
	if (!t->no_assembler && t->why[TOOL_EMIT_CUBIN]) {
		t->why[TOOL_EMIT_OBJECT] = strdup(t->why[TOOL_EMIT_CUBIN]);
		t->why[TOOL_EMIT_HTML] = strdup(t->why[TOOL_EMIT_CUBIN]);
	}
}

/* Make a fat binary of the machine code, or of PTX where there is no assembler;
 * what keeps objects from being made keeps these, too.
 */
static void try_fatbin(struct trial *t)
{
	struct nvptx_fat_image image = { t->target, t->no_assembler,
		t->no_assembler ? &t->ptx : &t->cubin };
	struct poly_report report = { 0 };
	struct poly_str out = { 0 };

	if (t->why[TOOL_EMIT_OBJECT])
		t->why[TOOL_EMIT_FATBIN] = strdup(t->why[TOOL_EMIT_OBJECT]);
	else if (nvptx_fatbin(&image, 1, &out, &report) < 0)
		take_reason(t, TOOL_EMIT_FATBIN, &report);
	poly_report_free(&report);
	poly_str_free(&out);
}

/* The names of all kinds that can be made, or that cannot. */
static void add_kinds(const struct trial *t, bool can, const char *last,
	struct poly_str *out)
{
	int i, left = 0;

	for (i = 0; i < TOOL_N_EMIT; i++)
		left += !t->why[i] == can;
	for (i = 0; i < TOOL_N_EMIT; i++)
		if (!t->why[i] == can)
			poly_str_printf(out, "%s%s", tool_emit_row[i].name,
				--left > 1 ? ", " : left ? last : "");
}

static void print_rows(const struct trial *t)
{
	struct poly_str text = { 0 };
	int i;

	add_kinds(t, true, " and ", &text);
	tool_doctor_row("outputs", "%s can be made", text.s ? text.s : "");
	poly_str_free(&text);
	if (t->no_assembler)
		tool_doctor_row("", "objects and fat binaries have PTX in the "
			"place of machine code");
	for (i = 0; i < TOOL_N_EMIT; i++)
		if (t->why[i])
			tool_doctor_row("", "%s cannot: %s",
				tool_emit_row[i].name, t->why[i]);
}

char *tool_doctor_outputs(void)
{
	struct trial t = { .target = nvptx_target_find(TOOL_DEFAULT_ARCH) };
	struct poly_str text = { 0 };
	int i;

	write_ptx(&t);
	try_cubin(&t);
	try_fatbin(&t);
	print_rows(&t);
	poly_str_add(&text, "Programs compile to every kind of output");
	if (t.why[TOOL_EMIT_CUBIN] || t.why[TOOL_EMIT_FATBIN]) {
		poly_str_add(&text, " but ");
		add_kinds(&t, false, " and ", &text);
	}
	for (i = 0; i < TOOL_N_EMIT; i++)
		free(t.why[i]);
	poly_str_free(&t.ptx);
	poly_str_free(&t.cubin);
	return text.s;
}
