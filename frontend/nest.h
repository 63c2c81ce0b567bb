/* frontend: nests of C in the text of other notations (nest.c). */
#ifndef FRONTEND_NEST_H
#define FRONTEND_NEST_H

#include <stdbool.h>
#include <stddef.h>

#include "frontend/base/base.h"

/* True if the text is made of nests alone, or looks like that. */
bool fe_is_only_nests(const char *text, size_t len);
/* List the nests that stand beside definitions, and take them out of the text. */
void fe_nest_split(struct fe_unit *u);
/* The text as a preprocessed file of C. */
void fe_nest_text(const char *file, const char *text, size_t len,
	struct poly_str *out);

#endif
