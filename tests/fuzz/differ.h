/* One program in all ways at once: what differ_ways.c does for differ.c. */
#ifndef DIFFER_H
#define DIFFER_H

#include <signal.h>
#include <sys/resource.h>

#include "tools/lib/compile/compile.h"
#include "tools/tools.h"

struct differ {
	/* The device that all programs run on, held open; NULL: the host device. */
	struct cetane_device *gpu;
	const char *gpu_name;
	volatile sig_atomic_t launched;
	/* What is being done, for when time runs out, and the seconds it has. */
	const char *volatile doing;
	rlim_t seconds;
};
extern struct differ differ;

/* From here on "what" is done, and has its time. */
void differ_step(const char *what);

/* Run the program of "o" in all ways; what differs is told. */
enum tool_exit differ_program(struct tool_options *o);

#endif
