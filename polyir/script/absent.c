/* In the place of all else in this folder where Lua is not there. */
#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/script/script.h"

isl_stat poly_script(struct poly_prog *prog)
{
	poly_report_add(prog->report, MSG_SCRIPT_NONE, NULL);
	return isl_stat_error;
}
