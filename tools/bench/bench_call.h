/* What the rows of bench_form.def name: calls of libraries and references.
 *
 * A call launches what the form computes on the arrays "ptr"; what it prepares
 * before, outside the time that is taken, is in the plan of the libraries. A
 * reference gives element "i" of output "out", computed in f64, with a bound
 * for the rounding errors of any order of summation.
 */
#ifndef TOOLS_BENCH_CALL_H
#define TOOLS_BENCH_CALL_H

#include "tools/bench/bench.h"

/* ------------------------------------------------------------ bench_call.c */

/* Free what was prepared for a row. */
void tool_library_forget(struct tool_libraries *l);

tool_bench_call tool_call_gemm_nn, tool_call_gemm_tn, tool_call_gemm_nt,
	tool_call_gemm_tt, tool_call_gemm_scaled, tool_call_bias_relu,
	tool_call_lt, tool_call_gemv_n, tool_call_gemv_t,
	tool_call_chain, tool_call_chain_relu, tool_call_p_gemm,
	tool_call_p_gemver, tool_call_p_gesummv, tool_call_p_symm,
	tool_call_p_syrk, tool_call_p_syr2k, tool_call_p_trmm;
tool_bench_call tool_prepare_bias_relu, tool_prepare_lt, tool_prepare_chain;

/* ------------------------------------------------------- bench_reference.c */

typedef struct tool_bench_value tool_bench_reference(
	const struct tool_bench_data *d, const int64_t *n, int out, int64_t i);
tool_bench_reference tool_ref_gemm_nn, tool_ref_gemm_tn, tool_ref_gemm_nt,
	tool_ref_gemm_tt, tool_ref_gemm_scaled, tool_ref_bias_relu,
	tool_ref_gemv_n, tool_ref_gemv_t, tool_ref_min_plus,
	tool_ref_distance, tool_ref_weighted, tool_ref_batch,
	tool_ref_four, tool_ref_chain, tool_ref_chain_relu,
	tool_ref_relu, tool_ref_add, tool_ref_row,
	tool_ref_column, tool_ref_chained, tool_ref_rows,
	tool_ref_columns, tool_ref_row_max, tool_ref_transpose,
	tool_ref_p_gemm, tool_ref_p_gemver, tool_ref_p_gesummv,
	tool_ref_p_symm, tool_ref_p_syrk, tool_ref_p_syr2k,
	tool_ref_p_trmm;

#endif
