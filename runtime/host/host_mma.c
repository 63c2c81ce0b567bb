/* Host device: matrix instructions of a warp.
 *
 * The lanes call cetane_host_mma with their fragments and wait; when all of a warp
 * do, their fragments are put together as the PTX ISA says ("Matrix Fragments for
 * mma.m16n8k16", "mma.m16n8k8", "mma.m16n8k32"): lane l, with g = l / 4 and t = l % 4,
 * has in element e
 *
 *	16 bits	A[g + 8 (e / 2 % 2)][2 t + e % 2 + 8 (e / 4)], B[2 t + e % 2 + 8 (e / 2)][g]
 *	8 bits	A[g + 8 (e / 4 % 2)][4 t + e % 4 + 16 (e / 8)],
 *		B[4 t + e % 4 + 16 (e / 4)][g]
 *	f64, tf32	A[g + 8 (e % 2)][t + 4 (e / 2)], B[t + 4 e][g]
 *	all	C[g + 8 (e / 2)][2 t + e % 2]
 */
#include <stddef.h>

#include "runtime/host/host.h"

enum { MMA_M = 16, MMA_N = 8, MMA_K = 32, MMA_SUMS = 4 };

/* A and B of a warp. */
struct mma_operands {
	int k;
	double a[MMA_M][MMA_K], b[MMA_K][MMA_N];
};

static bool is_integer(uint32_t kind)
{
	return kind == CETANE_HOST_MMA_S8 || kind == CETANE_HOST_MMA_U8;
}

/* Do four elements fill a register? */
static bool is_bytes(uint32_t kind)
{
	return kind >= CETANE_HOST_MMA_S8;
}

/* Is A (0) or B (1) of "kind", floats of 8 bits, of e4m3? */
static bool is_e4m3(uint32_t kind, int operand)
{
	return kind == CETANE_HOST_MMA_E4M3 || kind == (operand ?
		(uint32_t)CETANE_HOST_MMA_E5M2_E4M3 :
		(uint32_t)CETANE_HOST_MMA_E4M3_E5M2);
}

/* Do eight steps make an instruction? */
static bool is_long(uint32_t kind)
{
	return kind == CETANE_HOST_MMA_F64 || kind == CETANE_HOST_MMA_TF32;
}

/* Element "i" at "at" of A (0) or B (1). */
static double mma_value(uint32_t kind, int operand, const void *at, int i)
{
	if (is_bytes(kind) && !is_integer(kind))
		return is_e4m3(kind, operand) ?
			(double)cetane_host_e4m3_to_f32(((const uint8_t *)at)[i]) :
			(double)cetane_host_e5m2_to_f32(((const uint8_t *)at)[i]);
	if (kind == CETANE_HOST_MMA_S8)
		return ((const int8_t *)at)[i];
	if (kind == CETANE_HOST_MMA_U8)
		return ((const uint8_t *)at)[i];
	if (kind == CETANE_HOST_MMA_F64)
		return ((const double *)at)[i];
	if (kind == CETANE_HOST_MMA_TF32)
		return (double)cetane_host_tf32_to_f32(((const uint32_t *)at)[i]);
	return kind == CETANE_HOST_MMA_BF16 ?
		(double)cetane_host_bf16_to_f32(((const uint16_t *)at)[i]) :
		(double)cetane_host_f16_to_f32(((const uint16_t *)at)[i]);
}

/* Put what "th", lane "l", has of A and B where it belongs. */
static void gather_fragments(struct mma_operands *o, const struct host_thread *th, int l)
{
	const void *a = th->operand[0], *b = th->operand[1];
	int g = l / 4, t = l % 4;

	if (is_long(th->kind)) {
		for (int e = 0; e < 4; e++)
			o->a[g + 8 * (e % 2)][t + 4 * (e / 2)] =
				mma_value(th->kind, 0, a, e);
		for (int e = 0; e < 2; e++)
			o->b[t + 4 * e][g] = mma_value(th->kind, 1, b, e);
		return;
	}
	if (is_bytes(th->kind)) {
		for (int e = 0; e < 16; e++)
			o->a[g + 8 * (e / 4 % 2)][4 * t + e % 4 + 16 * (e / 8)] =
				mma_value(th->kind, 0, a, e);
		for (int e = 0; e < 8; e++)
			o->b[4 * t + e % 4 + 16 * (e / 4)][g] =
				mma_value(th->kind, 1, b, e);
		return;
	}
	for (int e = 0; e < 8; e++)
		o->a[g + 8 * (e / 2 % 2)][2 * t + e % 2 + 8 * (e / 4)] =
			mma_value(th->kind, 0, a, e);
	for (int e = 0; e < 4; e++)
		o->b[2 * t + e % 2 + 8 * (e / 2)][g] = mma_value(th->kind, 1, b, e);
}

/* Add element "e" of lane "l" of the product to "*c", which has its type. */
static void add_product(const struct mma_operands *o, uint32_t kind, int l, int e, void *c)
{
	const double *a = o->a[l / 4 + 8 * (e / 2)];
	int column = 2 * (l % 4) + e % 2;

	for (int k = 0; k < o->k; k++) {
		double b = o->b[k][column];

		if (kind == CETANE_HOST_MMA_F64) {
			double *sum = (double *)c + e;

			*sum = cetane_host_fma(a[k], b, *sum);
		} else if (is_integer(kind)) {
			uint32_t *sum = (uint32_t *)c + e;

			*sum += (uint32_t)((int32_t)a[k] * (int32_t)b);
		} else {
			float *sum = (float *)c + e;

			*sum = cetane_host_fmaf((float)a[k], (float)b, *sum);
		}
	}
}

bool cetane_rt_host_multiply(struct host_thread *const *lane)
{
	struct mma_operands o;

	for (int l = 0; l < HOST_LANES; l++)
		if (!lane[l] || !lane[l]->sum ||
		    lane[l]->kind != lane[0]->kind)
			return false;
	o.k = is_long(lane[0]->kind) ? 8 :
		is_bytes(lane[0]->kind) ? 32 : 16;
	for (int l = 0; l < HOST_LANES; l++)
		gather_fragments(&o, lane[l], l);
	for (int l = 0; l < HOST_LANES; l++)
		for (int e = 0; e < MMA_SUMS; e++)
			add_product(&o, lane[l]->kind, l, e, lane[l]->sum);
	return true;
}
