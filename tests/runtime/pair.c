/* A program of two kernels for tests of the runtime. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pair.h"
#include "runtime/cetane_rt.h"

struct fake_cuda *pair_fake;

bool pair_open(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	pair_fake = library ? dlsym(library, "fake_cuda") : NULL;
	if (!pair_fake) {
		fprintf(stderr, "no fake driver: %s\n", dlerror());
		return false;
	}
	pair_fake->n_arg = 3;
	pair_fake->any_memory = 1;
	pair_fake->kernel = pair_kernel;
	setenv("CETANE_DRIVER", path, 1);
	return true;
}

/* ---------------------------------------------------------------- kernels */

static void run_first(uint64_t a, uint64_t t, uint64_t n)
{
	const int32_t *from = (const int32_t *) (uintptr_t) a;
	int32_t *to = (int32_t *) (uintptr_t) t;
	uint64_t i;

	for (i = 0; i < n; i++)
		to[i] = from[i] + 1;
}

static void run_second(uint64_t t, uint64_t b, uint64_t n)
{
	const int32_t *from = (const int32_t *) (uintptr_t) t;
	int32_t *to = (int32_t *) (uintptr_t) b;
	uint64_t i;

	for (i = 0; i < n; i++)
		to[i] = 2 * from[i];
}

void pair_kernel(const struct fake_launch *l)
{
	if (strcmp(l->name, "first") == 0)
		run_first(l->arg[0], l->arg[1], l->arg[2]);
	else
		run_second(l->arg[0], l->arg[1], l->arg[2]);
}

/* On the host device, the first thread of the first block does all. */
static bool is_first(const struct cetane_host_thread *t)
{
	return !(t->ctaid[0] | t->ctaid[1] | t->ctaid[2] | t->tid[0] |
		t->tid[1] | t->tid[2]);
}

static void host_first(struct cetane_host_thread *t, void **args)
{
	if (is_first(t))
		run_first(*(uint64_t *) args[0], *(uint64_t *) args[1],
			*(uint64_t *) args[2]);
}

static void host_second(struct cetane_host_thread *t, void **args)
{
	if (is_first(t))
		run_second(*(uint64_t *) args[0], *(uint64_t *) args[1],
			*(uint64_t *) args[2]);
}

static const cetane_host_kernel entries[] = { host_first, host_second };

/* -------------------------------------------------------------- container */

void pair_expect(int i, int k, struct fake_launch *l)
{
	int x = 8 + i, y = 1 + (i + k) % 3;

	*l = (struct fake_launch) {
		.grid = { (PAIR_N + x - 1) / x, (PAIR_N + y - 1) / y, 1 },
		.block = { x, y, 1 },
		.shared = k ? 50000 + 16 * i : 16 * i };
	strcpy(l->name, k ? "second" : "first");
}

/* The container of one image, or of many that share the rest. */
struct parts {
	struct cetane_rt_size size;
	struct cetane_rt_array array[3];
	struct cetane_rt_arg arg[2][3];
	struct cetane_rt_op op_n, op[2][2][5];
	struct cetane_rt_kernel kernel[2];
	struct cetane_rt_step step[2];
	struct cetane_rt_record record;
	char data[32];
};

/* (n + block - 1) / block, in "op". */
static struct cetane_rt_formula tiles(struct cetane_rt_op *op, int block)
{
	op[0] = (struct cetane_rt_op) { CETANE_RT_SIZE, 0 };
	op[1] = (struct cetane_rt_op) { CETANE_RT_CONST, block - 1 };
	op[2] = (struct cetane_rt_op) { CETANE_RT_ADD, 0 };
	op[3] = (struct cetane_rt_op) { CETANE_RT_CONST, block };
	op[4] = (struct cetane_rt_op) { CETANE_RT_DIV, 0 };
	return (struct cetane_rt_formula) { op, 5 };
}

static void fill(struct parts *s, int i)
{
	static const char *const name[] = { "A", "B", "T" };
	struct fake_launch l;
	int k;

	s->op_n = (struct cetane_rt_op) { CETANE_RT_SIZE, 0 };
	s->size = (struct cetane_rt_size) { (char *) "n", false, 0, 0 };
	for (k = 0; k < 3; k++)
		s->array[k] = (struct cetane_rt_array) {
			(char *) (uintptr_t) name[k], (char *) "i32",
			(enum cetane_rt_role) k, 4, 1,
			{ { &s->op_n, 1 } }, 0, 0, 0, { { NULL, 0 } } };
	for (k = 0; k < 2; k++) {
		s->arg[k][0] = (struct cetane_rt_arg) {
			.kind = CETANE_RT_ARG_ARRAY, .index = k ? 2 : 0 };
		s->arg[k][1] = (struct cetane_rt_arg) {
			.kind = CETANE_RT_ARG_ARRAY, .index = k ? 1 : 2 };
		s->arg[k][2] = (struct cetane_rt_arg) {
			.kind = CETANE_RT_ARG_SIZE };
		pair_expect(i, k, &l);
		s->kernel[k] = (struct cetane_rt_kernel) {
			(char *) (uintptr_t) (k ? "second" : "first"),
			{ tiles(s->op[k][0], (int) l.block[1]),
			  tiles(s->op[k][1], (int) l.block[0]) },
			{ (int) l.block[1], (int) l.block[0] },
			{ 1, 1 },
			(int) l.shared, 0, s->arg[k], 3, 0, !k };
		s->step[k] = (struct cetane_rt_step) {
			CETANE_RT_LAUNCH, k, 0, NULL, 0 };
	}
	s->record = (struct cetane_rt_record) { (char *) "pair", &s->size,
		s->array, s->kernel, NULL, s->step, 1, 3, 2, 0, 2, 0 };
}

void pair_make(struct cetane_program *p, const struct pair_image *image,
	int n)
{
	struct parts *parts = calloc(n, sizeof(*parts));
	struct cetane_rt_image *im = calloc(n, sizeof(*im));
	size_t size;
	int i;

	for (i = 0; i < n; i++) {
		const struct pair_image *one = &image[i];

		fill(&parts[i], i);
		snprintf(parts[i].data, sizeof(parts[i].data), "%s %d%s",
			one->ptx ? "ptx" : "cubin", one->capability,
			one->specific ? "a" : "");
		im[i] = (struct cetane_rt_image) {
			.kind = !one->capability ? CETANE_RT_HOST :
				one->ptx ? CETANE_RT_PTX : CETANE_RT_CUBIN,
			.capability = one->capability,
			.specific = one->specific, .ptx = 78,
			.record = &parts[i].record };
		if (one->capability) {
			im[i].data = parts[i].data;
			im[i].size = strlen(parts[i].data) + 1;
		}
	}
	memset(p, 0, sizeof(*p));
	p->abi = CETANE_RT_ABI;
	p->n_kernel = 2;
	p->container = cetane_rt_image_write(im, n, &size);
	p->size = size;
	p->kernel = entries;
	free(im);
	free(parts);
}

void pair_drop(struct cetane_program *p)
{
	free((void *) (uintptr_t) p->container);
	p->container = NULL;
}

int pair_launch(struct cetane_program *p, void *stream, const int32_t *a,
	int32_t *b, void *work, bool checked)
{
	const int64_t size = PAIR_N;
	void *array[2] = { (void *) (uintptr_t) a, b };

	return cetane_program_launch(p, stream, &size, array, work, checked);
}
