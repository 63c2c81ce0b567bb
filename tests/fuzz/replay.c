/* Run a fuzz target on files, without a fuzzer.
 *
 * usage: replay FILE-OR-FOLDER...
 *
 * Each file is given to the target once, in memory of exactly its size. A
 * folder stands for the files in it.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static int n_file;

static void fail(const char *what, const char *path)
{
	fprintf(stderr, "replay: %s: %s\n", what, path);
	exit(1);
}

static int replay(const char *path, const struct stat *st, int kind,
	struct FTW *place)
{
	size_t size = (size_t)st->st_size;
	uint8_t *data;
	FILE *file;

	(void)place;
	if (kind == FTW_D)
		return 0;
	file = kind == FTW_F ? fopen(path, "rb") : NULL;
	data = malloc(size ? size : 1);
	if (!file || !data || fread(data, 1, size, file) != size)
		fail("cannot read", path);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	n_file++;
	return 0;
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (nftw(argv[i], replay, 16, FTW_PHYS) != 0)
			fail("cannot walk", argv[i]);
	if (!n_file)
		fail("no files", argc > 1 ? argv[1] : "");
	printf("%d files\n", n_file);
	return 0;
}
