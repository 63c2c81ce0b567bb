/* One program in all ways at once, for the differential tests.
 *
 * Lines on standard input are arguments of "cetane run": a file and options,
 * and perhaps a word CETANE_DEBUG=.., for this program alone.
 * Each is worked off in a process of its own, which reads the program once and
 * maps it once, and then
 *
 * - runs it on the host device with all checks, in several orders of blocks and
 *   threads, which must agree bit for bit (one with --fp=relaxed),
 * - compares the result with the interpreter, exactly where the order of
 *   operations is that of the text (C, --fp=strict --no-contract), else within
 *   the interpreter's bound,
 * - lowers the same mapping for the ring, runs it, and compares the bits with
 *   those of one thread in the original order (neither optimised by LLVM, which
 *   costs most of the time).
 *
 * Each step of one, such as its compilation, and each launch has 10 seconds of the
 * processor's time, or as many as $DIFFER_SECONDS says. A step that takes more is
 * given up, and the message says what it was; a launch that takes more is a
 * fault, as these programs are small: the answer is HANGS.
 *
 * With "--device=cuda" they run on that device instead, and in the ring. All are
 * worked off in this process then, since a context takes long to create. It
 * ends when a step or a launch has taken 60 seconds.
 *
 * The answer is a line "exit-code length", then "length" bytes: messages, and a
 * line "out NAME COUNT HASH" for each output (the hash of reference.h).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "differ.h"

enum { MOST_WORDS = 64, HANGS = 98, CRASH = 99 };

/* The processor's time is up: say with what. */
static void on_late(int sig)
{
	(void)sig;
	if (write(STDERR_FILENO, differ.doing, strlen(differ.doing)) > 0)
		_exit(differ.launched ? HANGS : TOOL_LIMIT);
	_exit(CRASH);
}

/* The next word of "line", NULL if there is none; the environment takes
 * CETANE_DEBUG=.. .
 */
static char *next_word(char *line)
{
	char *word = strtok(line, " \n");

	while (word && !strncmp(word, "CETANE_DEBUG=", 13)) {
		setenv("CETANE_DEBUG", word + 13, 1);
		word = strtok(NULL, " \n");
	}
	return word;
}

static int work(char *line)
{
	const char *more = getenv("DIFFER_SECONDS");
	char command[] = "cetane", verb[] = "run";
	char *argv[MOST_WORDS + 3] = { command, verb };
	struct tool_options o;
	bool done;
	int argc = 2;

	for (char *w = next_word(line); w && argc < MOST_WORDS;
	     w = next_word(NULL))
		argv[argc++] = w;
	if (more)
		differ.seconds = strtoul(more, NULL, 10);
	if (!differ.gpu)
		signal(SIGXCPU, on_late);
	differ_step("reading");
	if (tool_options_parse(&o, argc, argv, &done) != TOOL_OK)
		return TOOL_USAGE;
	return (int)differ_program(&o);
}

/* Everything that "fd" has to say, of "*len" bytes. */
static char *read_all(int fd, size_t *len)
{
	size_t cap = 4096;
	char *text = malloc(cap);
	ssize_t n;

	*len = 0;
	while ((n = read(fd, text + *len, cap - *len)) > 0 ||
	       (n < 0 && errno == EINTR)) {
		*len += n > 0 ? (size_t)n : 0;
		if (*len == cap)
			text = realloc(text, cap *= 2);
	}
	return text;
}

static void answer(int code, const char *text, size_t len)
{
	printf("%d %zu\n", code, len);
	fwrite(text, 1, len, stdout);
	fflush(stdout);
}

static void serve(char *line)
{
	int fd[2], status = 0;
	size_t len;
	char *text;
	pid_t pid;

	if (pipe(fd) < 0 || (pid = fork()) < 0)
		exit(TOOL_ENVIRONMENT);
	if (pid == 0) {
		dup2(fd[1], STDERR_FILENO);
		close(fd[0]);
		close(fd[1]);
		_exit(work(line));
	}
	close(fd[1]);
	text = read_all(fd[0], &len);
	close(fd[0]);
	waitpid(pid, &status, 0);
	answer(WIFEXITED(status) ? WEXITSTATUS(status) :
		CRASH + WTERMSIG(status), text, len);
	free(text);
}

/* ---------------------------------------------------- serving on a device */

/* Time is up: say with what. */
static void on_alarm(int sig)
{
	char text[64] = "00 00\n";
	int code = differ.launched ? HANGS : TOOL_LIMIT;
	size_t len = strlen(differ.doing);

	(void)sig;
	text[0] = (char)('0' + code / 10);
	text[1] = (char)('0' + code % 10);
	text[3] = (char)('0' + len / 10);
	text[4] = (char)('0' + len % 10);
	memcpy(text + 6, differ.doing, len);
	_exit(write(STDOUT_FILENO, text, 6 + len) < 0);
}

/* Work off "line" in this process; what is said goes to the file "said", whose
 * descriptor is that of standard error. False if that file cannot be had.
 */
static bool serve_here(char *line, FILE *said)
{
	size_t len;
	char *text;
	int code;

	rewind(said);
	if (ftruncate(STDERR_FILENO, 0) < 0)
		return false;
	unsetenv("CETANE_DEBUG");
	code = work(line);
	alarm(0);
	rewind(said);
	text = read_all(STDERR_FILENO, &len);
	answer(code, text, len);
	free(text);
	return true;
}

/* Work off all lines on the device "name". */
static int serve_device(const char *name)
{
	FILE *said = tmpfile();
	char *line = NULL;
	size_t cap = 0;

	differ.gpu_name = name;
	if (!said || cetane_device_open(name, &differ.gpu) != CETANE_OK) {
		fprintf(stderr, "%s: %s\n", name, cetane_last_error());
		return TOOL_ENVIRONMENT;
	}
	dup2(fileno(said), STDERR_FILENO);
	signal(SIGALRM, on_alarm);
	while (getline(&line, &cap, stdin) > 0 && serve_here(line, said))
		;
	free(line);
	cetane_device_close(differ.gpu);
	fclose(said);
	return TOOL_OK;
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t cap = 0;

	tool_keep_numbers();
	if (argc > 1 && !strncmp(argv[1], "--device=", 9))
		return serve_device(argv[1] + 9);
	while (getline(&line, &cap, stdin) > 0)
		serve(line);
	free(line);
	return 0;
}
