/* nvptx: target machines, and code from an LLVM module.
 *
 * Code generation rewrites the module that it works on, so it gets a copy:
 * nvptx_print shows the same text before and after. What LLVM has to say on
 * the way (an inline assembly that cannot be matched, say) arrives in the
 * report; only its fatal errors end the process.
 */
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Register the back ends. LLVM has some options for the whole process only.
 * Addresses of shared memory are made 32 bits wide, which saves registers. What
 * the whole tile and its edge have in common at their ends stays in both: moved
 * behind them, it has accesses of one run in two blocks, which are not merged. Whether
 * an array stays in its kernel is looked at to the end: a thread may have hundreds of
 * accesses to elements of its own.
 */
static void initialize(void)
{
	static const char *const option[] = { "cetane", "-nvptx-short-ptr",
		"-sink-common-insts=false",
		"-capture-tracking-max-uses-to-explore=2000" };

	LLVMInitializeNVPTXTargetInfo();
	LLVMInitializeNVPTXTarget();
	LLVMInitializeNVPTXTargetMC();
	LLVMInitializeNVPTXAsmPrinter();
	LLVMInitializeNativeTarget();
	LLVMInitializeNativeAsmPrinter();
	LLVMInitializeNativeAsmParser();
#define HOST(name, llvm, rounds, records, unsigned_char, machine) \
	LLVMInitialize##llvm##TargetInfo(); \
	LLVMInitialize##llvm##Target(); \
	LLVMInitialize##llvm##TargetMC(); \
	LLVMInitialize##llvm##AsmPrinter(); \
	LLVMInitialize##llvm##AsmParser();
#include "nvptx/target/host.def"
#undef HOST
	LLVMParseCommandLineOptions(sizeof(option) / sizeof(*option), option,
		"");
}

void nvptx_initialize(void)
{
	pthread_once(&once, initialize);
}

/* The target machine of "triple", "cpu" and "features"; NULL (reported) if LLVM has none.
 * The caller disposes.
 */
static LLVMTargetMachineRef machine(const char *triple, const char *cpu,
	const char *features, struct poly_report *report)
{
	LLVMTargetMachineRef tm;
	LLVMTargetRef target;
	char *error;

	if (LLVMGetTargetFromTriple(triple, &target, &error)) {
		poly_report_add(report, MSG_NVPTX_LLVM, NULL, error);
		LLVMDisposeMessage(error);
		return NULL;
	}
	tm = LLVMCreateTargetMachine(target, triple, cpu, features,
		LLVMCodeGenLevelAggressive, LLVMRelocPIC,
		LLVMCodeModelDefault);
	if (!tm)
		poly_report_add(report, MSG_NVPTX_LLVM, NULL,
			"no code generator for this target");
	return tm;
}

/* The oldest processor of the architecture of "host", so that the code and its
 * bytes do not depend on the machine that made it. NULL: of this one.
 */
static LLVMTargetMachineRef portable_machine(const struct nvptx_host *host,
	struct poly_report *report)
{
	char *triple = LLVMGetDefaultTargetTriple();
	LLVMTargetMachineRef tm = machine(host ? host->triple : triple, "", "",
		report);

	LLVMDisposeMessage(triple);
	return tm;
}

/* The features "all" of a processor without AVX512DQ: LLVM 22 makes llvm.maximumnum of
 * it, and of two numbers of which it knows that the first is none, a NaN where the
 * second is one (vfpclass, vmax). NULL without memory.
 */
static char *safe_features(const char *all)
{
	static const char without[] = ",-avx512dq";
	struct poly_str s = { 0 };

	poly_str_printf(&s, "%s%s", all, strstr(all, "+avx512dq") ? without : "");
	return s.failed ? NULL : s.s;
}

/* The processor of this machine, with all it has but what LLVM gets wrong. */
static LLVMTargetMachineRef host_machine(struct poly_report *report)
{
	char *triple = LLVMGetDefaultTargetTriple();
	char *cpu = LLVMGetHostCPUName();
	char *features = LLVMGetHostCPUFeatures();
	char *safe = safe_features(features);
	LLVMTargetMachineRef tm = machine(triple, cpu, safe ? safe : "", report);

	LLVMDisposeMessage(triple);
	LLVMDisposeMessage(cpu);
	LLVMDisposeMessage(features);
	free(safe);
	return tm;
}

/* LLVM asks for this version of PTX for products and casts of floats of 8 bits. */
enum { PTX_FLOAT8 = 84 };

/* The machine of "target" with version "ptx" of PTX. */
static LLVMTargetMachineRef gpu_machine(const struct nvptx_target *target, int ptx,
	struct poly_report *report)
{
	char features[16];

	snprintf(features, sizeof(features), "+ptx%d", ptx);
	return machine("nvptx64-nvidia-cuda", target->name, features, report);
}

LLVMTargetMachineRef nvptx_target_machine(const struct nvptx_options *o,
	struct poly_report *report)
{
	nvptx_initialize();
	if (o->device == NVPTX_HOST)
		return o->portable ? portable_machine(o->host, report) :
			host_machine(report);
	return gpu_machine(o->target, o->target->ptx, report);
}

int nvptx_ptx_version(const struct nvptx_module *m)
{
	int version = m->opt.target->ptx;
	const char *name;
	size_t length;

	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f;
	     f = LLVMGetNextFunction(f)) {
		name = LLVMGetValueName2(f, &length);
		if (!strncmp(name, "llvm.nvvm.", 10) && version < PTX_FLOAT8 &&
		    (strstr(name, "e4m3") || strstr(name, "e5m2")))
			version = PTX_FLOAT8;
	}
	return version;
}

/* LLVM's handler of diagnostics; "user" is the report or NULL. */
static void diagnose(LLVMDiagnosticInfoRef info, void *user)
{
	LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
	char *text;

	if (!user || severity > LLVMDSWarning)
		return;
	text = LLVMGetDiagInfoDescription(info);
	if (severity == LLVMDSError)
		poly_report_add(user, MSG_NVPTX_LLVM, NULL, text);
	else
		poly_report_add(user, MSG_NVPTX_LLVM_WARNING, NULL, text);
	LLVMDisposeMessage(text);
}

void nvptx_listen(struct nvptx_module *m, struct poly_report *report)
{
	LLVMContextSetDiagnosticHandler(m->ctx, diagnose, report);
}

LLVMMemoryBufferRef nvptx_emit(struct nvptx_module *m,
	LLVMCodeGenFileType type, struct poly_report *report)
{
	LLVMMemoryBufferRef code = NULL;
	LLVMModuleRef copy = LLVMCloneModule(m->module);
	bool newer = m->opt.device == NVPTX_GPU &&
		nvptx_ptx_version(m) > m->opt.target->ptx;
	LLVMTargetMachineRef tm = newer ? gpu_machine(m->opt.target,
		nvptx_ptx_version(m), report) : m->tm;
	int n_error = report->n_error;
	char *error = NULL;

	nvptx_listen(m, report);
	if (tm && LLVMTargetMachineEmitToMemoryBuffer(tm, copy, type, &error,
			&code)) {
		poly_report_add(report, MSG_NVPTX_LLVM, NULL, error);
		LLVMDisposeMessage(error);
		code = NULL;
	}
	nvptx_listen(m, NULL);
	LLVMDisposeModule(copy);
	if (newer && tm)
		LLVMDisposeTargetMachine(tm);
	if (code && report->n_error > n_error) {
		LLVMDisposeMemoryBuffer(code);
		code = NULL;
	}
	return code;
}

isl_stat nvptx_retarget(struct nvptx_module *m, const struct nvptx_target *t,
	struct poly_report *report)
{
	LLVMTargetMachineRef tm = gpu_machine(t, t->ptx, report);

	if (!tm)
		return isl_stat_error;
	LLVMDisposeTargetMachine(m->tm);
	m->tm = tm;
	m->opt.target = t;
	return isl_stat_ok;
}

isl_stat nvptx_emit_ptx(struct nvptx_module *m, struct poly_str *ptx,
	struct poly_report *report)
{
	LLVMMemoryBufferRef code = nvptx_emit(m, LLVMAssemblyFile, report);

	if (!code)
		return isl_stat_error;
	if (nvptx_begins_early(&m->opt))
		nvptx_add_waits(LLVMGetBufferStart(code), ptx);
	else
		poly_str_addn(ptx, LLVMGetBufferStart(code),
			LLVMGetBufferSize(code));
	LLVMDisposeMemoryBuffer(code);
	return isl_stat_ok;
}
