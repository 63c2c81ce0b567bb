/* Which image of a container a device takes. */
#include <stdio.h>
#include "runtime/image/image.h"

/* How well "image" fits, 0: not at all.
 *
 * On a GPU: its own cubin that uses features of one architecture (sm_90a)
 * first, then a cubin of the same major version and not newer, the nearest
 * best; then PTX, which the driver compiles, the newest that the device can
 * run. CUDA promises binary compatibility within a major version only.
 */
static int fitness(const struct cetane_rt_image *image, int capability)
{
	int cc = image->capability;

	if (capability == 0 || image->kind == CETANE_RT_HOST)
		return capability == 0 && image->kind == CETANE_RT_HOST;
	if (image->specific)
		return image->kind == CETANE_RT_CUBIN && cc == capability ?
			3000 : 0;
	if (cc > capability)
		return 0;
	if (image->kind == CETANE_RT_PTX)
		return 1 + cc;
	return cc / 10 == capability / 10 ? 2000 + cc : 0;
}

/* Say which images there are.
 *
 * The list may be cut if there are very many.
 */
static enum cetane_status no_image(const void *container, size_t size, int n,
	int capability)
{
	static const char *const kind[] = { "host", "cubin", "PTX" };
	struct cetane_rt_image image;
	char list[512] = "";
	size_t at = 0;
	int i;

	for (i = 0; i < n && at < sizeof(list); i++) {
		cetane_rt_image_get(container, size, i, &image);
		if (image.kind == CETANE_RT_HOST)
			at += snprintf(list + at, sizeof(list) - at,
				"%shost", i ? ", " : "");
		else
			at += snprintf(list + at, sizeof(list) - at,
				"%ssm_%d%s (%s)", i ? ", " : "",
				image.capability, image.specific ? "a" : "",
				kind[image.kind]);
	}
	if (capability == 0)
		return cetane_rt_fail(CETANE_NO_IMAGE, "no image for the host "
			"device; there are: %s", list);
	return cetane_rt_fail(CETANE_NO_IMAGE, "no image for a device of "
		"capability %d.%d; there are: %s", capability / 10,
		capability % 10, list);
}

/* The first of several that fit equally well. */
enum cetane_status cetane_rt_image_pick(const void *container, size_t size,
	int capability, struct cetane_rt_image *image)
{
	struct cetane_rt_image one;
	enum cetane_status s;
	int i, n, fit, best = 0;

	s = cetane_rt_image_count(container, size, &n);
	if (s != CETANE_OK)
		return s;
	for (i = 0; i < n; i++) {
		cetane_rt_image_get(container, size, i, &one);
		fit = fitness(&one, capability);
		if (fit > best) {
			best = fit;
			*image = one;
		}
	}
	return best ? CETANE_OK : no_image(container, size, n, capability);
}
