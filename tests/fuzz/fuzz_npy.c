/* Fuzz the reader of .npy files, for each element type that a program may
 * ask for. What is accepted is written, and reads again as the same.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "tools/tools.h"

static void need(bool ok)
{
	if (!ok)
		abort();
}

/* tool_write of output.c, of which nothing else is needed. */
bool tool_write(int fd, const void *data, size_t size)
{
	return write(fd, data, size) == (ssize_t)size;
}

static void rewrite(const struct tool_npy *a)
{
	struct tool_npy again;
	int fd = memfd_create("npy", 0);
	off_t size;
	void *text;

	need(fd >= 0 && tool_npy_write(fd, a));
	size = lseek(fd, 0, SEEK_END);
	text = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	need(text != MAP_FAILED);
	need(!tool_npy_read(&again, text, (size_t)size, a->type));
	need(again.n_dim == a->n_dim && again.size == a->size);
	need(!memcmp(again.dim, a->dim, (size_t)a->n_dim * sizeof(*a->dim)));
	need(!memcmp(again.data, a->data, a->size));
	free(again.data);
	munmap(text, (size_t)size);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tool_npy a;
	int type;

	for (type = 0; type < POLY_N_TYPE; type++) {
		if (tool_npy_read(&a, data, size, (enum poly_type)type))
			continue;
		rewrite(&a);
		free(a.data);
	}
	return 0;
}
