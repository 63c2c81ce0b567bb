/* The rank test of Mann, Whitney and Wilcoxon: do two samples come from one distribution?
 * And the interval of Hodges and Lehmann: by how much are they apart?
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

/* Count the choices of "n" of the "all" ranks by their sum: "ways" has room for (n + 1) *
 * (most + 1) numbers, all zero. Returns the last row, that of "n" ranks.
 */
static const double *count_ways(const int *rank, int all, int n, int most,
	double *ways)
{
	int i, k, s;

	ways[0] = 1;
	for (i = 0; i < all; i++)
		for (k = n < i + 1 ? n : i + 1; k > 0; k--)
			for (s = most; s >= rank[i]; s--)
				ways[k * (most + 1) + s] +=
					ways[(k - 1) * (most + 1) + s - rank[i]];
	return ways + (ptrdiff_t)n * (most + 1);
}

/* The share of the choices whose sum is "off" or more away from "mean". */
static double share(const double *ways, int most, double mean, double off)
{
	double far = 0, total = 0;
	int s;

	for (s = 0; s <= most; s++) {
		double d = s - mean;

		total += ways[s];
		if ((d < 0 ? -d : d) >= off)
			far += ways[s];
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
		p = share(count_ways(rank, all, n_a, most, ways), most,
			(double)n_a * (all + 1), off < 0 ? -off : off);
	}
	free(v);
	free(rank);
	free(ways);
	return p;
}

/* How many of the least quotients, and as many of the greatest, an interval leaves out:
 * as many as both tails of the sum of ranks have at most "level" of all choices; -1 if
 * even none is too many. All ranks are different here.
 */
static int outside(int n_a, int n_b, double level, int *rank, double *ways)
{
	int all = n_a + n_b, most = all * (all + 1), least = n_a * (n_a + 1) / 2;
	const double *way;
	double total = 0, tail = 0;
	int i, s, n = -1;

	for (i = 0; i < all; i++)
		rank[i] = i + 1;
	way = count_ways(rank, all, n_a, most, ways);
	for (s = 0; s <= most; s++)
		total += way[s];
	for (s = least; s <= most && 2 * (tail += way[s]) <= level * total; s++)
		n++;
	return n;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void tool_rank_sort(double *x, int n)
{
	qsort(x, (size_t)n, sizeof(*x), by_value);
}

/* The interval is that of Hodges and Lehmann, of the logarithms: a factor is in it if "b"
 * divided by that factor does not differ from "a" at the level.
 */
bool tool_rank_interval(const double *a, int n_a, const double *b, int n_b,
	double level, double *low, double *high)
{
	int all = n_a + n_b, most = all * (all + 1), i, n = -1;
	int pairs = n_a * n_b;
	double *quotient = calloc((size_t)pairs + 1, sizeof(*quotient));
	int *rank = calloc((size_t)all + 1, sizeof(*rank));
	double *ways = calloc((size_t)(n_a + 1) * (size_t)(most + 1),
		sizeof(*ways));

	if (quotient && rank && ways)
		n = outside(n_a, n_b, level, rank, ways);
	if (n >= 0) {
		for (i = 0; i < pairs; i++)
			quotient[i] = b[i / n_a] / a[i % n_a];
		tool_rank_sort(quotient, pairs);
		*low = quotient[n];
		*high = quotient[pairs - 1 - n];
	}
	free(quotient);
	free(rank);
	free(ways);
	return n >= 0;
}
