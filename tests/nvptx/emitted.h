/* What tests of emission and of assemblers share: a kernel, and the way to PTX. */
#ifndef EMITTED_H
#define EMITTED_H

#include "nvptx/llvm/llvm.h"
#include "nvptx/assemble/assemble.h"

/* s[tid] = x * 2.5; p[tid] = s[31 - tid] */
static const char kernel[] =
	"@s = internal addrspace(3) global [32 x float] poison, align 128\n"
	"declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
	"declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
	"define ptx_kernel void @k(ptr addrspace(1) %p, float %x) #0 {\n"
	"  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
	"  %y = fmul float %x, 2.5\n"
	"  %w = getelementptr float, ptr addrspace(3) @s, i32 %t\n"
	"  store float %y, ptr addrspace(3) %w\n"
	"  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
	"  %u = sub i32 31, %t\n"
	"  %r = getelementptr float, ptr addrspace(3) @s, i32 %u\n"
	"  %v = load float, ptr addrspace(3) %r\n"
	"  %q = getelementptr float, ptr addrspace(1) %p, i32 %t\n"
	"  store float %v, ptr addrspace(1) %q\n"
	"  ret void\n"
	"}\n"
	"attributes #0 = { \"nvvm.reqntid\"=\"32\" }\n";

struct nvptx_options gpu(const char *name);
struct nvptx_module *read_text(const char *text,
	const struct nvptx_options *o, struct poly_report *report);
/* The last message of "report" is number "id" and holds "part"; the report is
 * emptied.
 */
void expect_message(struct poly_report *report, enum poly_msg id,
	const char *part);
void expect_silence(struct poly_report *report);
/* PTX of "text" for "target", through all stages. */
struct poly_str ptx_of(const char *text, const char *target);
bool have_ptxas(void);
void assemble(const struct poly_str *ptx, const char *target,
	struct nvptx_usage *first);

#endif
