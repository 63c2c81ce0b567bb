/* The rates of devices: rows of rate.def. */
#include "polyir/cost/cost.h"

const struct poly_rates poly_rates_h200 = {
#define RATE(name, h200, unit, text) .name = h200,
#include "polyir/cost/rate.def"
#undef RATE
};

const struct poly_rates *poly_rates_of(const struct poly_target *target)
{
	return target->rates ? target->rates : &poly_rates_h200;
}
