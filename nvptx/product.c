/* nvptx: names of GPUs: an architecture's own, a product's or a family's, as
 * people write them: "sm_90a", "H100", "RTX 4090", "rtx-4090", "ada".
 */
#include <ctype.h>
#include <string.h>

#include "nvptx/nvptx.h"

static const struct nvptx_product product[] = {
#define FAMILY(name, archs) { name, archs, true },
#define PRODUCT(name, arch) { name, arch, false },
#include "nvptx/product.def"
#undef FAMILY
#undef PRODUCT
};

const struct nvptx_product *nvptx_product_at(int i)
{
	int n = sizeof(product) / sizeof(product[0]);

	return i >= 0 && i < n ? &product[i] : NULL;
}

/* The next letter or digit of "*p" in lower case, 0 at the end. */
static int next_letter(const char **p)
{
	while (**p && !isalnum((unsigned char)**p))
		(*p)++;
	return **p ? tolower((unsigned char)*(*p)++) : 0;
}

static bool same_name(const char *a, const char *b)
{
	int c;

	do {
		c = next_letter(&a);
		if (c != next_letter(&b))
			return false;
	} while (c);
	return true;
}

/* The targets in the list "archs" of product.def. */
static int add_targets(const char *archs, const struct nvptx_target **list)
{
	char name[16];
	int n = 0;
	size_t len;

	for (; *archs; archs += len + (archs[len] == ',')) {
		len = strcspn(archs, ",");
		memcpy(name, archs, len);
		name[len] = '\0';
		list[n++] = nvptx_target_find(name);
	}
	return n;
}

int nvptx_target_named(const char *name,
	const struct nvptx_target *list[NVPTX_FAMILY_MOST])
{
	int i;

	for (i = 0; nvptx_target_at(i); i++)
		if (same_name(name, nvptx_target_at(i)->name)) {
			list[0] = nvptx_target_at(i);
			return 1;
		}
	for (i = 0; nvptx_product_at(i); i++)
		if (same_name(name, product[i].name))
			return add_targets(product[i].archs, list);
	return 0;
}
