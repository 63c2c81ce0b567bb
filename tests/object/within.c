/* Call a program that assumes what positions an input holds, on the host device, with
 * positions that are right and with wild ones. Prints "right" at the end.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "on_host.h"
#include "within.h"

enum { T = 1000, V = 7, ROWS = 5, COLUMNS = 3, PITCH = 8 };

static void put(void *to, const void *from, size_t bytes)
{
	check(cetane_copy_to_device(dev, (cetane_ptr) (uintptr_t) to, from, bytes,
		NULL) == CETANE_OK, "copy");
}

static int32_t id[T], at[ROWS * PITCH];
static float x[V], y[T];
static int32_t *in_id, *in_at;
static float *in_x, *out_y, *out_z;

/* What NAME_checked, with a pitch, says of what "id" and "at" hold. */
static int status(void)
{
	put(in_id, id, sizeof(id));
	put(in_at, at, sizeof(at));
	return within_strided_checked(NULL, T, V, ROWS, COLUMNS, in_id, in_at, PITCH,
		in_x, out_y, out_z, COLUMNS, NULL);
}

/* Is the wild position refused by "text"? It is put back. */
static void refuses(int32_t *where, int32_t value, const char *text)
{
	int32_t before = *where;

	*where = value;
	check(status() == CETANE_INVALID_VALUE && strstr(cetane_last_error(), text),
		text);
	*where = before;
}

int main(void)
{
	open_host();
	for (int i = 0; i < V; i++)
		x[i] = (float) (i + 1);
	for (int i = 0; i < T; i++)
		id[i] = i % V;
	for (int i = 0; i < ROWS * PITCH; i++)
		at[i] = i % PITCH < COLUMNS ? i % V : -77;
	in_id = room(sizeof(id));
	in_at = room(sizeof(at));
	in_x = room(sizeof(x));
	out_y = room(sizeof(y));
	out_z = room(ROWS * COLUMNS * sizeof(float));
	put(in_x, x, sizeof(x));
	check(status() == CETANE_OK, "right ones");
	refuses(&id[0], V, "within: id[0] is 7, but the program assumes that it is "
		"from 0 to 6");
	refuses(&id[T - 1], -1, "id[999] is -1,");
	refuses(&id[513], INT32_MIN, "id[513] is -2147483648,");
	refuses(&at[4 * PITCH + 2], 100, "at[4,2] is 100, but");
	refuses(&at[PITCH], -1, "at[1,0] is -1, but");
	id[700] = 9;
	refuses(&id[600], 8, "id[600] is 8,");
	put(in_id, id, sizeof(id));
	check(within(NULL, T, V, ROWS, COLUMNS, in_id, in_at, in_x, out_y, out_z,
		NULL) == CETANE_OK, "without a check");
	check(cetane_copy_from_device(dev, y, (cetane_ptr) (uintptr_t) out_y,
		sizeof(y), NULL) == CETANE_OK, "copy");
	check(cetane_stream_synchronize(dev, NULL) == CETANE_OK, "kernels");
	check(y[699] == (float) (699 % V + 1) && y[700] == 0, "values");
	id[700] = 700 % V;
	check(status() == CETANE_OK, "right ones again");
	check(within_unload() == CETANE_OK, "unload");
	cetane_device_close(dev);
	puts("right");
	return 0;
}
