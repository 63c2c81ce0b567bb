/* nvptx: names of GPUs: an architecture's own, a product's or a family's, as
 * people write them: "sm_90a", "H100", "RTX 4090", "rtx-4090", "ada"; or as the
 * driver tells them: "NVIDIA GeForce RTX 4090", "NVIDIA A100-SXM4-80GB".
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "nvptx/nvptx.h"

/* Families come first in the table, then products. */
static const struct nvptx_product product[] = {
#define FAMILY(name, archs) { name, archs, true },
#define PRODUCT(name, arch) { name, arch, false },
#include "nvptx/target/product.def"
#undef FAMILY
#undef PRODUCT
};

/* Numbers begin at 0 and end where NULL comes. */
const struct nvptx_product *nvptx_product_at(int i)
{
	int n = sizeof(product) / sizeof(product[0]);

	return i >= 0 && i < n ? &product[i] : NULL;
}

/* Is this word of the driver's name for a GPU no part of what people say?
 *
 * Names such as "80GB", "SXM4" and "HBM3" are extras, too: they say how a
 * device is built, not what it computes with.
 */
static bool is_extra(const char *word, size_t len)
{
	static const char *const whole[] = { "nvidia", "geforce", "tesla",
		"pcie", "nvl", "gpu", "laptop", "generation" };
	size_t i, digits = strspn(word, "0123456789");

	for (i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (strlen(whole[i]) == len && !strncasecmp(word, whole[i], len))
			return true;
	return (digits && len == digits + 2 &&
		!strncasecmp(word + digits, "gb", 2)) ||
		(len > 3 && (!strncasecmp(word, "sxm", 3) ||
		!strncasecmp(word, "hbm", 3)));
}

/* The words of "name" that count, in "out", which has room for all of it.
 *
 * What is no letter or digit is dropped as well.
 */
static void drop_extras(const char *name, char *out)
{
	size_t len;

	for (; *name; name += len) {
		for (len = 0; isalnum((unsigned char)name[len]); len++)
			;
		if (len && !is_extra(name, len)) {
			memcpy(out, name, len);
			out += len;
		}
		len += !len;
	}
	*out = '\0';
}

/* The next letter or digit of "*p" in lower case, 0 at the end.
 *
 * Everything else parts words and is skipped.
 */
static int next_letter(const char **p)
{
	while (**p && !isalnum((unsigned char)**p))
		(*p)++;
	return **p ? tolower((unsigned char)*(*p)++) : 0;
}

/* Are these the same letters and digits, whatever is between them?
 *
 *	"RTX 4090", "rtx-4090" and "rtx4090" are one name
 */
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

/* The targets in the list "archs" of product.def.
 *
 * Commas divide the list. The tables are right: each name is one of a target.
 */
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

/* The name of an architecture stands for itself. A family stands for several. 0
 * if the text names nothing.
 */
int nvptx_target_named(const char *text,
	const struct nvptx_target *list[NVPTX_FAMILY_MOST])
{
	char name[64];
	int i;

	if (strlen(text) >= sizeof(name))
		return 0;
	drop_extras(text, name);
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
