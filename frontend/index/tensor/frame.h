/* frontend: index notation in isl's terms (frame.c), for the files that check
 * and lower it. Everything is built by calls, never from text.
 */
#ifndef FRONTEND_FRAME_H
#define FRONTEND_FRAME_H

#include "frontend/index/tensor/tensor.h"

/* The indices that stand for the dimensions of a set, and its space, with all
 * sizes of the unit as parameters and the name of the tuple.
 */
struct fe_frame {
	const struct fe_unit *unit;
	const struct fe_index *dim[FE_MAX_LOOP];
	int n;
	isl_space *space;
};

/* The frame "name[]" without indices; free it with fe_frame_free. */
void fe_frame_init(struct fe_frame *f, const struct fe_unit *u, isl_ctx *ctx,
	const char *name);
/* The name that dimensions for "i" have; NULL: none, as isl keeps the word. */
const char *fe_index_name(const struct fe_index *i);
/* Add an index, or those of a scope up to "n", or of all scopes around it. */
void fe_frame_add(struct fe_frame *f, const struct fe_index *i);
void fe_frame_add_scope(struct fe_frame *f, const struct fe_scope *scope,
	int n);
void fe_frame_free(struct fe_frame *f);

/* The sizes that the unit allows: none negative, the assumptions hold; and
 * with "fixed", those that -D gives have their values.
 */
__isl_give isl_set *fe_frame_context(const struct fe_unit *u, isl_ctx *ctx,
	bool fixed);
/* The affine expression "e" as a function on the frame. */
__isl_give isl_pw_aff *fe_frame_value(const struct fe_frame *f,
	const struct fe_scalar *e);
/* Where the condition "c" holds; where it may hold, if values decide. What it
 * says of indices that the frame lacks is left out.
 */
__isl_give isl_set *fe_frame_condition(const struct fe_frame *f,
	const struct fe_scalar *c);
/* Where the condition "c" of a piece holds whatever the values are. */
__isl_give isl_set *fe_frame_sure(const struct fe_frame *f,
	const struct fe_scalar *c);
/* The points of the frame where the indices of "scope" are in their ranges
 * and its conditions hold.
 */
__isl_give isl_set *fe_frame_domain(const struct fe_frame *f,
	const struct fe_scope *scope);
/* The points of these at which the program runs "t": those, too, at which conditions that
 * its value asks do not hold.
 */
__isl_give isl_set *fe_frame_run(const struct fe_frame *f,
	const struct fe_tensor *t, const struct fe_scope *scope);
/* Is an index of "c" none of the frame? */
bool fe_frame_lacks(const struct fe_frame *f, const struct fe_scalar *c);
/* "set" within the bounds of the index at "pos" of the frame. */
__isl_give isl_set *fe_frame_range(const struct fe_frame *f,
	__isl_take isl_set *set, int pos);
/* The first value of the index "i", and how many its box has. */
__isl_give isl_pw_aff *fe_frame_lower(const struct fe_frame *f,
	const struct fe_index *i);
__isl_give isl_pw_aff *fe_frame_extent(const struct fe_frame *f,
	const struct fe_index *i);
/* The tuple "name" of "n" dimensions and the frame's parameters. */
__isl_give isl_space *fe_frame_tuple(const struct fe_frame *f,
	const char *name, int n);
/* "set" of the frame, for "sizes", in the words of the program; of a union, one
 * element. The caller frees.
 */
char *fe_frame_print(const struct fe_frame *f, __isl_take isl_set *set,
	__isl_keep isl_set *sizes);
/* The frame of the values of "t", and where it has any. */
void fe_frame_of(struct fe_frame *f, const struct fe_unit *u, isl_ctx *ctx,
	const struct fe_tensor *t);
__isl_give isl_set *fe_frame_tensor(const struct fe_frame *f,
	const struct fe_tensor *t);

#endif
