/* Strings, reports of messages, contexts of isl, and what is left of memory. */
#ifndef POLYIR_BASE_H
#define POLYIR_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

/* A growing string. Zero-initialised it is empty; "s" is NUL-terminated once
 * anything was added. Allocation failure sets "failed" and drops the text.
 */
struct poly_str {
	char *s;
	size_t len, cap;
	bool failed;
};
void poly_str_add(struct poly_str *b, const char *text);
void poly_str_addn(struct poly_str *b, const char *text, size_t n);
void poly_str_printf(struct poly_str *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Append "text", a name, as it is shown in a line: control bytes as "\n", "\x1b". */
void poly_str_add_shown(struct poly_str *b, const char *text);
/* What is shown for the byte "c": itself, or as above. */
const char *poly_shown(char c, char text[8]);
/* Drop the text and set "failed": a part of it could not be had. */
void poly_str_fail(struct poly_str *b);
void poly_str_free(struct poly_str *b);

/* A place in the user's source: 1-based line and column, length in bytes.
 * line 0 means "no place".
 */
struct poly_loc {
	int line, col, len;
};

enum poly_severity { POLY_ERROR, POLY_WARNING, POLY_REMARK };

enum poly_msg {
#define MSG(number, id, severity, format) MSG_##id = number,
#include "polyir/base/message.def"
#undef MSG
};

/* One reported message. "text" is owned by the report. */
struct poly_message {
	int number;
	enum poly_severity severity;
	struct poly_loc loc;
	char *text;
};

/* What a stage has to say, in order. The front end's diagnostics and the
 * passes' failures both end up here; the command prints them.
 */
struct poly_report {
	struct poly_message *msg;
	int n_msg, cap;
	int n_error;
	bool remarks;	/* passes explain what they decide, in remarks */
};

/* memory.c: a thread's record of whether an allocation has failed since it began:
 * one of any library, as far as errno tells, or one that was noted.
 */
void poly_memory_begin(void);
void poly_memory_note(void);
bool poly_memory_refused(void);

/* Add the message "id" at "loc" (NULL: no place); the arguments are those of
 * its format in message.def.
 */
void poly_report_add(struct poly_report *r, enum poly_msg id,
	const struct poly_loc *loc, ...);
/* Is there a message "id"? */
bool poly_report_has(const struct poly_report *r, enum poly_msg id);
/* Remove the errors, which are consequences of one that will be added. */
void poly_report_drop_errors(struct poly_report *r);
/* Remove the remarks "id" whose text begins with "begin": they hold no more. */
void poly_report_drop(struct poly_report *r, enum poly_msg id,
	const char *begin);
/* Forget the messages from "first" on that say what earlier ones say of the same
 * place.
 */
void poly_report_drop_told(struct poly_report *r, int first);
/* Move the remarks from one report to the end of another. */
void poly_report_take_remarks(struct poly_report *from,
	struct poly_report *to);
void poly_report_free(struct poly_report *r);

/* ctx.c: an isl context with our options set, in the one place. */
isl_ctx *poly_ctx_alloc(void);
/* What isl may do from here on, in operations, of which each is about an
 * allocation; their number is the same on every machine. Everything fails
 * beyond it. A new context has POLY_BUDGET, which is about a minute's work.
 */
#define POLY_BUDGET 50000000ul
void poly_ctx_budget(isl_ctx *ctx, unsigned long operations);
/* True if that was not enough, and isl does nothing more. */
bool poly_ctx_spent(isl_ctx *ctx);
/* Begin what may take "most" operations, and no more than a context has ("most" is 0:
 * all of them). Returns what poly_ctx_attempted() is to be given.
 */
unsigned long poly_ctx_attempt(isl_ctx *ctx, unsigned long most);
/* The end of that: "ctx" has "all" its operations again, whatever it took. False if
 * they were not enough, which is forgotten: isl goes on.
 */
bool poly_ctx_attempted(isl_ctx *ctx, unsigned long all);
/* True if isl's last error is a fault of its own: it takes what it is asked, or
 * what it made of that, for invalid.
 */
bool poly_ctx_faulted(isl_ctx *ctx);
/* The same, after a call that failed; the fault is forgotten. */
bool poly_ctx_forgives(isl_ctx *ctx);
/* Frees "ctx"; returns false, having leaked it, if objects still refer to it
 * (isl prints "isl_ctx not freed" then).
 */
bool poly_ctx_free(isl_ctx *ctx);

/* coalesce.c: what the functions of isl are for, checked. */
__isl_give isl_set *poly_set_coalesce(__isl_take isl_set *set);
__isl_give isl_map *poly_map_coalesce(__isl_take isl_map *map);
__isl_give isl_union_set *poly_union_set_coalesce(
	__isl_take isl_union_set *set);
__isl_give isl_union_map *poly_union_map_coalesce(
	__isl_take isl_union_map *map);
__isl_give isl_pw_aff *poly_pw_aff_coalesce(__isl_take isl_pw_aff *pa);

/* ------------------------------------------------------------------ tuple.c */

/* "NAME[]", or "[]"; with one more coordinate, whose name is printed, or with those of
 * the names z2 .. z4 for "z", 2, 5; with one more parameter, unless it has that.
 */
__isl_give isl_space *poly_tuple(isl_ctx *ctx, const char *name);
__isl_give isl_space *poly_add_dim(__isl_take isl_space *space,
	const char *format, ...) __attribute__((format(printf, 2, 3)));
__isl_give isl_space *poly_add_dims(__isl_take isl_space *space,
	const char *letter, int from, int to);
__isl_give isl_space *poly_add_size(__isl_take isl_space *space,
	const char *name);
/* The coordinate, or else the parameter, of a name that is printed; NULL if "space"
 * has none; the number "n".
 */
__isl_give isl_aff *poly_at(__isl_keep isl_space *space, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
__isl_give isl_aff *poly_number(__isl_keep isl_space *space, int64_t n);
/* n aff; floor(aff / n); aff mod n. */
__isl_give isl_aff *poly_times(__isl_take isl_aff *aff, int64_t n);
__isl_give isl_aff *poly_floor(__isl_take isl_aff *aff, int64_t n);
__isl_give isl_aff *poly_modulo(__isl_take isl_aff *aff, int64_t n);
/* "[p0, p1, z0, z1, ..]" with "n_outer" of the z: a point of a kernel with tiles. */
__isl_give isl_space *poly_point_tuple(isl_ctx *ctx, int n_outer);
/* Add coordinates "from" to "to" - 1 of "space" to "list". */
__isl_give isl_aff_list *poly_add_at(__isl_take isl_aff_list *list,
	__isl_keep isl_space *space, int from, int to);
/* "from -> TO[list]"; "to" may be NULL. */
__isl_give isl_multi_aff *poly_function(__isl_keep isl_space *from,
	const char *to, __isl_take isl_aff_list *list);
__isl_give isl_map *poly_function_map(__isl_take isl_space *from,
	const char *to, __isl_take isl_aff_list *list);
/* "{ NAME[(size 0), (size 1), ..] }", the extent of an array. */
__isl_give isl_multi_pw_aff *poly_box(isl_ctx *ctx, const char *name, int n,
	const int64_t *size);
/* "[..]", the members of a band. */
__isl_give isl_multi_union_pw_aff *poly_band_of(
	__isl_take isl_union_pw_aff_list *list);
/* "set" where 0 <= aff < n. */
__isl_give isl_set *poly_between(__isl_take isl_set *set,
	__isl_take isl_aff *aff, int64_t n);

/* ------------------------------------------------------------------ twins.c */

/* What two sets came to: "set" or "is", as the caller has it; "known" once it has said
 * so. "a" and "b" are these sets without their names.
 */
struct poly_answer {
	isl_set *a, *b, *set;
	isl_bool is;
	bool known;
};
/* The latest answers; all 0, there is none. */
enum { POLY_N_ANSWER = 8 };
struct poly_answers {
	struct poly_answer of[POLY_N_ANSWER];
	unsigned next;
};
/* What two sets came to that are written like "a" and "b" but for the names, or the place
 * of a new answer, which is not known yet.
 */
struct poly_answer *poly_answer_of(struct poly_answers *all,
	__isl_keep isl_set *a, __isl_keep isl_set *b);
void poly_answers_free(struct poly_answers *all);
/* "set" with the names of "other", of itself and of its dimensions. */
__isl_give isl_set *poly_named_like(__isl_take isl_set *set,
	__isl_keep isl_set *other);

/* The sets of "domain" in classes whose sets are written alike but for the names, and on
 * which the functions "at" are, too; NULL if isl fails, or without memory.
 */
struct poly_alikes *poly_alikes_find(__isl_keep isl_union_set *domain,
	__isl_take isl_multi_union_pw_aff *at);
void poly_alikes_free(struct poly_alikes *c);
/* The first set of each class of "domain". */
__isl_give isl_union_set *poly_alikes_first(const struct poly_alikes *c,
	__isl_take isl_union_set *domain);
/* What the first ones came to, under the names of all. */
__isl_give isl_union_set *poly_alikes_spread(const struct poly_alikes *c,
	__isl_take isl_union_set *first);

#endif
