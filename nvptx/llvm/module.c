/* nvptx: the owner of everything LLVM: context, module, target machine, and
 * with them the launch plan and the table of access sites.
 */
#include <stdlib.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/plan/plan.h"

/* Let the module be for the machine of "m".
 *
 * Layout and triple come from the machine, so that they fit what emits the
 * code.
 */
static void set_target(struct nvptx_module *m)
{
	LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(m->tm);
	char *triple = LLVMGetTargetMachineTriple(m->tm);

	LLVMSetModuleDataLayout(m->module, layout);
	LLVMSetTarget(m->module, triple);
	LLVMDisposeMessage(triple);
	LLVMDisposeTargetData(layout);
}

/* NULL, reported, if LLVM lacks the target or there is no memory. */
struct nvptx_module *nvptx_module_alloc(const char *name,
	const struct nvptx_options *o, struct poly_report *report)
{
	struct nvptx_module *m = calloc(1, sizeof(*m));

	if (!m) {
		poly_report_add(report, MSG_NVPTX_LOWER, NULL, "out of memory");
		return NULL;
	}
	m->opt = *o;
	m->tm = nvptx_target_machine(o, report);
	if (!m->tm)
		return nvptx_module_free(m);
	m->ctx = LLVMContextCreate();
	m->module = LLVMModuleCreateWithNameInContext(name, m->ctx);
	set_target(m);
	return m;
}

/* NULL of NULL. The JIT refers to the module's code, so it goes first; a
 * context outlives its module.
 */
struct nvptx_module *nvptx_module_free(struct nvptx_module *m)
{
	if (!m)
		return NULL;
	if (m->jit && m->jit_free)
		m->jit_free(m->jit);
	if (m->module)
		LLVMDisposeModule(m->module);
	if (m->ctx)
		LLVMContextDispose(m->ctx);
	if (m->tm)
		LLVMDisposeTargetMachine(m->tm);
	nvptx_plan_free(&m->plan);
	for (int i = 0; i < m->n_site; i++)
		free(m->site[i]);
	free(m->site);
	free(m->kernel);
	free(m->tree);
	free(m);
	return NULL;
}

/* NULL before lowering has begun one. */
const struct nvptx_plan *nvptx_module_plan(const struct nvptx_module *m)
{
	return m->has_plan ? &m->plan : NULL;
}

/* The table of access sites of checked code, by number; the module's. */
const char *const *nvptx_sites(const struct nvptx_module *m, int *n)
{
	*n = m->n_site;
	return (const char *const *) m->site;
}
