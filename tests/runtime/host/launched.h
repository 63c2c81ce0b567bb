/* What tests of launches share. */
#ifndef LAUNCHED_H
#define LAUNCHED_H

#include "rt_test.h"
#include "runtime/device/device.h"
#include "runtime/host/host.h"

/* A launch of "fn" with one pointer, waited for. */
static inline enum cetane_status launch(struct cetane_function *fn, unsigned gx,
	unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, void *pointer)
{
	const unsigned grid[3] = { gx, gy, gz }, block[3] = { bx, by, bz };
	void *args[1] = { &pointer };
	enum cetane_status s = cetane_launch(fn, grid, block, shared, NULL,
		args);

	return s == CETANE_OK ? cetane_device_synchronize(fn->mod->dev) : s;
}

static inline void close_all(struct cetane_function *fn)
{
	struct cetane_device *dev = fn->mod->dev;

	cetane_module_unload(fn->mod);
	cetane_device_close(dev);
}

#endif
