/* frontend: the rows of the table of notations (notation.def), each in a file of its
 * notation.
 */
#ifndef FRONTEND_NOTATION_H
#define FRONTEND_NOTATION_H

#include "frontend/frontend.h"

#define NOTATION(id) extern const struct fe_notation fe_notation_##id;
#include "frontend/notation.def"
#undef NOTATION

#endif
