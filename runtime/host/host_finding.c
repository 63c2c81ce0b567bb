/* What the checks found, as text.
 *
 * One fault in a kernel usually shows in thousands of threads; findings with
 * the same kind, kernel and sites are therefore one, and the first is kept.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/host/host.h"

static bool same(const struct host_key *a, const struct host_key *b)
{
	return a->kind == b->kind && a->fn == b->fn &&
		a->site[0] == b->site[0] && a->site[1] == b->site[1];
}

/* Is there a finding of that kind, kernel and sites already? */
static bool known(const struct host_findings *f, const struct host_key *key)
{
	int i;

	for (i = 0; i < f->n_kept; i++)
		if (same(&f->key[i], key))
			return true;
	return false;
}

/* A text that cannot be allocated is counted like those that are not kept. */
void cetane_rt_host_find_add(struct host_findings *f,
	const struct host_key *key, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	pthread_mutex_lock(&f->lock);
	if (!known(f, key)) {
		f->n++;
		va_start(ap, fmt);
		if (f->n_kept < HOST_MAX_FINDINGS &&
			vasprintf(&text, fmt, ap) >= 0) {
			f->key[f->n_kept] = *key;
			f->text[f->n_kept++] = text;
		}
		va_end(ap);
	}
	pthread_mutex_unlock(&f->lock);
}

int cetane_host_findings(struct cetane_device *dev)
{
	struct host_findings *f;
	int n;

	if (!dev || dev->ops != &cetane_rt_host_backend)
		return 0;
	f = &((struct host_device *) dev)->findings;
	pthread_mutex_lock(&f->lock);
	n = f->n;
	pthread_mutex_unlock(&f->lock);
	return n;
}

const char *cetane_host_finding(struct cetane_device *dev, int i)
{
	struct host_findings *f;
	const char *text = NULL;

	if (!dev || dev->ops != &cetane_rt_host_backend)
		return NULL;
	f = &((struct host_device *) dev)->findings;
	pthread_mutex_lock(&f->lock);
	if (i >= 0 && i < f->n)
		text = i < f->n_kept ? f->text[i] :
			"a further finding, not kept";
	pthread_mutex_unlock(&f->lock);
	return text;
}

void cetane_host_clear(struct cetane_device *dev)
{
	struct host_findings *f;
	int i;

	if (!dev || dev->ops != &cetane_rt_host_backend)
		return;
	f = &((struct host_device *) dev)->findings;
	pthread_mutex_lock(&f->lock);
	for (i = 0; i < f->n_kept; i++)
		free(f->text[i]);
	f->n_kept = f->n = 0;
	pthread_mutex_unlock(&f->lock);
}
