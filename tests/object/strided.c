/* D = A * B + C in f32 with rows apart, on the host device, for many sizes and pitches,
 * against plain loops: gaps hold NaN before and the same bytes after, and what
 * NAME_strided_checked refuses.
 */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cetane_rt.h"
#include "mm.h"

static struct cetane_device *dev;

/* A matrix of the host and its copy on the device; exactly its bytes. */
struct matrix {
	int64_t n, m, pitch;
	size_t bytes;
	float *host;
	cetane_ptr at;
};

static void make(struct matrix *x, int64_t n, int64_t m, int64_t pitch, unsigned seed)
{
	*x = (struct matrix) { .n = n, .m = m, .pitch = pitch };
	x->bytes = n && m ? (size_t) ((n - 1) * pitch + m) * 4 : 0;
	x->host = malloc(x->bytes + 4);
	for (size_t i = 0; i < x->bytes / 4; i++)
		x->host[i] = (int64_t) i % pitch < m ?
			(float) ((int) (seed = seed * 1103515245 + 12345) >> 24)
			: NAN;
	assert(cetane_malloc(dev, x->bytes, &x->at) == CETANE_OK);
	assert(cetane_copy_to_device(dev, x->at, x->host, x->bytes, NULL) ==
		CETANE_OK);
}

static void drop(struct matrix *x)
{
	assert(cetane_free(dev, x->at) == CETANE_OK);
	free(x->host);
}

/* All values are whole and small, so that any order gives the same bits. */
static void compare(struct matrix *a, struct matrix *b, struct matrix *c,
	struct matrix *d)
{
	float *is = malloc(d->bytes + 4);

	assert(cetane_copy_from_device(dev, is, d->at, d->bytes, NULL) ==
		CETANE_OK);
	assert(cetane_stream_synchronize(dev, NULL) == CETANE_OK);
	for (size_t i = 0; i < d->bytes / 4; i++) {
		int64_t row = (int64_t) i / d->pitch;
		int64_t column = (int64_t) i % d->pitch;
		float want;

		if (column >= d->m) {
			assert(!memcmp(&is[i], &d->host[i], 4));
			continue;
		}
		want = c->host[row * c->pitch + column];
		for (int64_t k = 0; k < a->m; k++)
			want += a->host[row * a->pitch + k] *
				b->host[k * b->pitch + column];
		if (is[i] != want) {
			printf("D[%d][%d] is %g, not %g\n", (int) row,
				(int) column, is[i], want);
			exit(1);
		}
	}
	free(is);
}

static void try(int64_t m, int64_t k, int64_t n, const int64_t more[4])
{
	struct matrix a, b, c, d;
	int64_t bytes = mm_workspace_size(m, k, n);
	cetane_ptr work;

	make(&a, m, k, k + more[0], 1);
	make(&b, k, n, n + more[1], 2);
	make(&c, m, n, n + more[2], 3);
	make(&d, m, n, n + more[3], 4);
	assert(bytes >= 0 && cetane_malloc(dev, (size_t) bytes, &work) ==
		CETANE_OK);
	assert(mm_strided_checked(NULL, m, k, n, (float *) a.at, a.pitch,
		(float *) b.at, b.pitch, (float *) c.at, c.pitch,
		(float *) d.at, d.pitch, (void *) work) == CETANE_OK);
	compare(&a, &b, &c, &d);
	if (!more[0] && !more[1] && !more[2] && !more[3]) {
		assert(mm_checked(NULL, m, k, n, (float *) a.at, (float *) b.at,
			(float *) c.at, (float *) d.at, (void *) work) ==
			CETANE_OK);
		compare(&a, &b, &c, &d);
	}
	drop(&a);
	drop(&b);
	drop(&c);
	drop(&d);
	assert(cetane_free(dev, work) == CETANE_OK);
}

/* Refused with "text" in the reason. */
static void refused(int s, const char *text)
{
	if (s == CETANE_OK || !strstr(cetane_last_error(), text)) {
		printf("%d: %s, not %s\n", s, cetane_last_error(), text);
		exit(1);
	}
}

/* Columns of one matrix as four arrays, and what is not that. */
static void checks(int64_t m, int64_t k, int64_t n)
{
	int64_t bytes = mm_workspace_size(m, k, n), p = k + 3 * n;
	struct matrix all;
	cetane_ptr work;
	float *at;

	make(&all, m > k ? m : k, p, p, 5);
	at = (float *) all.at;
	assert(cetane_malloc(dev, (size_t) bytes, &work) == CETANE_OK);
	assert(mm_strided_checked(NULL, m, k, n, at, p, at + k, p, at + k + n, p,
		at + k + 2 * n, p, (void *) work) == CETANE_OK);
	refused(mm_strided_checked(NULL, m, k, n, at, p, at + k, p, at + k + n,
		p, at + k + 2 * n - 1, p, (void *) work), "C and D overlap");
	refused(mm_strided_checked(NULL, m, k, n, at, p, at + k, p, at + k + n,
		p, at + k - 1, p, (void *) work), "overlap");
	refused(mm_strided_checked(NULL, m, k, n, at, p, at + k, p, at + k + n,
		p, at + k + 2 * n, p - 1, (void *) work), "overlap");
	refused(mm_strided_checked(NULL, m, k, n, at, p + 1, at + k, p + 1,
		at + k + n, p + 1, at + k + 2 * n, p + 1, (void *) work),
		"it needs");
	refused(mm_strided(NULL, m, k, n, at, k - 1, at + k, p, at + k + n, p,
		at + k + 2 * n, p, (void *) work), "the pitch of A is");
	refused(mm_strided(NULL, m, k, n, at, p, at + k, p, at + k + n, p,
		at + k + 2 * n, INT64_C(1) << 31, (void *) work),
		"the pitch of D is 2147483648");
	cetane_free(dev, work);
	drop(&all);
}

int main(void)
{
	static const int64_t more[][4] = { { 0, 0, 0, 0 }, { 1, 2, 3, 5 },
		{ 0, 0, 0, 1 }, { 4, 8, 12, 16 }, { 7, 0, 0, 0 },
		{ 0, 64, 1, 0 } };
	static const int64_t size[][3] = { SIZES };

	assert(cetane_device_open("host", &dev) == CETANE_OK);
	assert(cetane_device_use(dev) == CETANE_OK);
	for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++)
		for (size_t j = 0; j < sizeof(more) / sizeof(more[0]); j++)
			try(size[i][0], size[i][1], size[i][2], more[j]);
	checks(size[0][0], size[0][1], size[0][2]);
	cetane_device_close(dev);
	printf("right\n");
	return 0;
}
