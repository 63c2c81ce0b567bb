/* y(b,i,j) += x(b,i,k) * w(b,k,j) in f32 with any strides, on the host device, against
 * plain loops: arrays lie in one another's gaps, batches or rows first; gaps hold NaN
 * before and the same bytes after. And what NAME_strided_checked refuses.
 */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cetane_rt.h"
#include "batches.h"

enum { MOST = 1 << 16 };

static struct cetane_device *dev;
static float before[MOST], after[MOST];
static char owned[MOST];	/* by y */

struct array {
	int64_t at, s[2];	/* of [b][i][j]: at + b * s[0] + i * s[1] + j */
};

static int64_t of(const struct array *a, int64_t b, int64_t i, int64_t j)
{
	int64_t at = a->at + b * a->s[0] + i * a->s[1] + j;

	assert(at >= 0 && at < MOST);
	return at;
}

static void fill(const struct array *a, int64_t n, int64_t r, int64_t c)
{
	for (int64_t b = 0; b < n; b++)
		for (int64_t i = 0; i < r; i++)
			for (int64_t j = 0; j < c; j++)
				before[of(a, b, i, j)] = (float) ((b * 7 + i * 5 +
					j * 3 + a->at) % 11 - 5);
}

static int call(cetane_ptr all, const int64_t n[4], const struct array a[3],
	void *work)
{
	float *base = (float *) all;

	return batches_strided_checked(NULL, n[0], n[1], n[2], n[3],
		base + a[0].at, a[0].s[0], a[0].s[1],
		base + a[1].at, a[1].s[0], a[1].s[1],
		base + a[2].at, a[2].s[0], a[2].s[1], work);
}

/* n: batches, rows, terms, columns; a: x, w, y. */
static void try(const int64_t n[4], const struct array a[3])
{
	int64_t bytes = batches_workspace_size(n[0], n[1], n[2], n[3]);
	cetane_ptr all, work;

	for (int i = 0; i < MOST; i++)
		before[i] = NAN;
	memset(owned, 0, sizeof(owned));
	fill(&a[0], n[0], n[1], n[2]);
	fill(&a[1], n[0], n[2], n[3]);
	assert(cetane_malloc(dev, sizeof(before), &all) == CETANE_OK);
	assert(bytes >= 0 && cetane_malloc(dev, (size_t) bytes, &work) ==
		CETANE_OK);
	assert(cetane_copy_to_device(dev, all, before, sizeof(before), NULL) ==
		CETANE_OK);
	if (call(all, n, a, (void *) work) != CETANE_OK) {
		printf("%s\n", cetane_last_error());
		exit(1);
	}
	assert(cetane_copy_from_device(dev, after, all, sizeof(after), NULL) ==
		CETANE_OK);
	assert(cetane_stream_synchronize(dev, NULL) == CETANE_OK);
	for (int64_t b = 0; b < n[0]; b++)
		for (int64_t i = 0; i < n[1]; i++)
			for (int64_t j = 0; j < n[3]; j++) {
				int64_t at = of(&a[2], b, i, j);
				float want = 0;

				for (int64_t k = 0; k < n[2]; k++)
					want += before[of(&a[0], b, i, k)] *
						before[of(&a[1], b, k, j)];
				owned[at] = 1;
				if (after[at] != want) {
					printf("y[%d][%d][%d] is %g, not %g\n",
						(int) b, (int) i, (int) j,
						after[at], want);
					exit(1);
				}
			}
	for (int i = 0; i < MOST; i++)
		if (!owned[i] && memcmp(&before[i], &after[i], 4)) {
			printf("element %d was written\n", i);
			exit(1);
		}
	assert(cetane_free(dev, all) == CETANE_OK);
	assert(cetane_free(dev, work) == CETANE_OK);
}

static void refused(const int64_t n[4], const struct array a[3], const char *text)
{
	int64_t bytes = batches_workspace_size(n[0], n[1], n[2], n[3]);
	cetane_ptr all, work;
	int s;

	assert(cetane_malloc(dev, sizeof(before), &all) == CETANE_OK);
	assert(cetane_malloc(dev, (size_t) bytes, &work) == CETANE_OK);
	s = call(all, n, a, (void *) work);
	if (s == CETANE_OK || !strstr(cetane_last_error(), text)) {
		printf("%d: %s, not %s\n", s, s == CETANE_OK ? "" :
			cetane_last_error(), text);
		exit(1);
	}
	assert(cetane_free(dev, all) == CETANE_OK);
	assert(cetane_free(dev, work) == CETANE_OK);
}

/* Spoil what is right. */
static void check_refused(const int64_t n[4], const struct array apart[3],
	const struct array columns[3], const struct array heads[3])
{
	struct array bad[3];

	memcpy(bad, columns, sizeof(bad));
	bad[2].at -= 2;
	refused(n, bad, "overlap");
	/* x, y and w side by side, but that w begins in the last column of y */
	memcpy(bad, columns, sizeof(bad));
	bad[2].at = n[2];
	bad[1].at = n[2] + n[3] - 1;
	refused(n, bad, "overlap");
	memcpy(bad, heads, sizeof(bad));
	bad[2].at -= 3;
	refused(n, bad, "overlap");
	memcpy(bad, heads, sizeof(bad));
	bad[2].s[0] = n[3] - 1;
	refused(n, bad, "stride 0 of y is");
	memcpy(bad, apart, sizeof(bad));
	bad[2].s[0] = n[3] + 2;
	refused(n, bad, "elements of y overlap");
	memcpy(bad, apart, sizeof(bad));
	bad[0].s[1] = n[2] - 1;
	refused(n, bad, "the pitch of x is");
	memcpy(bad, apart, sizeof(bad));
	bad[2].s[0] = INT64_C(1) << 40;
	refused(n, bad, "y has");
	memcpy(bad, apart, sizeof(bad));
	bad[2].s[0] = INT64_MAX / 2;
	refused(n, bad, "y is too large for any memory");
}

int main(void)
{
	static const int64_t n[4] = { SIZES };
	const int64_t b = n[0], m = n[1], k = n[2], c = n[3], wide = k + 2 * c + 6;
	/* one behind the other, with gaps behind rows and batches */
	const struct array apart[3] = { { 0, { m * k + 3, k } },
		{ 16384, { k * (c + 1) + 5, c + 1 } },
		{ 32768, { m * (c + 2), c + 2 } } };
	/* all three in the rows of one matrix, batches one behind the other */
	const struct array columns[3] = { { 0, { (m + k) * wide, wide } },
		{ k, { (m + k) * wide, wide } },
		{ k + c + 1, { (m + k) * wide, wide } } };
	/* batches lie within a row, all x, then all w, then all y */
	const struct array heads[3] = { { 0, { k, b * wide } },
		{ b * k, { c + 2, b * wide } },
		{ b * (k + c + 2), { c, b * wide } } };

	assert(cetane_device_open("host", &dev) == CETANE_OK);
	assert(cetane_device_use(dev) == CETANE_OK);
	try(n, apart);
	try(n, columns);
	try(n, heads);
	if (b > 1)
		check_refused(n, apart, columns, heads);
	cetane_device_close(dev);
	printf("right\n");
	return 0;
}
