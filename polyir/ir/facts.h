/* Facts that were found about a program and are held with it: the program frees
 * them. The folders above find them (deps/found.c, legal/seen.c).
 */
#ifndef POLYIR_FACTS_H
#define POLYIR_FACTS_H

#include <stdbool.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"

/* Free the relations of "d", and leave none. */
void poly_deps_clear(struct poly_deps *d);

/* The kinds of dependences that are asked for. */
enum poly_kinds {
	POLY_DEPS_VALUE = 1,	/* flow, reduction */
	POLY_DEPS_MEMORY = 2,	/* anti, output */
	POLY_DEPS_ALL = POLY_DEPS_VALUE | POLY_DEPS_MEMORY
};

/* The dependences through "array" that were found for the accesses "access" in
 * the order "original", of the kinds "kinds"; those of the next array.
 */
enum { POLY_N_ACCESS = 4 };
struct poly_found {
	const struct poly_array *array;
	isl_union_map *access[POLY_N_ACCESS];
	isl_schedule *original;
	enum poly_kinds kinds;
	struct poly_deps deps;
	struct poly_found *next;
};
/* Drop what one array has, the record itself stays; or all records of a list. */
void poly_found_clear(struct poly_found *f);
void poly_found_free(struct poly_found *f);

/* What can be done with an object of isl, whatever its type; "same" may say no
 * of two that are equal. "print" gives a text that the caller frees.
 */
struct poly_handling {
	void *(*copy)(void *obj);
	void (*free)(void *obj);
	isl_bool (*same)(void *a, void *b);
	char *(*print)(void *obj);
};

/* What a check has read: numbers and names as text, objects as references. Of arrays with
 * a "part", by their numbers, not -1, the first index of all accesses is that number, and
 * taken down as 0; NULL: as it is.
 */
struct poly_seen {
	struct poly_str text;
	const struct poly_prog *prog;	/* NULL: has no part */
	const int64_t *part;
	struct poly_object {
		const struct poly_handling *class;
		void *obj;
	} *object;
	int n, cap;
};
/* Take down "obj", or that there is none (NULL). Without memory the text fails. */
void poly_seen_note(struct poly_seen *s, const struct poly_handling *class,
	void *obj);
/* Returns NULL; "s" may be NULL. */
struct poly_seen *poly_seen_free(struct poly_seen *s);
/* True if both are there and have read the same; false wherever that takes a
 * computation to tell.
 */
bool poly_seen_same(const struct poly_seen *a, const struct poly_seen *b);

/* prog.c: take "stmt", which no schedule has any more, out of the program; its array, too,
 * if that is a temporary which no statement accesses then. Dependences are the caller's.
 */
void poly_prog_drop_writer(struct poly_prog *prog, struct poly_stmt *stmt);

#endif
