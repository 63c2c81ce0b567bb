/* Call a data-parallel function for lengths that agree and for others on the host
 * device. Prints "right" at the end.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lengths.h"
#include "on_host.h"

int main(void)
{
	int32_t x[8] = { 3, 1, 4, 1, 5, 9, 2, 6 }, y[8] = { 0 };
	int32_t *in, *out;

	open_host();
	in = room(sizeof(x));
	out = room(sizeof(y));
	check(cetane_copy_to_device(dev, (cetane_ptr) (uintptr_t) in, x,
		sizeof(x), NULL) == CETANE_OK, "copy");
	check(lengths_checked(NULL, 8, 4, in, out, NULL) == CETANE_OK,
		"half of them");
	check(lengths_checked(NULL, 7, 4, in, out, NULL) == CETANE_OK,
		"less than twice as many");
	check(cetane_copy_from_device(dev, y, (cetane_ptr) (uintptr_t) out,
		sizeof(y), NULL) == CETANE_OK, "copy");
	check(cetane_stream_synchronize(dev, NULL) == CETANE_OK, "kernels");
	check(y[0] == 3 && y[3] == 2, "values");
	check(lengths_checked(NULL, 6, 4, in, out, NULL) ==
		CETANE_INVALID_VALUE && strstr(cetane_last_error(),
		"lengths: was compiled for sizes with"), "a length too short");
	check(lengths_unload() == CETANE_OK, "unload");
	cetane_free(dev, (cetane_ptr) (uintptr_t) in);
	cetane_free(dev, (cetane_ptr) (uintptr_t) out);
	cetane_device_close(dev);
	puts("right");
	return 0;
}
