/* Remarks: which recurrences are scans, and why others are none. */
#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/scans/scans.h"

/* Why "stmt", a recurrence that reads its own array, is no scan. */
static const char *reason(struct poly_prog *prog, const struct poly_stmt *stmt)
{
	if (!poly_recurrence_find(stmt, NULL))
		return "its value is no operator, and no linear function, of "
			"the one before along one index";
	if (!poly_recurrence_read(prog, stmt, NULL))
		return "--fp=strict keeps the order of its operations";
	if (!poly_prog_is_fixed(prog))
		return "sizes are not fixed (-D)";
	if (prog->original)
		return "cells are written or read before, in the order of the "
			"text";
	if (poly_scan_needs(prog, stmt, stmt))
		return "what it needs is made of its own values";
	return "threads have rows enough, or no block has room for one";
}

void poly_explain_scans(struct poly_prog *prog, const bool *in_rows)
{
	for (int i = 0; i < prog->n_stmt && prog->report->remarks; i++) {
		struct poly_stmt *s = prog->stmt[i];
		struct poly_str text = { 0 };

		if (s->kind != POLY_POINT || s->reduce != POLY_OP_NONE ||
		    !poly_expr_accesses(s->rhs, s->write_array))
			continue;
		if (in_rows[i] && poly_recurrence_read(prog, s, NULL))
			poly_str_add(&text, "a scan, by the threads of a row");
		else
			poly_str_printf(&text, "no scan: %s",
				reason(prog, s));
		poly_report_add(prog->report, MSG_POLY_CHOICE,
			s->loc.line ? &s->loc : NULL, s->name,
			text.s ? text.s : "");
		poly_str_free(&text);
	}
}
