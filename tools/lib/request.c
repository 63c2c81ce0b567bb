/* Compile in a worker: what it makes comes back through a file in memory. The
 * worker is a fork, or the command of an installed Cetane, which is given the
 * options as its arguments and the program as a file in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/lib/cache.h"
#include "tools/lib/lib.h"
#include "tools/lib/base/page.h"
#include "tools/lib/worker/worker.h"

/* The first argument of a command that is a worker.
 *
 * A command of another version takes it for no worker.
 */
static const char serve_word[] = "--worker=" CETANE_VERSION;

/* What the worker does. "fd" is the file of the reply, -1: none is needed.
 *
 * In the process itself no file is needed: the reply is filled directly.
 */
struct job {
	const struct tool_request *q;
	int fd;
};

/* A comment in front, then the program: the file can be given to the command as
 * it is.
 */
void tool_reproducer(const struct tool_options *o,
	const struct tool_source *src, const struct tool_end *end,
	struct poly_str *out)
{
	const char *mark = o->from == TOOL_FROM_LLVM ? ";" : "#";
	int i;

	poly_str_printf(out, "%s cetane %s: %s: %s\n%s command:", mark,
		CETANE_VERSION, end->stage, end->reason, mark);
	for (i = 0; i < o->args.n; i++)
		poly_str_printf(out, " '%s'", o->args.item[i]);
	poly_str_printf(out, "\n%s %s, %zu bytes:\n", mark, src->name,
		src->len);
	poly_str_addn(out, src->text, src->len);
}

/* ----------------------------------------------------------- in the worker */

/* The worker's messages are not printed by it. They go back with the reply. */

/* Make, and send what was made if there is a file for it.
 *
 * A reply that cannot be sent makes the result useless; a status that is worse
 * already stays.
 */
static enum tool_exit make_and_send(void *user)
{
	const struct job *job = user;
	const struct tool_request *q = job->q;
	struct tool_reply own = { .colored = q->reply->colored,
		.json = q->reply->json };
	struct tool_reply *reply = job->fd < 0 ? q->reply : &own;
	struct tool_ear before = tool_listen(tool_reply_ear(reply));
	enum tool_exit status = tool_make(q->o, q->src, reply);

	tool_listen(before);
	if (job->fd >= 0 && !tool_reply_send(reply, job->fd)) {
		tool_page_error();
		if (status < TOOL_LIMIT)
			status = TOOL_ENVIRONMENT;
	}
	tool_reply_free(&own);
	return status;
}

/* Map the page that the parent has made.
 *
 * The page must be one of ours, and as large as we think. Descriptors that were
 * inherited are not inherited further.
 */
static struct tool_page *adopt_page(void)
{
	struct tool_page *page = mmap(NULL, sizeof(*page),
		PROT_READ | PROT_WRITE, MAP_SHARED, TOOL_FD_PAGE, 0);
	off_t size = lseek(TOOL_FD_PAGE, 0, SEEK_END);
	int fd;

	if (page == MAP_FAILED || size < (off_t)sizeof(*page) ||
	    page->magic != TOOL_PAGE_MAGIC)
		return NULL;
	for (fd = TOOL_FD_PAGE; fd < TOOL_FD_END; fd++)
		if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
			return NULL;
	return page;
}

/* The options that stand behind the word that made this process a worker.
 *
 * The word itself is left out.
 */
static enum tool_exit read_options(struct tool_options *o, int argc,
	char **argv)
{
	enum tool_exit status = tool_args_add(&o->args, argv[0]);
	int i;

	for (i = 2; i < argc && status == TOOL_OK; i++)
		status = tool_args_add(&o->args, argv[i]);
	o->log = STDERR_FILENO;
	if (status == TOOL_OK)
		status = tool_options_read(o);
	if (status == TOOL_OK)
		status = tool_options_check(o);
	return status;
}

/* Be the worker: read the options and the program, which is in a file that is
 * open already, make what they ask for, and send it. The page tells the parent
 * how that goes.
 *
 * "ready" tells the parent that the command is a worker at all.
 */
static enum tool_exit serve(struct tool_page *page, int argc, char **argv)
{
	struct tool_options o;
	struct tool_source src = { 0 };
	struct tool_reply reply = { 0 };
	struct tool_request q = { .o = &o, .src = &src, .reply = &reply };
	struct job job = { &q, TOOL_FD_REPLY };
	enum tool_exit status;

	tool_options_init(&o);
	atomic_store(&page->ready, 1);
	status = read_options(&o, argc, argv);
	/* Wrong options are sent like any other failure. */
	tool_page_enter(page, &o, true);
	if (status == TOOL_OK && !tool_source_read_fd(&src, TOOL_FD_SOURCE))
		status = TOOL_ENVIRONMENT;
	src.name = strcmp(o.file, "-") ? o.file : "<stdin>";
	reply.colored = o.color == TOOL_COLOR_ALWAYS;
	reply.json = o.format == TOOL_FORMAT_JSON;
	if (status == TOOL_OK)
		status = make_and_send(&job);
	status = tool_page_leave(status);
	tool_source_free(&src);
	tool_options_free(&o);
	munmap(page, sizeof(*page));
	return status;
}

/* False if this process is no worker. */
bool tool_serve(int argc, char **argv, enum tool_exit *status)
{
	struct tool_page *page;

	if (argc < 3 || strcmp(argv[1], serve_word))
		return false;
	page = adopt_page();
	*status = page ? serve(page, argc, argv) : TOOL_USAGE;
	return true;
}

/* ----------------------------------------------------------- in the parent */

/* The parent waits for the worker and reads what it has left. */

/* A file in memory that holds "size" bytes, read from its beginning; -1 on
 * failure.
 *
 * Nothing on a disk: the text need not be written anywhere.
 */
static int file_of(const void *data, size_t size)
{
	int fd = memfd_create("cetane", MFD_CLOEXEC);

	if (fd >= 0 && (!tool_write(fd, data, size) ||
			lseek(fd, 0, SEEK_SET) < 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The command line of the helper: its words are not copied.
 *
 * The first words are the helper's name and the one that makes it a worker.
 */
static char **helper_words(const struct tool_request *q)
{
	const struct tool_args *args = &q->o->args;
	char **word = calloc((size_t)args->n + 2, sizeof(*word));
	int i;

	if (!word)
		return NULL;
	word[0] = (char *)(uintptr_t)q->helper;
	word[1] = (char *)(uintptr_t)serve_word;
	for (i = 1; i < args->n; i++)
		word[i + 1] = args->item[i];
	return word;
}

/* Add what the worker has sent; if it broke, messages alone, and a reproducer
 * unless that was at a limit.
 *
 * "end->stage" is set if the worker broke: then outputs are incomplete. Without
 * it the worker ended by itself, and "end->error" says whether handing over
 * failed.
 */
static void conclude(const struct tool_request *q, struct tool_end *end,
	int fd)
{
	struct poly_str text = { 0 };

	if (end->stage) {
		if (fd >= 0)
			tool_reply_receive(q->reply, fd);
		tool_reply_drop_outputs(q->reply);
		if (end->status == TOOL_INTERNAL)
			tool_reproducer(q->o, q->src, end, &text);
		if (text.len && !text.failed)
			tool_reply_add(q->reply, "reproducer", ".txt", text.s,
				text.len);
		poly_str_free(&text);
	} else if (end->error == ENOMEM) {
		poly_memory_note();
		end->status = tool_no_memory("the result");
	} else if (end->error) {
		tool_message(MSG_HAND_OVER, strerror(end->error));
	} else if (fd >= 0 && !tool_reply_receive(q->reply, fd) &&
		   end->status == TOOL_OK) {
		end->status = tool_no_memory("the result");
	}
}

/* Run a worker, a fork or the helper, with a file in memory for its reply, and
 * for the helper one for the program, too. Everything opened is closed again.
 *
 * The worker inherits the files; the parent reads the reply when the worker has
 * ended.
 */
static struct tool_end run_worker(const struct tool_request *q)
{
	struct job job = { q, file_of(NULL, 0) };
	struct tool_work work = { .fn = make_and_send, .user = &job,
		.helper = q->helper, .source = -1, .reply = job.fd,
		.quiet = q->quiet };
	struct tool_end end = { .status = TOOL_ENVIRONMENT };

	if (q->helper) {
		work.argv = helper_words(q);
		work.source = file_of(q->src->text, q->src->len);
	}
	if (job.fd < 0 || (q->helper && (!work.argv || work.source < 0))) {
		tool_message(MSG_WORKER, strerror(errno));
	} else {
		end = tool_work(q->o, &work);
		conclude(q, &end, job.fd);
	}
	free(work.argv);
	if (work.source >= 0)
		close(work.source);
	if (job.fd >= 0)
		close(job.fd);
	return end;
}

/* A request that was answered before comes from the cache; one that succeeds
 * goes there.
 */
struct tool_end tool_request(const struct tool_request *q)
{
	struct job job = { q, -1 };
	struct tool_work work = { .fn = make_and_send, .user = &job };
	struct tool_ear before = tool_listen(tool_reply_ear(q->reply));
	struct tool_end end = { .status = TOOL_OK };
	char key[TOOL_CACHE_KEY];
	bool keep = tool_cache_key(q, key);

	if (keep && tool_cache_read(key, q->reply)) {
		keep = false;
	} else if (q->o->in_process) {
		end = tool_work(q->o, &work);
		conclude(q, &end, -1);
	} else {
		end = run_worker(q);
	}
	if (keep && end.status == TOOL_OK)
		tool_cache_write(key, q->reply);
	tool_listen(before);
	return end;
}
