/* frontend: nests of C beside definitions (nest.c). */
#ifndef FRONTEND_NEST_H
#define FRONTEND_NEST_H

#include "frontend/base/base.h"

/* List the nests that stand beside definitions, and take them out of the text. */
void fe_nest_split(struct fe_unit *u);

#endif
