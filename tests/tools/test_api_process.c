/* The library and its process: the worker that is executed, a fork, and none; that
 * nothing is printed, left open or changed; several threads.
 */
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "builds.h"

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* ----------------------------------------------------------------- workers */

static void break_at(const char *where)
{
	if (where)
		setenv("CETANE_TEST_CRASH", where, 1);
	else
		unsetenv("CETANE_TEST_CRASH");
}

static void check_limits(void)
{
	struct cetane_build *b = new_build(fig2);
	const struct cetane_output *out;

	set(b, "time-limit", "0.2");
	break_at("poly_compile:spin");
	fails(b, CETANE_BUILD_LIMIT, 557, "poly_compile");
	set(b, "time-limit", "60");
	setenv("CETANE_TEST_SLEEP", "0.9", 1);
	break_at("poly_compile:hang");
	fails(b, CETANE_BUILD_LIMIT, 459, "poly_compile");
	unsetenv("CETANE_TEST_SLEEP");
	break_at("nvptx_opt:abort");
	fails(b, CETANE_BUILD_INTERNAL, 901, "nvptx_opt: killed by signal 6");
	out = cetane_build_find(b, "reproducer");
	assert_non_null(out);
	assert_non_null(strstr(out->data, fig2));
	break_at("nvptx_opt:exit");
	fails(b, CETANE_BUILD_INTERNAL, 901, "ended with exit code 0");
	if (!SANITIZED) {
		set(b, "memory-limit", "256M");
		break_at("fe_lower:memory");
		fails(b, CETANE_BUILD_LIMIT, 558, "256 MiB");
	}
	break_at(NULL);
	set(b, "memory-limit", "8G");
	assert_int_equal(cetane_build_run(b), CETANE_BUILD_OK);
	assert_int_equal(cetane_build_messages(b), 0);
	cetane_build_free(b);
}

static void test_limits(void **state)
{
	(void)state;
	use_helper(false);
	check_limits();
	use_helper(true);
	check_limits();
}

/* A program that sleeps, whatever its arguments are. */
static void make_sleeper(char *path)
{
	static const char text[] = "#!/bin/sh\nexec sleep 100000\n";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	assert_int_equal(fchmod(fd, 0700), 0);
	close(fd);
}

static void test_no_helper(void **state)
{
	struct cetane_build *b = new_build(fig2);
	char sleeper[] = "/tmp/cetane-api-XXXXXX";

	(void)state;
	setenv("CETANE_WORKER", "/no/such/file", 1);
	fails(b, CETANE_BUILD_ENVIRONMENT, 555, "No such file");
	setenv("CETANE_WORKER", "/bin/true", 1);
	fails(b, CETANE_BUILD_ENVIRONMENT, 555, "not the command cetane");
	setenv("CETANE_WORKER", "/bin/cat", 1);
	fails(b, CETANE_BUILD_ENVIRONMENT, 555, "not the command cetane");
	make_sleeper(sleeper);
	setenv("CETANE_WORKER", sleeper, 1);
	setenv("CETANE_TEST_SLEEP", "0.9", 1);
	fails(b, CETANE_BUILD_LIMIT, 459, "slept for 0.9 s");
	unsetenv("CETANE_TEST_SLEEP");
	unlink(sleeper);
	use_helper(true);
	cetane_build_free(b);
}

/* Whoever ignores SIGCHLD learns less of a crash, and nothing else. */
static void test_sigchld(void **state)
{
	struct cetane_build *b = new_build(fig2);

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(cetane_build_run(b), CETANE_BUILD_OK);
	set(b, "emit", "object");
	break_at("nvptx_opt:signal");
	fails(b, CETANE_BUILD_INTERNAL, 901, "nvptx_opt");
	break_at(NULL);
	assert_int_equal(cetane_build_run(b), CETANE_BUILD_OK);
	signal(SIGCHLD, SIG_DFL);
	cetane_build_free(b);
}

/* ------------------------------------------------------- nothing is touched */

static int count_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* All that may go wrong in one build. */
static void build_all_ways(void)
{
	static const char *const how[] = { "", "fe_lower:abort",
		"nvptx_opt:exit" };
	size_t i;

	for (i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		struct cetane_build *b = new_build(i ? fig2 : "Params N,;");

		break_at(how[i]);
		assert_int_not_equal(cetane_build_run(b), CETANE_BUILD_OK);
		break_at(NULL);
		set(b, "dump-after", "all");
		set(b, "time-passes", NULL);
		cetane_build_run(b);
		cetane_build_free(b);
	}
}

static void test_silence(void **state)
{
	struct sigaction before[NSIG], after[NSIG];
	FILE *f = tmpfile();
	int saved[2], sig, files;

	(void)state;
	assert_non_null(f);
	fflush(NULL);
	memset(before, 0, sizeof(before));
	memset(after, 0, sizeof(after));
	for (sig = 1; sig < NSIG; sig++)
		sigaction(sig, NULL, &before[sig]);
	for (int fd = 1; fd <= 2; fd++) {
		saved[fd - 1] = dup(fd);
		dup2(fileno(f), fd);
	}
	files = count_files();
	use_helper(false);
	build_all_ways();
	use_helper(true);
	build_all_ways();
	fflush(NULL);
	for (int fd = 1; fd <= 2; fd++) {
		dup2(saved[fd - 1], fd);
		close(saved[fd - 1]);
	}
	files -= count_files();
	assert_int_equal(files, 2);	/* the two saved are closed */
	for (sig = 1; sig < NSIG; sig++) {
		sigaction(sig, NULL, &after[sig]);
		assert_ptr_equal(before[sig].sa_handler,
			after[sig].sa_handler);
	}
	fseek(f, 0, SEEK_END);
	assert_int_equal(ftell(f), 0);
	fclose(f);
}

static void check_log(bool in_process)
{
	struct cetane_build *b = new_build(fig2);
	char text[1 << 16];
	FILE *f = tmpfile();

	assert_non_null(f);
	set(b, "dump-after", "schedule");
	set(b, "time-passes", NULL);
	if (in_process)
		set(b, "in-process", NULL);
	cetane_build_log(b, fileno(f));
	assert_int_equal(cetane_build_run(b), CETANE_BUILD_OK);
	rewind(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	assert_non_null(strstr(text, "# after schedule\n"));
	assert_non_null(strstr(text, " ms  nvptx_lower\n"));
	fclose(f);
	cetane_build_free(b);
}

static void test_log(void **state)
{
	(void)state;
	check_log(true);
	use_helper(false);
	check_log(false);
	use_helper(true);
	check_log(false);
}

/* Builds in a row keep neither memory (which the sanitizer sees) nor files. */
static void test_many(void **state)
{
	int i, files = count_files();

	(void)state;
	for (i = 0; i < 18; i++) {
		struct cetane_build *b = new_build(fig2);

		if (i % 3)
			set(b, "in-process", NULL);
		use_helper(i % 2);
		if (i % 4 == 3) {
			set(b, "arch", "sm_1");
			fails(b, CETANE_BUILD_USAGE, 603, "sm_1");
		} else {
			assert_int_equal(cetane_build_run(b),
				CETANE_BUILD_OK);
		}
		cetane_build_free(b);
	}
	use_helper(true);
	assert_int_equal(count_files(), files);
}

/* ----------------------------------------------------------------- threads */

enum { N_THREAD = 6, N_EACH = 2 };

static char *wanted;	/* the PTX */

/* Build in the worker and in the process; NULL if all was right. */
static void *build_in_thread(void *user)
{
	uintptr_t number = (uintptr_t)user;
	const char *wrong = NULL;
	int i;

	for (i = 0; i < N_EACH && !wrong; i++) {
		struct cetane_build *b = cetane_build_new("fig2.dsl", fig2,
			sizeof(fig2) - 1);
		const struct cetane_output *out;

		if ((number + (uintptr_t)i) % 2)
			cetane_build_set(b, "in-process", NULL);
		if (cetane_build_run(b) != CETANE_BUILD_OK)
			wrong = "a build failed";
		out = cetane_build_find(b, "ptx");
		if (!out || strcmp(out->data, wanted))
			wrong = "the PTX is not that of one thread";
		cetane_build_set(b, "arch", "sm_81");
		if (cetane_build_run(b) != CETANE_BUILD_USAGE ||
		    cetane_build_messages(b) != 1)
			wrong = "a message went elsewhere";
		cetane_build_free(b);
	}
	return (void *)(uintptr_t)wrong;
}

static void run_threads(void)
{
	pthread_t thread[N_THREAD];
	void *wrong;
	uintptr_t i;

	for (i = 0; i < N_THREAD; i++)
		assert_int_equal(pthread_create(&thread[i], NULL,
			build_in_thread, (void *)i), 0);
	for (i = 0; i < N_THREAD; i++) {
		pthread_join(thread[i], &wrong);
		if (wrong)
			fail_msg("%s", (const char *)wrong);
	}
}

/* With no helper this fails; what is wrong if it does not. */
static void *build_without_helper(void *user)
{
	struct cetane_build *b = cetane_build_new("fig2.dsl", fig2,
		sizeof(fig2) - 1);
	const struct cetane_message *m;
	const char *wrong = NULL;

	(void)user;
	if (cetane_build_run(b) != CETANE_BUILD_ENVIRONMENT)
		wrong = "a process with threads compiled";
	m = first_error(b);
	if (!m || m->number != 555 || !strstr(m->text, "has threads"))
		wrong = "the message is not E555";
	cetane_build_free(b);
	return (void *)(uintptr_t)wrong;
}

static void test_threads(void **state)
{
	struct cetane_build *b = new_build(fig2);
	pthread_t thread;
	void *wrong;

	(void)state;
	assert_int_equal(cetane_build_run(b), CETANE_BUILD_OK);
	wanted = strdup(cetane_build_find(b, "ptx")->data);
	assert_non_null(wanted);
	cetane_build_free(b);
	run_threads();
	free(wanted);
	use_helper(false);
	assert_int_equal(pthread_create(&thread, NULL, build_without_helper,
		NULL), 0);
	pthread_join(thread, &wrong);
	use_helper(true);
	if (wrong)
		fail_msg("%s", (const char *)wrong);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_no_helper),
		cmocka_unit_test(test_sigchld),
		cmocka_unit_test(test_silence),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_threads),
	};

	use_helper(true);
	return cmocka_run_group_tests_name("library", test, NULL, NULL);
}
