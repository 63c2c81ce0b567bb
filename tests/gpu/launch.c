/* Launch one kernel of a PTX file, for planting faults under a checker.
 *
 * launch FILE.ptx KERNEL GRIDX GRIDY BLOCKX BLOCKY SHARED ARRAY...
 *
 * An ARRAY is a size in bytes; the kernel gets its address. "+" before the
 * size zeroes the array first, else it stays as allocated. Exit status 1 if a
 * call fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cetane_rt.h"

enum { MOST = 8 };

static int check(const char *what, enum cetane_status s)
{
	if (s != CETANE_OK)
		fprintf(stderr, "%s: %s: %s\n", what, cetane_status_text(s),
			cetane_last_error());
	return s == CETANE_OK;
}

/* The file's text, NUL-terminated. Free it. */
static char *read_text(const char *name, size_t *size)
{
	FILE *in = fopen(name, "rb");
	char *text = NULL;
	long n;

	if (in && !fseek(in, 0, SEEK_END) && (n = ftell(in)) >= 0) {
		rewind(in);
		text = calloc(1, (size_t)n + 1);
		*size = text ? fread(text, 1, (size_t)n, in) + 1 : 0;
	}
	if (in)
		fclose(in);
	return text;
}

static int allocate(struct cetane_device *dev, const char *text,
	cetane_ptr *ptr)
{
	size_t size = strtoul(text + (*text == '+'), NULL, 10);

	if (!check("allocate", cetane_malloc(dev, size, ptr)))
		return 0;
	return *text != '+' ||
		check("zero", cetane_memset(dev, *ptr, 0, size, NULL));
}

static int launch(struct cetane_device *dev, int argc, char **argv)
{
	unsigned n[5], n_array = (unsigned)argc - 8;
	struct cetane_module *mod;
	struct cetane_function *fn;
	cetane_ptr array[MOST];
	size_t bytes[MOST], size = 0;
	void *args[MOST];
	char *text = read_text(argv[1], &size);
	int ok = text && check("load",
		cetane_module_load(dev, text, size, &mod));

	free(text);
	for (int i = 0; i < 5; i++)
		n[i] = (unsigned)strtoul(argv[3 + i], NULL, 10);
	for (unsigned i = 0; ok && i < n_array; i++) {
		ok = allocate(dev, argv[8 + i], &array[i]);
		args[i] = &array[i];
		bytes[i] = sizeof(array[i]);
	}
	return ok && check("function",
			cetane_module_function(mod, argv[2], &fn)) &&
		check("arguments",
			cetane_function_set_args(fn, bytes, (int)n_array)) &&
		check("launch", cetane_launch(fn,
			(unsigned[]){ n[0], n[1], 1 },
			(unsigned[]){ n[2], n[3], 1 }, n[4], NULL, args)) &&
		check("run", cetane_device_synchronize(dev));
}

int main(int argc, char **argv)
{
	struct cetane_device *dev;
	int ok;

	if (argc < 9 || argc > 8 + MOST) {
		fprintf(stderr, "usage: launch FILE.ptx KERNEL GRIDX GRIDY "
			"BLOCKX BLOCKY SHARED ARRAY...\n");
		return 2;
	}
	if (!check("open", cetane_device_open("cuda", &dev)))
		return 1;
	ok = launch(dev, argc, argv);
	cetane_device_close(dev);
	return ok ? 0 : 1;
}
