/* What threads of a block wait for when none can go on, as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/host/host.h"

/* Append to "text" of 512 bytes how many of the threads wait as "like" does,
 * or, if that is NULL, exited, and the numbers of the first few. Those threads
 * are taken out of "left".
 */
static void describe(char *text, const struct host_thread **th, char *left,
	unsigned n, const struct host_thread *like)
{
	size_t len = strlen(text);
	char numbers[64] = "";
	unsigned i, count = 0;

	for (i = 0; i < n; i++) {
		size_t used = strlen(numbers);

		if (!left[i] || (like != NULL) != (th[i] != NULL) ||
			(like && (th[i]->barrier != like->barrier ||
			th[i]->exchanges != like->exchanges ||
			!th[i]->bytes != !like->bytes ||
			th[i]->meets != like->meets ||
			th[i]->hears != like->hears)))
			continue;
		left[i] = 0;
		if (count++ < 4)
			snprintf(numbers + used, sizeof(numbers) - used,
				"%s%u", used ? ", " : "", i);
	}
	if (count > 4)
		strcat(numbers, ", ...");
	if (count && like)
		snprintf(text + len, 512 - len, "%s%u of %u threads wait at "
			"%s %u (%s)", len ? ", " : "", count, n,
			like->exchanges ? "exchange" : like->hears ?
			"a word of another block," : like->meets ?
			"barrier of all blocks" : like->bytes ?
			"barrier for copies at byte" : "barrier",
			like->barrier, numbers);
	else if (count)
		snprintf(text + len, 512 - len, "%s%u exited (%s)",
			len ? ", " : "", count, numbers);
}

/* Say which threads wait where, and which are gone. */
void cetane_rt_host_deadlock(struct host_worker *w)
{
	const struct host_thread *waiting[HOST_MAX_THREADS] = { NULL };
	const struct host_launch *launch = w->launch;
	struct host_key key = { FINDING_DEADLOCK, launch->fn->id,
		{ w->barrier, 0 } };
	char left[HOST_MAX_THREADS], text[512] = "";
	unsigned i;

	memset(left, 1, sizeof(left));
	for (i = 0; i < w->n_list; i++)
		if (w->list[i]->waits)
			waiting[w->list[i]->linear] = w->list[i];
	for (i = 0; i < launch->n_thread; i++)
		if (left[i] && waiting[i])
			describe(text, waiting, left, launch->n_thread,
				waiting[i]);
	describe(text, waiting, left, launch->n_thread, NULL);
	cetane_rt_host_find_add(&launch->hd->findings, &key, "deadlock in "
		"kernel %s, block (%u,%u,%u): %s", launch->fn->name,
		w->ctaid[0], w->ctaid[1], w->ctaid[2], text);
}

/* ------------------------------------------------------------------ block */

/* Do all threads of the block wait for the other blocks? */
bool cetane_rt_host_all_meet(const struct host_worker *w)
{
	return w->peer && !w->diverged && w->n_meet == w->launch->n_thread;
}
