/* nvptx: how LLVM ends a process to which the system gives no memory.
 *
 * Some of LLVM's allocations throw, which aborts a program without exceptions;
 * others call a handler, and without one LLVM writes a text and aborts, having
 * cleared errno. With ours, errno says ENOMEM in both cases. The C interface
 * has no function for it, so its C++ name is spelled out; LLVM's major version
 * is pinned.
 */
#include <errno.h>
#include <signal.h>

#include "nvptx/nvptx_internal.h"

extern void install_handler(void (*handler)(void *user, const char *reason,
	bool crash), void *user)
	__asm__("_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");

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
}
