/* Programs of one statement for each operator or cast, and values of every type. */
#ifndef OPS_H
#define OPS_H

#include "program.h"

enum { MOST = 1024, MOST_CAST = 8192 };

/* Begin a program of "n" statements S0[i,j] .. over j < N. */
void ops_begin(struct unit *u, int n);
/* One kernel that runs the statements of "u" in order, a thread a "j". */
void ops_end(struct unit *u, int n);
struct poly_expr *read_at(struct unit *u, struct poly_array *a, int k);
/* Run "u" on "n" elements; "data" is in the order of the arrays. */
void ops_run(struct unit *u, const struct nvptx_options *o, int n,
	void *const *data);
/* A program of the operators "op" on type "t", each a row of C. */
void make_ops(struct unit *u, enum poly_type t, const enum poly_op *op,
	int n_op);
/* Run them; "c" receives a row for each. */
void run_ops(const struct nvptx_options *o, enum poly_type t,
	const enum poly_op *op, int n_op, int n, const void *a, const void *b,
	void *c);
/* A program of casts of A to every type: C0, C1, ... */
void make_casts(struct unit *u, enum poly_type from);
/* Run it; c[k] receives what has type k. */
void run_casts(enum poly_type from, int n, const void *a,
	void *const *c);
bool is_signed(enum poly_type t);
int width(enum poly_type t);
/* The low bits of "x" as a value of "t". */
__int128 wrap(enum poly_type t, __int128 x);
__int128 get_int(enum poly_type t, const void *data, int i);
void set_int(enum poly_type t, void *data, int i, __int128 x);
double get_float(enum poly_type t, const void *data, int i);
/* "x" rounded once to the float type "t". */
double round_to(enum poly_type t, long double x);
void set_float(enum poly_type t, void *data, int i, double x);
bool same(double x, double y);
/* C[j] += A[j] B[j] over the row, in one thread an element. */
void sum_of_product(const struct nvptx_options *o, const float *a,
	const float *b, float *c);

/* The host device, without a mode. */
extern const struct nvptx_options plain;
/* Word "i" of the block that Philox4x32-10 makes of "counter" with "key". */
uint32_t random_word(const uint32_t counter[4], const uint32_t key[2], int i);
__int128 int_ref(enum poly_op op, enum poly_type t, __int128 a,
	__int128 b);

#endif
