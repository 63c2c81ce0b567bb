/* Tests of the front end: what the files share. Each file is one group; the
 * program runs the groups that are named, or all.
 */
#ifndef TEST_H
#define TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/frontend.h"

/* Groups; each in the file of its name. */
void test_text(void);
void test_files(void);
void test_shape(void);
void test_lower(void);
void test_interp(void);
void test_cases(void);
void test_memory(void);
void test_index(void);
void test_nest(void);

/* Count a check and say where it failed. */
void test_check(bool good, const char *file, int line, const char *what);
#define CHECK(condition) \
	test_check((condition), __FILE__, __LINE__, #condition)
/* Compare texts; a difference prints both. */
void test_same(const char *got, const char *want, const char *file, int line);
#define SAME(got, want) test_same((got), (want), __FILE__, __LINE__)

/* Read a program. The messages are in test_report until the next call; their
 * numbers are noted as seen.
 */
extern struct poly_report test_report;
struct fe_unit *test_read(const char *file, const char *text, size_t len,
	const struct fe_define *def, int n_def);
struct fe_unit *test_unit(const char *text);
/* Lower the unit, with messages to test_report; false if it cannot be. */
bool test_lowers(const struct fe_unit *u);
/* A unit whose types are "type", by CodeGen(type, outputs). */
struct fe_unit *test_typed(const char *text, const char *type,
	const char *outputs);
/* The numbers of the messages, such as "201 203"; one only for "at". */
const char *test_numbers(const char *text);
bool test_seen(int number);
/* The messages as they are printed; the caller frees. */
char *test_printed(const char *file, const char *text, size_t len);
/* A whole file, NUL behind it; the caller frees. */
char *test_file(const char *path, size_t *len);

/* Let the n-th allocation from now on fail, 0: none. */
extern long test_fail_at;

#endif
