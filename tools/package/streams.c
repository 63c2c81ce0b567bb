/* libcetane.so with libraries inside that were not made for a shared one: the archives
 * of isl, GMP and Lua take the addresses of libc's stdin, stdout and stderr as those of
 * variables beside them. The linker gives them these (--wrap), which have the same
 * values.
 */
#include <stdio.h>

#define HIDDEN __attribute__((visibility("hidden")))

extern FILE *__real_stdin, *__real_stdout, *__real_stderr;
extern FILE *__wrap_stdin, *__wrap_stdout, *__wrap_stderr;

HIDDEN FILE *__wrap_stdin;
HIDDEN FILE *__wrap_stdout;
HIDDEN FILE *__wrap_stderr;

__attribute__((constructor)) static void set_streams(void)
{
	__wrap_stdin = __real_stdin;
	__wrap_stdout = __real_stdout;
	__wrap_stderr = __real_stderr;
}
