/* What can be read from a cubin, an ELF file of NVIDIA's. */
#ifndef TOOLS_CUBIN_H
#define TOOLS_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOOL_CUBIN_KERNELS = 256 };

struct tool_cubin_kernel {
	char name[256];
	unsigned index;		/* of its symbol */
	int64_t registers, stack, shared, constant;	/* -1: not said */
};
struct tool_cubin {
	int capability;		/* 90: 9.0 */
	char arch[16];		/* "sm_90a" as the assembler was told, or "" */
	char release[16];	/* of the assembler: "13.0", or "" */
	struct tool_cubin_kernel kernel[TOOL_CUBIN_KERNELS];
	int n_kernel;
};

/* True if the bytes are a cubin as far as their first ones tell. */
bool tool_is_cubin(const void *data, size_t size);
/* Read "size" bytes, which may be anything; false if they are damaged. */
bool tool_cubin_read(const void *data, size_t size, struct tool_cubin *c);

#endif
