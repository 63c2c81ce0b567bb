/* What layouts hold as a table. */
#ifndef TABLE_H
#define TABLE_H

#include <stdlib.h>
#include <string.h>

#include "polyir/place/place.h"

/* Places with what they hold, in any order. */
struct table {
	struct poly_held *held;
	int n;
};

static inline int compare_held(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct poly_held));
}

static inline struct table table_of(const struct poly_layout *l)
{
	struct table t;

	t.held = poly_layout_list(l, &t.n);
	assert_non_null(t.held);
	return t;
}

static inline struct table table_alloc(int n)
{
	return (struct table){ calloc((size_t) n + 1, sizeof(struct poly_held)),
		0 };
}

#endif
