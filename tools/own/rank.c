/* The rank test of Mann, Whitney and Wilcoxon: do two samples come from one distribution?
 *
 * All values get ranks, equal ones the mean of theirs. If both samples are of one
 * distribution, each choice of "n" of the ranks is as likely as any other; "p" is the
 * share of the choices whose sum is as far from its mean as that of the first sample, or
 * farther. All are counted, by the number of ranks chosen and their sum, so that "p" is
 * exact, with equal values, too. Ranks are doubled to be whole.
 */
#include <stdlib.h>

#include "tools/own/compare.h"

struct value {
	double x;
	bool first;
};

static int compare(const void *a, const void *b)
{
	double x = ((const struct value *)a)->x, y = ((const struct value *)b)->x;

	return (x > y) - (x < y);
}

/* Twice the rank of each of the sorted values; returns twice the sum of the first
 * sample's.
 */
static int find_ranks(const struct value *v, int n, int *rank)
{
	int i, k, j, sum = 0;

	for (i = 0; i < n; i = k) {
		for (k = i; k < n && v[k].x == v[i].x; k++)
			;
		for (j = i; j < k; j++)
			rank[j] = i + 1 + k;
	}
	for (i = 0; i < n; i++)
		sum += v[i].first ? rank[i] : 0;
	return sum;
}

/* The share of the choices of "n" of the "all" ranks whose sum is "off" or more away from
 * its mean. "ways" has room for (n + 1) * (most + 1) numbers of choices, all zero.
 */
static double share(const int *rank, int all, int n, int most, double off,
	double *ways)
{
	double mean = (double)n * (all + 1), far = 0, total = 0;
	int i, k, s;

	ways[0] = 1;
	for (i = 0; i < all; i++)
		for (k = n < i + 1 ? n : i + 1; k > 0; k--)
			for (s = most; s >= rank[i]; s--)
				ways[k * (most + 1) + s] +=
					ways[(k - 1) * (most + 1) + s - rank[i]];
	for (s = 0; s <= most; s++) {
		double w = ways[n * (most + 1) + s], d = s - mean;

		total += w;
		if ((d < 0 ? -d : d) >= off)
			far += w;
	}
	return total > 0 ? far / total : 1;
}

double tool_rank_test(const double *a, int n_a, const double *b, int n_b)
{
	int all = n_a + n_b, most = all * (all + 1), i, sum;
	struct value *v = calloc((size_t)all + 1, sizeof(*v));
	int *rank = calloc((size_t)all + 1, sizeof(*rank));
	double *ways = calloc((size_t)(n_a + 1) * (size_t)(most + 1),
		sizeof(*ways)), p = -1, off;

	for (i = 0; v && i < all; i++)
		v[i] = i < n_a ? (struct value){ a[i], true } :
			(struct value){ b[i - n_a], false };
	if (v && rank && ways) {
		qsort(v, (size_t)all, sizeof(*v), compare);
		sum = find_ranks(v, all, rank);
		off = sum - (double)n_a * (all + 1);
		p = share(rank, all, n_a, most, off < 0 ? -off : off, ways);
	}
	free(v);
	free(rank);
	free(ways);
	return p;
}
