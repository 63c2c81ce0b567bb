/* A program in a container, for tests of programs. */
#include <pthread.h>
#include "container.h"

/* B[n,m] from A[n,m], in two kernels with a temporary T[n+1,2]. */
static struct cetane_rt_op op_n[] = { { CETANE_RT_SIZE, 0 } };
static struct cetane_rt_op op_m[] = { { CETANE_RT_SIZE, 1 } };
static struct cetane_rt_op op_n1[] = {
	{ CETANE_RT_SIZE, 0 }, { CETANE_RT_CONST, 1 }, { CETANE_RT_ADD, 0 }
};
static struct cetane_rt_op op_2[] = { { CETANE_RT_CONST, 2 } };
static struct cetane_rt_op op_n32[] = {
	{ CETANE_RT_SIZE, 0 }, { CETANE_RT_CONST, 31 }, { CETANE_RT_ADD, 0 },
	{ CETANE_RT_CONST, 32 }, { CETANE_RT_DIV, 0 }
};
static struct cetane_rt_op op_m16[] = {
	{ CETANE_RT_SIZE, 1 }, { CETANE_RT_CONST, 15 }, { CETANE_RT_ADD, 0 },
	{ CETANE_RT_CONST, 16 }, { CETANE_RT_DIV, 0 }
};
struct cetane_rt_size sizes[2] = {
	{ (char *) "n", false, 0, 0 }, { (char *) "m", false, 0, 0 }
};
struct cetane_rt_array arrays[4] = {
	{ (char *) "A", (char *) "f32", CETANE_RT_INPUT, 4, 2,
		{ { op_n, 1 }, { op_m, 1 } }, 0, 0, 0, { { NULL, 0 } } },
	{ (char *) "B", (char *) "f32", CETANE_RT_OUTPUT, 4, 2,
		{ { op_n, 1 }, { op_m, 1 } }, 0, 0, 0, { { NULL, 0 } } },
	{ (char *) "T", (char *) "f64", CETANE_RT_TEMP, 8, 2,
		{ { op_n1, 3 }, { op_2, 1 } }, 0, 0, 0, { { NULL, 0 } } },
	{ (char *) "U", (char *) "i8", CETANE_RT_TEMP, 1, 1,
		{ { op_m, 1 } }, 0, 0, 0, { { NULL, 0 } } }
};
struct cetane_rt_arg arg0[3] = { { .kind = CETANE_RT_ARG_ARRAY, .index = 0 },
	{ .kind = CETANE_RT_ARG_ARRAY, .index = 2 }, { .kind = CETANE_RT_ARG_SIZE, .index = 0 } };
static struct cetane_rt_arg arg1[] = { { .kind = CETANE_RT_ARG_ARRAY, .index = 2, .offset = 48 },
	{ .kind = CETANE_RT_ARG_ARRAY, .index = 1 }, { .kind = CETANE_RT_ARG_SIZE, .index = 1 } };
struct cetane_rt_kernel kernels[2] = {
	{ (char *) "first", { { op_n32, 5 }, { op_m16, 5 } },
		{ 4, 8 }, { 1, 1 }, 100, 0, arg0, 3, 0, true },
	{ (char *) "second", { { op_n, 1 }, { op_m, 1 } },
		{ 1, 1 }, { 1, 1 }, 60000, 0, arg1, 3, 0, false }
};
static struct cetane_rt_step steps[] = {
	{ CETANE_RT_LAUNCH, 0, 0, NULL, 0 }, { CETANE_RT_LAUNCH, 1, 0, NULL, 0 }
};
struct cetane_rt_record record = { (char *) "pair", sizes, arrays,
	kernels, NULL, steps, 2, 4, 2, 0, 2, 0 };

struct seen seen[2];
static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;

static void note(int k, const struct cetane_host_thread *t, void **args)
{
	int i;

	pthread_mutex_lock(&seen_lock);
	memcpy(seen[k].grid, t->nctaid, sizeof(seen[k].grid));
	memcpy(seen[k].block, t->ntid, sizeof(seen[k].block));
	for (i = 0; i < 3; i++)
		memcpy(&seen[k].arg[i], args[i], 8);
	seen[k].calls++;
	pthread_mutex_unlock(&seen_lock);
}

static void first(struct cetane_host_thread *t, void **args)
{
	note(0, t, args);
}

static void second(struct cetane_host_thread *t, void **args)
{
	note(1, t, args);
}

static const cetane_host_kernel entries[] = { first, second };

const struct cetane_rt_image images[N_IMAGE] = {
	PTX(80), CUBIN(80, 0), CUBIN(90, 1), CUBIN(86, 0), CUBIN(100, 0),
	CUBIN(103, 1), HOST
};

void make(struct cetane_program *p, const struct cetane_rt_image *im,
	int n)
{
	size_t size;

	memset(p, 0, sizeof(*p));
	p->abi = CETANE_RT_ABI;
	p->n_kernel = 2;
	p->container = cetane_rt_image_write(im, n, &size);
	assert_non_null(p->container);
	p->size = size;
	p->kernel = entries;
}

void drop(struct cetane_program *p)
{
	assert_null(p->instance);
	free((void *) (uintptr_t) p->container);
}

/* A program whose first kernel has clusters of this shape. */
void make_clusters(struct cetane_program *p, int cluster0, int cluster1)
{
	int *cluster = kernels[0].cluster;

	cluster[0] = cluster0;
	cluster[1] = cluster1;
	make(p, images, N_IMAGE);
	cluster[0] = cluster[1] = 1;
}
