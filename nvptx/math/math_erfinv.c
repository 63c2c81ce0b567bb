/* nvptx: the inverse of erf.
 *
 *	erfinv(x) = x P(w),  w = -log(1 - x^2) < 4
 *	erfinv(x) = x Q(sqrt(w)) for others
 *
 * x and its logarithm as M. Giles has them (Approximating the erfinv function, GPU
 * Computing Gems, Jade edition, 2011). Here x^2, w and the leading terms of P and Q are
 * sums, and the polynomials are Chebyshev interpolations of erfinv(x) / x: of w / 4,
 * sqrt(w) / 2 - 1 and, where f64 has numbers beyond, sqrt(w) / 2 - 2.
 */
#include "nvptx/math/math_kit.h"

static const struct series near_f32 = {
	0x1.60912d1166e6fp+0, 0, 9, {
		0x1.ff8666cc14d75p-2, -0x1.01f796p-7, -0x1.bb9694p-7,
		0x1.c4cfa2p-9, 0x1.fda3e2p-13, -0x1.462e72p-12, 0x1.4aa142p-15,
		0x1.18d1cap-16, -0x1.5f8d22p-18,
	},
};
static const struct series far_f32 = {
	0x1.6a9efbd613a95p+1, 0, 10, {
		0x1.006dc4eccb64fp+0, 0x1.358442p-7, -0x1.f48312p-8,
		0x1.745bdcp-8, -0x1.d744bep-9, 0x1.8a0b4cp-10, -0x1.15f164p-14,
		-0x1.590572p-12, 0x1.09100ap-13, 0x1.9dc1f8p-19,
	},
};
static const struct series near_f64 = {
	0x1.60912d150286bp+0, 0x1.4947ab55650ffp-54, 21, {
		0x1.ff8666bb1460ep-2, -0x1.01f7f04aa4486p-7,
		-0x1.bb9627a1f1446p-7, 0x1.c4dab7c60c1b2p-9,
		0x1.fcca0b2dd6667p-13, -0x1.471ec4dad4f1cp-12,
		0x1.545098c6b0f89p-15, 0x1.289ea310c6f11p-16,
		-0x1.bb1ad006d5bc4p-18, -0x1.19d63fb8101f1p-22,
		0x1.432a8aa5b20f9p-21, -0x1.7591bd111ba4ap-24,
		-0x1.30b14a08028bfp-25, 0x1.dc175f3d185a7p-27,
		0x1.2cc03edfddccdp-31, -0x1.6487d56249578p-30,
		0x1.9472102eccee9p-33, 0x1.6505a74528768p-34,
		-0x1.f3d00670d37e4p-36, -0x1.76f8da511932ap-39,
		0x1.19d7012504401p-39,
	},
};
static const struct series far_f64 = {
	0x1.6a9efbd66eae6p+1, 0x1.5afad7e5b5fd5p-53, 26, {
		0x1.006dca7a9c22bp+0, 0x1.3582c8114bce4p-7,
		-0x1.f4f1c6f0c1ffp-8, 0x1.7495888ec4f43p-8,
		-0x1.d2754fd1bc00cp-9, 0x1.84f3ed61aca24p-10,
		-0x1.3843103978876p-13, -0x1.28e09e5bb9edap-12,
		0x1.aeffe6d8f19f8p-13, -0x1.85bd9ee618b91p-15,
		-0x1.7fc004fa196dep-16, 0x1.70041f9d55525p-16,
		-0x1.8f16a6087149fp-18, -0x1.bc20c0a6fb44ep-20,
		0x1.0c139b56cbb0fp-19, -0x1.57cdfc48d3bc5p-21,
		-0x1.3e6a900cdadcfp-24, 0x1.5bf8e044bf5d6p-23,
		-0x1.302c054162259p-24, 0x1.ddfa01a01bebp-29,
		0x1.08e9e68adce4ep-26, -0x1.141e1138ee4d1p-27,
		-0x1.5c1343bc0d4d9p-31, 0x1.aaba19dd701f9p-30,
		-0x1.150ea5814ca9cp-33, -0x1.d711a20baa829p-34,
	},
};
static const struct series end_f64 = {
	0x1.3664ddd1ad7fbp+2, -0x1.7c92430cbb7a9p-54, 23, {
		0x1.02a30d1fba10bp+0, -0x1.22ea5df1c819cp-13,
		-0x1.c2f36aa14eb34p-13, 0x1.3ebf4efa2edd2p-14,
		-0x1.4a34904b417fcp-16, 0x1.2fbcfe3afc5e4p-18,
		-0x1.0a902ff17fb2p-20, 0x1.ebe28e9747946p-23,
		-0x1.22396a8be5296p-24, 0x1.f299f14ad8303p-26,
		-0x1.0559a91b38585p-26, 0x1.0c721e494906p-27,
		-0x1.e5fed0aebd831p-29, 0x1.6d30a3d23106p-30,
		-0x1.a053c9feddb76p-32, 0x1.ff47100b593d8p-35,
		0x1.d8a30273a58afp-37, -0x1.f4aaa6a27fcc2p-37,
		0x1.b1418eb1c8404p-38, -0x1.deddf4b3c0a39p-40,
		0x1.e28bc27aea33ap-44, 0x1.6ab4a056fdfc3p-43,
		-0x1.d0d825b5cf258p-45,
	},
};

/* (x - low) / by for a power of two "by", exact where it is small. */
static struct sum from(struct fn *f, struct sum x, double low, double by)
{
	struct sum u;

	u.hi = mul(f, sub(f, x.hi, real(f, low)), real(f, 1 / by));
	u.lo = mul(f, x.lo, real(f, 1 / by));
	return u;
}

/* erfinv(x) / x */
static struct sum factor(struct fn *f, LLVMValueRef x)
{
	struct sum w = exact_product(f, x, neg(f, x)), root, near, far, end;

	w = dd_neg(f, nvptx_log1p(f, w));
	w = fast_sum(f, w.hi, w.lo);
	root = dd_sqrt(f, w);
	near = nvptx_series(f, is_short(f) ? &near_f32 : &near_f64,
		from(f, w, 0, 4));
	far = nvptx_series(f, is_short(f) ? &far_f32 : &far_f64,
		from(f, root, 2, 2));
	if (!is_short(f)) {
		end = nvptx_series(f, &end_f64, from(f, root, 4, 2));
		far = dd_choose(f, compare(f, LLVMRealOLT, root.hi, 4), far,
			end);
	}
	return dd_choose(f, compare(f, LLVMRealOLT, w.hi, 4), near, far);
}

/* At 1 and -1 it is infinite, beyond them there is none. A denormal result rounds once:
 * what is added to it before is a normal number.
 */
LLVMValueRef nvptx_math_erfinv(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef sign, ax = magnitude(f, x, &sign), inside, y, special, tiny;
	const double lift = f->f->lift;
	struct sum p;

	inside = compare(f, LLVMRealOLT, ax, 1);
	p = factor(f, choose(f, inside, ax, real(f, 0)));
	tiny = compare(f, LLVMRealOLT, ax, f->f->normal * lift * lift);
	y = mul(f, ax, choose(f, tiny, real(f, lift), real(f, 1)));
	y = fma3(f, y, p.hi, mul(f, y, p.lo));
	y = mul(f, y, choose(f, tiny, real(f, 1 / lift), real(f, 1)));
	special = choose(f, compare(f, LLVMRealOEQ, ax, 1), real(f, INFINITY),
		real(f, NAN));
	return with_sign(f, choose(f, inside, y, special), sign);
}
