/* Builds by the library, for its tests. */
#ifndef BUILDS_H
#define BUILDS_H

#include <stdbool.h>

#include "tools/lib/cetane.h"

static const char fig2[] =
	"Params M, K, N;\n"
	"Matrix A(M,K);\n"
	"Matrix B(K,N);\n"
	"Matrix C(M,N);\n"
	"D = A * B;\n"
	"E = D + C;\n"
	"CodeGen(FLOAT, {E});\n";

struct cetane_build *new_build(const char *text);
void set(struct cetane_build *b, const char *option, const char *value);

/* The first message of severity error. */
const struct cetane_message *first_error(const struct cetane_build *b);

/* Run "b"; it fails with "status" and the error "number", and has no output
 * but perhaps a reproducer.
 */
void fails(struct cetane_build *b, enum cetane_build_status status,
	int number, const char *part);

/* Without a helper, a fork of this process; the tests' own is $CETANE. */
void use_helper(bool use);

#endif
