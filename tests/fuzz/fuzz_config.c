/* Fuzz the reader of --config, and the judgement of blocks that it has read. */
#include <stdlib.h>

#include "fuzz.h"
#include "polyir/polyir.h"

/* Ask what the configuration says about the kernel and the array of the seeds;
 * a block that passes for values of one word has no more points a thread than
 * registers.
 */
static void ask(isl_ctx *ctx, struct poly_config *config,
	struct poly_report *report)
{
	const struct poly_work w = { .words = 1 };
	struct poly_prog *prog = poly_prog_alloc(ctx, "p", report);
	struct poly_block b;

	if (!prog)
		abort();
	prog->request.config = config;
	if (poly_config_parts(prog, "C") < 0)
		abort();
	if (poly_config_block(prog, "k", &b) && !poly_block_fault(&b, &w) &&
	    (b.tile[0] / b.thread[0] > POLY_ACCUMULATOR_WORDS ||
	     b.tile[1] / b.thread[1] > POLY_ACCUMULATOR_WORDS))
		abort();
	if ((poly_config_check(prog) == isl_stat_ok) !=
	    !report->n_error)
		abort();
	poly_prog_free(prog);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	isl_ctx *ctx = poly_ctx_alloc();
	struct poly_report report = { 0 };
	struct poly_config *config;

	if (!ctx)
		abort();
	config = poly_config_read(ctx, (const char *)data, size, &report);
	if (!config != (report.n_error > 0))
		abort();
	if (config)
		ask(ctx, config, &report);
	poly_config_free(config);
	poly_report_free(&report);
	if (!poly_ctx_free(ctx))
		abort();
	return 0;
}
