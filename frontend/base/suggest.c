/* Edit distance for "did you mean": optimal string alignment, so that two
 * neighbouring letters swapped count as one mistake.
 */
#include <string.h>

#include "frontend/frontend.h"

/* Letters of a word for which something like it is looked for. */
enum { MAX = 32 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The distance between two words of at most MAX letters. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t d[MAX + 1][MAX + 1];
	size_t i, j, change;

	for (i = 0; i <= n; i++)
		d[i][0] = i;
	for (j = 0; j <= m; j++)
		d[0][j] = j;
	for (i = 1; i <= n; i++) {
		for (j = 1; j <= m; j++) {
			change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			d[i][j] = least(change,
				least(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[n][m];
}

struct fe_suggest fe_suggest_begin(const char *word, size_t len)
{
	return (struct fe_suggest){ word, len,
		len < 3 ? 2 : len / 3 + 1 };
}

bool fe_suggest_try(struct fe_suggest *s, const char *candidate)
{
	size_t m = strlen(candidate), d;

	if (s->len > MAX || m > MAX)
		return false;
	d = distance(s->word, s->len, candidate, m);
	if (d >= s->best)
		return false;
	s->best = d;
	return true;
}
