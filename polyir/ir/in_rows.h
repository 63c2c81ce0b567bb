/* Row programs in a tree: the mark that stands above the statements of one. */
#ifndef POLYIR_IR_IN_ROWS_H
#define POLYIR_IR_IN_ROWS_H

#include <stdbool.h>

#include <isl/schedule_node.h>

struct poly_prog;
struct poly_stmt;

/* The text of the mark; whether "node" is one. */
#define POLY_ROWS "rows"
bool poly_is_rows(__isl_keep isl_schedule_node *node);
/* Does the mark stand right below the band "node"? */
bool poly_is_above_rows(__isl_keep isl_schedule_node *node);
/* Does "stmt" stand below such a mark? */
bool poly_in_rows(const struct poly_prog *prog, const struct poly_stmt *stmt);

#endif
