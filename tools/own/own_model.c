/* How far the times that the model predicts are off those that were measured, and where
 * to look if these are long.
 */
#include <math.h>
#include <stdlib.h>

#include "tools/own/own.h"

/* The share of the roofline from which on nobody asks why it is no more. */
#define FAR 0.8

/* Rows of one size, against different rivals, have one time of ours. */
static bool is_first_of_size(const struct tool_bench_result *row, int i)
{
	return !i || !tool_bench_same_size(&row[i - 1].size, &row[i].size);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The least of the "n" numbers of "x", in order, that "part" of them do not exceed. */
static double quantile(const double *x, int n, double part)
{
	int i = (int)ceil(part * n) - 1;

	return x[i < 0 ? 0 : i];
}

/* Errors are parts of the measured time. Nothing is printed where the model knows no
 * time, as of the host device.
 */
void tool_own_print_error(const struct tool_bench_result *row, int n, FILE *out)
{
	double *error = calloc((size_t)n + 1, sizeof(*error));
	int i, k = 0;

	for (i = 0; error && i < n; i++)
		if (row[i].predicted_ms > 0 && row[i].ours_ms > 0 &&
		    is_first_of_size(row, i))
			error[k++] = fabs(row[i].predicted_ms / row[i].ours_ms - 1);
	if (k) {
		qsort(error, (size_t)k, sizeof(*error), compare);
		fprintf(out, "model of time: %d size%s, error %.1f%% in the "
			"median, 90th percentile %.1f%%\n", k, k == 1 ? "" : "s",
			100 * quantile(error, k, .5),
			100 * quantile(error, k, .9));
	}
	free(error);
}

void tool_own_print_limits(const struct tool_bench_result *row, int n, FILE *out)
{
	int i = 0;

	while (i < n && !(row[i].ours_ms > 0 && row[i].roof > 0 &&
			row[i].roof < FAR))
		i++;
	if (i < n)
		fprintf(out, "below %.0f%% of max: cetane inspect --explain, with the "
			"same sizes, says what limits each kernel\n", 100 * FAR);
}
