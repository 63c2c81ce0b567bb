/* libcetane.so with libraries inside that were not made for a shared one: the archives
 * of isl and GMP take the address of libc's stderr as that of a variable beside them.
 * The linker gives them this one (--wrap=stderr), which has the same value.
 */
#include <stdio.h>

extern FILE *__real_stderr;
extern FILE *__wrap_stderr;

__attribute__((visibility("hidden"))) FILE *__wrap_stderr;

__attribute__((constructor)) static void set_stderr(void)
{
	__wrap_stderr = __real_stderr;
}
