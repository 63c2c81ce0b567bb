/* The compile cache: replies that earlier requests got, in the folder that
 * $CETANE_CACHE_DIR names. Without that variable there is none.
 *
 * An entry is a file whose name is the SHA-256 of all that decides a reply: the build of
 * the compiler, the options, the environment, the assembler, and the program with its
 * name. It has the bytes of the reply (reply.c) and the SHA-256 of these behind them; what
 * does not match is a miss. Entries appear whole, by renaming, and those that were not
 * used for the longest time go when all are larger than $CETANE_CACHE_SIZE. So any number
 * of processes may use one folder.
 *
 * A request is not kept if it reads further files or writes a log.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nvptx/assemble/assemble.h"
#include "tools/lib/cache.h"
#include "tools/lib/base/option.h"

enum { HASH = 64 };
/* Entries end with it; other files in the folder are left alone. */
static const char suffix[] = ".reply";

/* ------------------------------------------------------------------------ keys */

/* A key must change whenever the reply could. What is put in too much only
 * costs a miss.
 */

/* Append an entry of the key; its length keeps two entries from looking like
 * one.
 *
 *	name length data
 */
static void put(struct poly_str *key, const char *name, const void *data,
	size_t size)
{
	poly_str_printf(key, "%s %zu ", name, size);
	poly_str_addn(key, data, size);
	poly_str_add(key, "\n");
}

/* NULL is put like an empty text. */
static void put_text(struct poly_str *key, const char *name, const char *text)
{
	put(key, name, text ? text : "", text ? strlen(text) : 0);
}

/* The build ID in the notes of the module that has this function.
 *
 * A callback for each module of the process. It returns true for this one,
 * which ends the walk.
 */
static int find_build_id(struct dl_phdr_info *info, size_t size, void *user)
{
	uintptr_t here = (uintptr_t)find_build_id;
	const ElfW(Phdr) *p = info->dlpi_phdr, *end = p + info->dlpi_phnum;
	bool is_here = false;

	(void)size;
	for (; p < end; p++)
		is_here = is_here || (p->p_type == PT_LOAD &&
			here - info->dlpi_addr - p->p_vaddr < p->p_memsz);
	for (p = info->dlpi_phdr; is_here && p < end; p++)
		if (p->p_type == PT_NOTE)
			put(user, "note",
				(const void *)(info->dlpi_addr + p->p_vaddr),
				p->p_memsz);
	return is_here;
}

/* The file "path", by what changes when it is replaced; false if there is none.
 *
 * Size and time of the last change.
 */
static bool put_file(struct poly_str *key, const char *name, const char *path)
{
	struct stat st;

	if (!path || stat(path, &st) < 0)
		return false;
	put_text(key, name, path);
	poly_str_printf(key, "%lld %lld.%09ld\n", (long long)st.st_size,
		(long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return true;
}

/* Each item is an entry with the list's name. */
static void put_list(struct poly_str *key, const char *name,
	const struct tool_list *list)
{
	int i;

	for (i = 0; i < list->n; i++)
		put_text(key, name, list->item[i]);
}

/* The value of an option.
 *
 * By its kind, from where the table says that it lies.
 */
static void put_option(struct poly_str *key, const struct tool_options *o,
	const struct tool_option_row *p)
{
	const char *field = (const char *)o + p->offset;

	switch (p->kind) {
	case TOOL_FLAG:
		put(key, p->name, field, sizeof(bool));
		break;
	case TOOL_TEXT:
		put_text(key, p->name, *(const char *const *)(const void *)field);
		break;
	case TOOL_LIST:
		put_list(key, p->name, (const void *)field);
		break;
	case TOOL_COUNT:
	case TOOL_BYTES:
		put(key, p->name, field, sizeof(int64_t));
		break;
	case TOOL_SECONDS:
	case TOOL_PERCENT:
		put(key, p->name, field, sizeof(double));
		break;
	}
}

/* All options of the verb that can change the reply.
 *
 * Those left out decide where things go, how long they may take and how they
 * are shown. Color and format are in the key already (tool_cache_key).
 */
static void put_options(struct poly_str *key, const struct tool_options *o)
{
	static const char *const without[] = { "output", "crash-dir", "color",
		"time-limit", "memory-limit", "format" };
	int i;
	size_t k;

	for (i = 0; i < tool_n_option; i++) {
		const struct tool_option_row *p = &tool_option_row[i];

		for (k = 0; k < sizeof(without) / sizeof(without[0]); k++)
			if (!strcmp(p->name, without[k]))
				break;
		if (k == sizeof(without) / sizeof(without[0]) &&
		    tool_option_is_of(p, o->verb))
			put_option(key, o, p);
	}
}

/* Does the reply depend on nothing but what a key has?
 *
 * A file that is read, such as a header, may change without the key.
 */
static bool may_keep(const struct tool_request *q)
{
	const struct tool_options *o = q->o;
	bool reads = o->config || o->before || o->schedule || (o->tuning && strcmp(o->tuning, "none")) ||
		(tool_has_macros(o) && memmem(q->src->text, q->src->len,
			"include", 7));

	return !reads && !o->dump_after && !o->time_passes && !o->in_process &&
		!o->depfile && !(o->emit & 1u << TOOL_EMIT_RUNTIME) &&
		!(o->emit & (1u << TOOL_EMIT_FATBIN | 1u << TOOL_EMIT_HTML));
}

/* Only PTX and what comes before it needs no assembler.
 *
 * "inspect" may call it for what it reads.
 */
static bool assembles(const struct tool_options *o)
{
	return o->verb == TOOL_INSPECT || o->emit & (1u << TOOL_EMIT_CUBIN |
		1u << TOOL_EMIT_OBJECT);
}

/* False if the request is not to be kept; then nothing was looked up. "key"
 * gets 64 digits and a NUL.
 */
bool tool_cache_key(const struct tool_request *q, char key[TOOL_CACHE_KEY])
{
	static const char *const variable[] = { "CETANE_DEBUG", "CETANE_PTXAS",
		"CETANE_NVJITLINK" };
	const char *folder = getenv("CETANE_CACHE_DIR");
	struct poly_str all = { 0 };
	bool ok = folder && *folder && may_keep(q);
	char *ptxas = NULL;
	size_t i;

	if (!ok)
		return false;
	poly_str_printf(&all, "cetane cache 1 %s verb %d %d %d\n",
		CETANE_VERSION, (int)q->o->verb, q->reply->colored,
		q->reply->json);
	ok = dl_iterate_phdr(find_build_id, &all) &&
		(!q->helper || put_file(&all, "helper", q->helper));
	for (i = 0; i < sizeof(variable) / sizeof(variable[0]); i++)
		put_text(&all, variable[i], getenv(variable[i]));
	/* Where an assembler is needed and none is found, nothing is kept. */
	if (ok && assembles(q->o)) {
		ptxas = nvptx_ptxas_find();
		ok = put_file(&all, "ptxas", ptxas);
		free(ptxas);
	}
	put_options(&all, q->o);
	put_text(&all, "file", q->src->name);
	put(&all, "text", q->src->text, q->src->len);
	ok = ok && !all.failed;
	if (ok)
		tool_sha256(all.s, all.len, key);
	poly_str_free(&all);
	return ok;
}

/* --------------------------------------------------------------------- entries */

/* A file that is being written has another name, so readers see whole entries
 * only.
 */

/* The caller frees it. */
static char *path_of(const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s%s", getenv("CETANE_CACHE_DIR"), name,
		suffix) < 0 ? NULL : path;
}

/* Is the open entry what was written?
 *
 * The hash at the end is compared with that of what stands before it.
 */
static bool is_whole(int fd)
{
	struct stat st;
	char hash[HASH + 1];
	bool whole;
	char *map;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size <= HASH)
		return false;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return false;
	tool_sha256(map, (size_t)st.st_size - HASH, hash);
	whole = !memcmp(map + st.st_size - HASH, hash, HASH);
	munmap(map, (size_t)st.st_size);
	return whole;
}

/* A hit gets the time of now: it was used. What is broken is removed. */
bool tool_cache_read(const char *key, struct tool_reply *reply)
{
	char *path = path_of(key);
	/* Links are not followed: the folder may be shared. */
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	bool found = fd >= 0 && is_whole(fd);

	if (found)
		found = tool_reply_receive(reply, fd);
	if (found)
		utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
	else if (fd >= 0)
		unlink(path);
	if (fd >= 0)
		close(fd);
	free(path);
	return found;
}

/* Write the reply and its hash to "fd", which is empty.
 *
 * The hash is computed over what the file holds, which tells a write that went
 * wrong.
 */
static bool write_entry(int fd, const struct tool_reply *reply)
{
	struct stat st;
	char hash[HASH + 1], *map;

	if (!tool_reply_send(reply, fd) || fstat(fd, &st) < 0 || !st.st_size)
		return false;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return false;
	tool_sha256(map, (size_t)st.st_size, hash);
	munmap(map, (size_t)st.st_size);
	return tool_write(fd, hash, HASH);
}

/* A failure leaves no entry, and is not told: the request itself has succeeded.
 */
void tool_cache_write(const char *key, const struct tool_reply *reply)
{
	const char *folder = getenv("CETANE_CACHE_DIR");
	char *path = path_of(key), *temp = NULL;
	int fd = -1;
	bool ok = false;

	mkdir(folder, 0700);
	if (path && asprintf(&temp, "%s/new-XXXXXX", folder) > 0)
		fd = mkostemp(temp, O_CLOEXEC);
	if (fd >= 0) {
		ok = write_entry(fd, reply);
		ok = close(fd) == 0 && ok;
		ok = ok && rename(temp, path) == 0;
		if (!ok)
			unlink(temp);
	}
	free(temp);
	free(path);
	/* Only a write can make the folder too large. */
	if (ok)
		tool_cache_prune(tool_cache_limit());
}

/* ----------------------------------------------------------------- the folder */

/* K, M or G behind the number stand for 2^10, 2^20 and 2^30 bytes. Without the
 * variable, or with one that is no number, it is 2^30.
 */
int64_t tool_cache_limit(void)
{
	const char *text = getenv("CETANE_CACHE_SIZE");
	char *end;
	long long n = text ? strtoll(text, &end, 10) : 0;

	if (!text || end == text || n < 0)
		return INT64_C(1) << 30;
	return n << (*end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 :
		0);
}

/* May be called for an empty list. */
void tool_cache_free(struct tool_cache_list *list)
{
	int i;

	for (i = 0; i < list->n; i++)
		free(list->entry[i].path);
	free(list->entry);
	*list = (struct tool_cache_list){ 0 };
}

/* Add the file "name" of the folder "folder", if it is an entry.
 *
 * True for a file that is no entry. False without memory.
 */
static bool add_entry(struct tool_cache_list *list, const char *folder,
	const char *name)
{
	struct tool_cache_entry *more, e = { 0 };
	struct stat st;

	if (!tool_ends_with(name, suffix))
		return true;
	more = realloc(list->entry, (size_t)(list->n + 1) * sizeof(*more));
	if (!more)
		return false;
	list->entry = more;
	if (asprintf(&e.path, "%s/%s", folder, name) < 0)
		return false;
	if (lstat(e.path, &st) < 0 || !S_ISREG(st.st_mode)) {
		free(e.path);	/* somebody else's prune was here */
		return true;
	}
	e.size = st.st_size;
	e.used = st.st_mtim;
	list->entry[list->n++] = e;
	list->size += e.size;
	return true;
}

/* The entry that was used longest ago comes first.
 *
 * For qsort().
 */
static int by_use(const void *a, const void *b)
{
	const struct timespec *x = &((const struct tool_cache_entry *)a)->used;
	const struct timespec *y = &((const struct tool_cache_entry *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* A folder that does not exist is empty. Entries are sorted by their last use.
 */
bool tool_cache_read_folder(struct tool_cache_list *list)
{
	const char *folder = getenv("CETANE_CACHE_DIR");
	DIR *d = folder && *folder ? opendir(folder) : NULL;
	const struct dirent *e;
	bool ok = true;

	*list = (struct tool_cache_list){ 0 };
	if (!d)
		return errno == ENOENT;
	while (ok && (e = readdir(d)))
		ok = add_entry(list, folder, e->d_name);
	closedir(d);
	if (list->n)
		qsort(list->entry, (size_t)list->n, sizeof(*list->entry),
			by_use);
	return ok;
}

/* Returns how many were removed. Others may remove at the same time: what is
 * gone already does not count.
 */
int tool_cache_prune(int64_t most)
{
	struct tool_cache_list list;
	int i, n = 0;

	if (!tool_cache_read_folder(&list)) {
		tool_cache_free(&list);
		return 0;
	}
	/* Well below the limit, so that the next write does not do it again. */
	if (list.size > most)
		most -= most / 4;
	for (i = 0; i < list.n && list.size > most; i++) {
		n += unlink(list.entry[i].path) == 0;
		list.size -= list.entry[i].size;
	}
	tool_cache_free(&list);
	return n;
}

/* Returns how many entries were broken; these are gone then. */
int tool_cache_verify(void)
{
	struct tool_cache_list list;
	int i, fd, n = 0;

	tool_cache_read_folder(&list);
	for (i = 0; i < list.n; i++) {
		fd = open(list.entry[i].path,
			O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0)
			continue;
		if (!is_whole(fd))
			n += unlink(list.entry[i].path) == 0;
		close(fd);
	}
	tool_cache_free(&list);
	return n;
}
