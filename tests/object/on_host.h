/* What programs that call an object on the host device share: the device, memory of it, and
 * the end where something is not as it should be.
 */
#ifndef ON_HOST_H
#define ON_HOST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/cetane_rt.h"

static struct cetane_device *dev;

/* End the program with "what" unless it holds. */
static inline void check(int holds, const char *what)
{
	if (holds)
		return;
	printf("%s: %s\n", what, cetane_last_error());
	exit(1);
}

/* Use the host device, as "dev". */
static inline void open_host(void)
{
	check(cetane_device_open("host", &dev) == CETANE_OK, "device");
	check(cetane_device_use(dev) == CETANE_OK, "device");
}

/* New memory of the device. */
static inline void *room(size_t bytes)
{
	cetane_ptr p;

	check(cetane_malloc(dev, bytes, &p) == CETANE_OK, "allocation");
	return (void *) (uintptr_t) p;
}

#endif
