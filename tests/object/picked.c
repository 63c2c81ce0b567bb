/* picked LENGTH: load the program fig2 in a context of the fake driver that
 * CETANE_DRIVER names, and write the first LENGTH bytes of the image that the
 * driver got to standard output. Exits with the status of fig2_load, having
 * printed the reason.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "fig2.h"
#include "runtime/cetane_rt.h"
#include "tests/runtime/fake_cuda.h"

int main(int argc, char **argv)
{
	void *driver = dlopen(getenv("CETANE_DRIVER"), RTLD_NOW);
	struct fake_cuda *fake = driver ? dlsym(driver, "fake_cuda") : NULL;
	int status, again;

	if (!fake || argc != 2)
		return 100;
	fake->current = &status;
	status = fig2_load();
	again = fig2_load();
	if (status != CETANE_OK)
		fprintf(stderr, "%s\n", cetane_last_error());
	else
		fwrite(fake->loaded, 1, strtoul(argv[1], NULL, 10), stdout);
	if (again != status || fake->modules != (status == CETANE_OK))
		return 101;
	return fig2_unload() || fake->modules ? 102 : status;
}
