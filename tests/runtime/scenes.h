/* Scenes of a program's life, each of which a test plays again and again while one
 * call of the driver fails.
 */
#ifndef SCENES_H
#define SCENES_H

#include "pair.h"
#include "runtime/device/device.h"

/* What a scene works on. Addresses of "context" are contexts. */
struct world {
	struct cetane_program p;
	char context[2];
	struct cetane_device *dev;
	struct cetane_module *mod;
	struct cetane_stream *stream;
	struct cetane_event *event[2];
	cetane_ptr a_at, b_at, work_at;
	int32_t a[PAIR_N], b[PAIR_N];
	_Alignas(256) char work[256];
	bool destroying;	/* in a call that destroys and may say so */
};

/* A scene: the status of the first of its calls that fails, CETANE_OK if none does. */
struct scene {
	const char *name;
	int (*run)(struct world *w);
};
enum { N_SCENE = 10 };
extern const struct scene scenes[N_SCENE];

/* Make "i" the current context of the fake driver; none if it is negative. */
void scene_enter(struct world *w, int i);
/* Launch in the current context; B is computed, or as before. The launch's status. */
int scene_launch(struct world *w, bool checked);
/* Destroy the streams and events that a scene left. */
void scene_drop_work(struct world *w);

#endif
