/* nvptx: how LLVM ends a process to which the system gives no memory.
 *
 * Some of LLVM's allocations throw, which writes a text and aborts a program without
 * exceptions; others call a handler, and without one LLVM does the same, having
 * cleared errno. With ours, which allocations that would throw call, too, errno says
 * ENOMEM, and nothing is written. The C interface has no functions for it, so their
 * C++ names are spelled out; LLVM's major version is pinned.
 */
#include <errno.h>
#include <signal.h>

#include "nvptx/llvm/llvm.h"

extern void install_handler(void (*handler)(void *user, const char *reason,
	bool crash), void *user)
	__asm__("_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");
extern void have_new_call_it(void)
	__asm__("_ZN4llvm33install_out_of_memory_new_handlerEv");

/* LLVM's handler for want of memory: end the process, with the reason in errno.
 */
static void end(void *user, const char *reason, bool crash)
{
	(void) user;
	(void) reason;
	(void) crash;
	errno = ENOMEM;
	raise(SIGABRT);
}

void nvptx_abort_without_memory(void)
{
	install_handler(end, NULL);
	have_new_call_it();
}
