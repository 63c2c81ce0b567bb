/* Which statements need what others make of the values of one? */
#include <stdlib.h>

#include "polyir/ir/ir.h"
#include "polyir/scans/scans.h"

/* A walk over statements that need one another. */
struct walk {
	int n;
	bool *next;		/* n x n: the second needs the first */
	bool *seen;
};

/* Note as seen all that needs statement "i", directly or through others. */
static void visit(struct walk *w, int i)
{
	for (int k = 0; k < w->n; k++)
		if (w->next[i * w->n + k] && !w->seen[k]) {
			w->seen[k] = true;
			visit(w, k);
		}
}

bool poly_scan_needs(struct poly_prog *prog, const struct poly_stmt *from,
	const struct poly_stmt *to)
{
	struct walk w = { prog->n_stmt, NULL, NULL };
	int i = poly_stmt_position(prog, from->name);
	int k = poly_stmt_position(prog, to->name);
	bool needs = true;

	w.next = calloc((size_t)w.n * w.n, sizeof(*w.next));
	w.seen = calloc(w.n, sizeof(*w.seen));
	if (w.next && w.seen) {
		poly_note_edges(prog, prog->deps.flow, w.next);
		w.next[i * w.n + k] = false;
		visit(&w, i);
		needs = w.seen[k];
	}
	free(w.next);
	free(w.seen);
	return needs;
}
