/* nvptx: how many blocks of a kernel run on a multiprocessor at once. */
#include "nvptx/nvptx.h"

/* A multiprocessor has four parts, each with a quarter of the registers; registers
 * go to warps, shared memory to blocks, in units. From compute capability 8.0 on
 * each block takes some shared memory for the system, which those that a block may
 * ask for leave room for once.
 */
enum { PARTS = 4, REGISTER_UNIT = 256, SYSTEM_SHARED = 1024 };

static int round_up(int n, int unit)
{
	return (n + unit - 1) / unit * unit;
}

/* Blocks of "warps" warps for which the registers do. */
static int fit_registers(int warps, int registers)
{
	int each = round_up(registers * POLY_LANES, REGISTER_UNIT);

	if (each * round_up(warps, PARTS) > POLY_REGISTERS)
		return 0;
	return each ? POLY_REGISTERS / PARTS / each * PARTS / warps : POLY_REGISTERS;
}

/* Blocks for which shared memory does, if each takes "shared" bytes; 0 if that
 * is more than a block may have.
 */
static int fit_shared(const struct nvptx_target *target, int shared)
{
	int system = target->cc < 80 ? 0 : SYSTEM_SHARED;
	int unit = target->cc < 80 ? 256 : 128;
	int each = round_up(shared + system, unit);

	if (shared > target->shared_block)
		return 0;
	return each ? (target->shared_block + system) / each : POLY_REGISTERS;
}

struct nvptx_occupancy nvptx_occupancy(const struct nvptx_target *target,
	int threads, int registers, int shared)
{
	int warps = (threads + POLY_LANES - 1) / POLY_LANES;
	struct nvptx_occupancy o = {
		.blocks = target->threads_sm / POLY_LANES / warps,
		.most_warps = target->threads_sm / POLY_LANES, .limit = "threads"
	};
	const struct { int blocks; const char *limit; } other[] = {
		{ fit_registers(warps, registers), "registers" },
		{ fit_shared(target, shared), "shared memory" },
		{ target->blocks_sm, "blocks" }
	};

	for (unsigned i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		if (other[i].blocks >= o.blocks)
			continue;
		o.blocks = other[i].blocks;
		o.limit = other[i].limit;
	}
	o.warps = o.blocks * warps;
	return o;
}
