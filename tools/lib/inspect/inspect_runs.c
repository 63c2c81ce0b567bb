/* On which GPUs an artifact runs, and by which driver: for each capability that is
 * known here, the piece of code that is picked there and the oldest driver that takes
 * it. All of it is read off the code itself, not off what a build has noted.
 *
 * Of a container the runtime picks (runtime/image/image.c). Of a fat binary the driver
 * does: machine code of the same capability, else of the highest below with the same
 * major version, else PTX of the highest that is not above. Code with the features of one
 * chip runs there alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/inspect/artifact.h"

/* Which driver came with which release, by a table. */
static const struct tool_release releases[] = {
#define CUDA(release, ptx, driver) { release, ptx, driver },
#include "tools/lib/base/cuda.def"
#undef CUDA
};
enum { N_RELEASE = sizeof(releases) / sizeof(releases[0]) };

const struct tool_release *tool_release_for(int cuda, int ptx)
{
	int i;

	for (i = 0; i < N_RELEASE; i++)
		if (releases[i].cuda >= cuda && releases[i].ptx >= ptx)
			return &releases[i];
	return NULL;
}

/* The number of PTX behind ".version", 80 for 8.0; 0: none. Two digits each at most. */
int tool_ptx_version(const char *text)
{
	const char *p = strstr(text, "\n.version ");
	int major = 0, minor = 0;

	if (!p || sscanf(p, "\n.version %2d.%2d", &major, &minor) != 2)
		return 0;
	return 10 * major + minor;
}

const struct tool_release *tool_cubin_release(int capability,
	const char *release)
{
	char name[16];
	const struct nvptx_target *t;

	snprintf(name, sizeof(name), "sm_%d", capability);
	t = nvptx_target_find(name);
	return t ? tool_release_for(atoi(release) * 10, t->ptx) : NULL;
}

/* Fill "c" from PTX; "text" ends with a NUL behind "size" bytes. */
static void read_ptx(struct tool_code *c, const char *text, size_t size)
{
	const char *p = strstr(text, "\n.target sm_");
	int digits = 0;

	c->kind = TOOL_CODE_PTX;
	c->data = text;
	c->size = size;
	c->ptx = tool_ptx_version(text);
	if (p && sscanf(p, "\n.target sm_%4d%n", &c->capability, &digits) == 1)
		c->specific = p[digits] == 'a' || p[digits] == 'f';
	c->release = tool_release_for(0, c->ptx);
}

bool tool_code_read(struct tool_code *c, bool is_ptx, const char *data,
	size_t size)
{
	*c = (struct tool_code){ .data = data, .size = size };
	if (is_ptx) {
		read_ptx(c, data, size);
		return c->ptx && c->capability;
	}
	c->cubin = malloc(sizeof(*c->cubin));
	if (!c->cubin || !tool_cubin_read(data, size, c->cubin))
		return false;
	c->kind = TOOL_CODE_CUBIN;
	c->capability = c->cubin->capability;
	c->specific = strchr(c->cubin->arch, 'a') != NULL;
	c->release = tool_cubin_release(c->capability, c->cubin->release);
	return true;
}

void tool_codes_free(struct tool_code *c, int n)
{
	int i;

	for (i = 0; i < n; i++)
		free(c[i].cubin);
}

/* ------------------------------------------------------------------- who runs */

/* How well "c" suits a GPU of "capability"; 0: it does not run there. */
static int suits(const struct tool_code *c, int capability)
{
	bool same = c->capability == capability;

	if (c->kind == TOOL_CODE_HOST || c->capability > capability ||
	    (c->specific && !same))
		return 0;
	if (c->kind == TOOL_CODE_PTX)
		return 1 + c->capability;
	return same ? 3000 + c->specific : c->capability / 10 ==
		capability / 10 ? 2000 + c->capability : 0;
}

/* The image of a container that the runtime picks, or -1. */
static int picked(const struct tool_codes *all, int capability)
{
	struct cetane_rt_image im;
	int i;

	if (cetane_rt_image_pick(all->container, all->size, capability, &im))
		return -1;
	for (i = 0; i < all->n; i++)
		if (all->code[i].data == im.data)
			return i;
	return -1;
}

int tool_runs_at(const struct tool_codes *all, int capability)
{
	int i, best = -1;

	if (all->container)
		return picked(all, capability);
	for (i = 0; i < all->n; i++)
		if (suits(&all->code[i], capability) >
		    (best < 0 ? 0 : suits(&all->code[best], capability)))
			best = i;
	return best;
}

/* The PTX that GPUs newer than all that are known run, or -1. */
static int runs_later(const struct tool_codes *all)
{
	enum { LATER = 9990 };
	int i = tool_runs_at(all, LATER);

	return i >= 0 && all->code[i].kind == TOOL_CODE_PTX ? i : -1;
}

/* The i-th capability that is known here; 0 past the last. Targets of one stand one
 * behind the other.
 */
static int capability_at(int i)
{
	const struct nvptx_target *t;
	int n = 0, k, last = 0;

	for (k = 0; (t = nvptx_target_at(k)); k++) {
		n += t->cc != last;
		last = t->cc;
		if (n == i + 1)
			return t->cc;
	}
	return 0;
}

/* The release whose driver runs "c" on a GPU of "capability", which it has to know, too;
 * NULL: not known.
 */
static const struct tool_release *least(const struct tool_code *c,
	int capability)
{
	char name[16];
	const struct nvptx_target *t;
	const struct tool_release *r;

	snprintf(name, sizeof(name), "sm_%d", capability);
	t = nvptx_target_find(name);
	r = t ? tool_release_for(0, t->ptx) : NULL;
	return !c->release || !r ? c->release : c->release->cuda > r->cuda ?
		c->release : r;
}

/* End a line of the text. */
static void end_line(const struct tool_codes *all, int code,
	const struct tool_release *r, struct poly_str *out)
{
	poly_str_printf(out, ": %s %d, by ", all->container ? "image" :
		"entry", code);
	if (r)
		poly_str_printf(out, "driver %s (CUDA %d.%d) or later\n",
			r->driver, r->cuda / 10, r->cuda % 10);
	else
		poly_str_add(out, "a driver that is not known here\n");
}

void tool_runs_text(const struct tool_codes *all, struct poly_str *out)
{
	const struct tool_release *r, *last = NULL;
	int i, k, cc, n;

	for (i = 0; i < all->n; i++) {
		for (n = k = 0; (cc = capability_at(k)); k++) {
			if (tool_runs_at(all, cc) != i)
				continue;
			r = least(&all->code[i], cc);
			if (n && r != last)
				end_line(all, i, last, out);
			poly_str_printf(out, n && r == last ? ", %d.%d" :
				"  on GPUs of compute capability %d.%d",
				cc / 10, cc % 10);
			last = r;
			n++;
		}
		if (n && runs_later(all) == i)
			poly_str_add(out, " and later");
		if (n)
			end_line(all, i, last, out);
	}
}

/* Append an object of JSON: a GPU, 0 for those that are not known, the code that it
 * runs, and the least driver.
 */
static void add_run(const struct tool_codes *all, const char *between,
	int capability, int code, struct poly_str *out)
{
	const struct tool_release *r = least(&all->code[code], capability);
	char gpu[16] = "later";

	if (capability)
		snprintf(gpu, sizeof(gpu), "%d.%d", capability / 10,
			capability % 10);
	poly_str_printf(out, "%s\n      {\"capability\": \"%s\", \"code\": %d, "
		"\"driver\": ", between, gpu, code);
	if (r)
		poly_str_printf(out, "\"%s\", \"cuda\": \"%d.%d\"}", r->driver,
			r->cuda / 10, r->cuda % 10);
	else
		poly_str_add(out, "null, \"cuda\": null}");
}

void tool_runs_json(const struct tool_codes *all, struct poly_str *out)
{
	const char *between = "";
	int k, cc, code;

	for (k = 0; (cc = capability_at(k)); k++) {
		code = tool_runs_at(all, cc);
		if (code < 0)
			continue;
		add_run(all, between, cc, code, out);
		between = ",";
	}
	if (runs_later(all) >= 0)
		add_run(all, between, 0, runs_later(all), out);
}
