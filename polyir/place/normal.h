/* polyir: what the files of normal layouts share. */
#ifndef POLYIR_NORMAL_H
#define POLYIR_NORMAL_H

#include "polyir/place/place.h"

/* normal.c: has the matrix an inverse? Is "l" swizzled? The place whose unit is 1 of those
 * of the coordinate "at".
 */
bool poly_swizzle_has_inverse(const uint32_t *swizzle);
bool poly_layout_is_swizzled(const struct poly_layout *l);
enum poly_place poly_place_of_coordinate(int at);

/* normal_names.c: count all places in units of 1, as no names do. Name and sort the digits;
 * what the record does not use becomes 0.
 */
void poly_layout_make_linear(struct poly_layout *l);
void poly_layout_finish(struct poly_layout *l);

#endif
