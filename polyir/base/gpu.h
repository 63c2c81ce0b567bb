/* What all GPUs of the table of targets have alike. What differs between them is in
 * struct poly_target (polyir/ir/ir.h) and nvptx/target/target.def.
 */
#ifndef POLYIR_GPU_H
#define POLYIR_GPU_H

enum {
	POLY_LANES = 32,		/* threads of a warp */
	POLY_MOST_THREADS = 1024,	/* of a block */
	POLY_MOST_CLUSTER = 8,		/* blocks of a cluster, on any device */
	POLY_GRID_Y = 65535,		/* blocks of a grid along y, or z */
	POLY_REGISTERS = 65536,		/* of a multiprocessor, 32 bits each */
	POLY_THREAD_REGISTERS = 255,	/* of a thread, at most */
	POLY_SHARED_BYTES = 49152,	/* of a block that asks for no more */
	POLY_BANKS = 32,		/* of shared memory */
	POLY_WORD = 4,			/* bytes of a bank's word */
	POLY_SECTOR = 32		/* bytes that memory moves at once */
};

#endif
