/* What the loops of a statement count, as the text of a map of isl's.
 *
 *	"{ S1[s, i] -> [s, s + i] }"
 *
 * It has a value for each loop around the statement, from outside to inside, of each of its
 * instances. Two instances may not have the same values. What runs before what is asked
 * of the dependences then, as of any command.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/map.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

/* The text of "map" in quotes, with the sizes in front of it that it may name. */
static void quote(const struct poly_prog *prog, const char *map,
	struct poly_str *out)
{
	poly_str_add(out, "\"");
	if (map[strspn(map, " \t\n")] == '{') {
		poly_str_add(out, "[");
		for (int i = 0; i < prog->n_param; i++)
			poly_str_printf(out, "%s%s", i ? ", " : "",
				prog->param[i].name);
		poly_str_add(out, "] -> ");
	}
	for (const char *at = map; *at; at++)
		poly_str_addn(out, *at == '"' || *at == '\n' ? " " : at, 1);
	poly_str_add(out, "\"");
}

/* The map that "text" is; NULL, having said why, if it is none. */
static __isl_give isl_map *read_map(struct poly_prog *prog, const char *text,
	struct poly_refusal *why)
{
	struct poly_report report = { 0 };
	struct poly_str quoted = { 0 };
	struct poly_scan scan;
	isl_map *map = NULL;

	quote(prog, text, &quoted);
	if (quoted.s && !quoted.failed && poly_scan_start(&scan, prog->ctx,
	    quoted.s, quoted.len, &report)) {
		if (poly_scan_line(&scan))
			map = poly_scan_map(&scan);
		poly_scan_free(&scan);
	}
	if (!map)
		poly_refuse(why, "%s", report.n_msg ? report.msg[0].text :
			"the map cannot be read");
	poly_report_free(&report);
	poly_str_free(&quoted);
	return map;
}

/* Is "map" one of instances of "leaf", to a number for each of "n" loops? */
static bool is_of(const struct poly_item *leaf, __isl_keep isl_map *map, int n,
	struct poly_refusal *why)
{
	const char *name = isl_map_get_tuple_name(map, isl_dim_in);
	int n_dim = isl_set_dim(leaf->domain, isl_dim_set);

	if (name && !strcmp(name, leaf->stmt->name) &&
	    isl_map_dim(map, isl_dim_in) == n_dim &&
	    isl_map_dim(map, isl_dim_out) == n &&
	    isl_map_has_tuple_name(map, isl_dim_out) != isl_bool_true)
		return true;
	poly_refuse(why, "the map is not one of statement %s with %d dimensions to %d "
		"values, one for each loop", leaf->stmt->name, n_dim, n);
	return false;
}

/* Does "map" have a value for each of "instances", and no two of them the same? */
static bool fits(__isl_keep isl_map *map, __isl_keep isl_set *instances,
	struct poly_refusal *why)
{
	isl_set *have = isl_map_domain(isl_map_copy(map));
	bool all = isl_set_is_subset(instances, have) == isl_bool_true;

	isl_set_free(have);
	if (all && isl_map_is_single_valued(map) == isl_bool_true &&
	    isl_map_is_injective(map) == isl_bool_true)
		return true;
	poly_refuse(why, all ? "the map has several values for one instance, or one "
		"for several" : "there are instances that the map does not have");
	return false;
}

bool poly_do_map(struct poly_plan *plan, struct poly_item *leaf, const char *text,
	struct poly_refusal *why)
{
	struct poly_item *loop[POLY_MOST_LOOPS];
	int n = poly_leaf_loops(leaf, loop);
	isl_map *map = read_map(plan->prog, text, why);
	isl_pw_multi_aff *at;
	isl_set *domain;
	bool ok;

	if (!map || !is_of(leaf, map, n, why)) {
		isl_map_free(map);
		return false;
	}
	domain = isl_set_intersect_params(isl_set_copy(leaf->domain),
		isl_set_copy(plan->prog->context));
	map = isl_map_intersect_domain(map, isl_set_copy(domain));
	ok = fits(map, domain, why);
	for (int i = 0; i < n && ok; i++)
		if (loop[i]->role || loop[i]->unroll) {
			poly_refuse(why, "loop '%s' is one of blocks or threads, or "
				"written out", loop[i]->name);
			ok = false;
		}
	at = ok ? isl_pw_multi_aff_gist(isl_pw_multi_aff_from_map(map), domain) :
		NULL;
	for (int i = 0; i < n && ok; i++) {
		isl_pw_aff_free(loop[i]->at[leaf->number]);
		loop[i]->at[leaf->number] = isl_pw_multi_aff_get_pw_aff(at, i);
		loop[i]->tile = 0;
		loop[i]->step = 1;
	}
	if (ok)
		isl_pw_multi_aff_free(at);
	else
		isl_map_free(map);
	if (!ok)
		isl_set_free(domain);
	return ok;
}
