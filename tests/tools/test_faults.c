/* Faults inside a stage: what the command makes of them.
 *
 * No program and no command line provokes these, so functions are wrapped by
 * the linker and misbehave on demand; the rest is the command as it is, with
 * its worker. Every fault must give its message and its exit code, and leave
 * no output behind.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <isl/ast.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>

#include "runtime/image/image.h"
#include "tools/lib/object/object.h"
#include "tools/tools.h"

/* What misbehaves. */
static enum fault {
	NONE,
	WRONG_ELEMENT,	/* the device returns an element that is off */
	NO_BARRIERS,	/* sync inserts none */
	LEAK,		/* fe_lower keeps an isl object */
	OTHER_OPERATOR,	/* fe_lower makes differences of sums */
	OTHER_ELEMENT,	/* fe_lower reads row 0 in place of each */
	OTHER_START,	/* fe_lower begins sums with 1 */
	NO_MEMORY,	/* fe_lower finds no memory */
	SAID_MEMORY,	/* fe_lower says so, but nothing was refused */
	QUOTA,		/* isl gives up during deps */
	QUOTA_ONCE,	/* but not a second time */
	FAILURE,	/* isl fails during deps */
	WRONG_LOOPS,	/* isl loses a condition of the first loops */
	BAD_IR,		/* LLVM's verifier refuses the module */
	NO_REFERENCE	/* the interpreter has no value */
} fault;

static isl_set *kept;

/* The function that fails without a word, having asked for memory in vain if
 * "refused".
 */
static const char *silent;
static bool refused;

/* Is "name" to fail now? */
static bool falls_silent(const char *name)
{
	if (!silent || strcmp(silent, name))
		return false;
	errno = refused ? ENOMEM : EPERM;
	return true;
}

/* The wrapped functions, and what stands in for them. */
enum tool_exit __real_tool_exec_download(struct tool_exec *x, int array,
	void *data);
enum tool_exit __wrap_tool_exec_download(struct tool_exec *x, int array,
	void *data);
isl_stat __real_poly_sync(struct poly_prog *prog);
isl_stat __wrap_poly_sync(struct poly_prog *prog);
isl_stat __real_poly_deps(struct poly_prog *prog);
isl_stat __wrap_poly_deps(struct poly_prog *prog);
isl_ast_node *__real_poly_ast_kernel(struct poly_prog *prog,
	const struct poly_kernel *kernel);
isl_ast_node *__wrap_poly_ast_kernel(struct poly_prog *prog,
	const struct poly_kernel *kernel);
struct poly_prog *__real_fe_lower(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report);
struct poly_prog *__wrap_fe_lower(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report);
struct fe_interp *__real_fe_interp_alloc(const struct fe_unit *u,
	const int64_t *param);
struct fe_interp *__wrap_fe_interp_alloc(const struct fe_unit *u,
	const int64_t *param);
bool __real_fe_interp_eval(struct fe_interp *in, const char *name,
	const int64_t *index, struct fe_value *v);
bool __wrap_fe_interp_eval(struct fe_interp *in, const char *name,
	const int64_t *index, struct fe_value *v);
LLVMBool __real_LLVMVerifyModule(LLVMModuleRef m,
	LLVMVerifierFailureAction action, char **text);
LLVMBool __wrap_LLVMVerifyModule(LLVMModuleRef m,
	LLVMVerifierFailureAction action, char **text);

/* The first download is that of the output under test. */
enum tool_exit __wrap_tool_exec_download(struct tool_exec *x, int array,
	void *data)
{
	enum tool_exit status = __real_tool_exec_download(x, array, data);

	if (fault == WRONG_ELEMENT) {
		((float *)data)[0] += 0.001f;
		fault = NONE;
	}
	return status;
}

isl_stat __wrap_poly_sync(struct poly_prog *prog)
{
	return fault == NO_BARRIERS ? isl_stat_ok : __real_poly_sync(prog);
}

isl_stat __wrap_poly_deps(struct poly_prog *prog)
{
	static bool once;

	if (fault == QUOTA || (fault == QUOTA_ONCE && !once))
		poly_ctx_budget(prog->ctx, 1);
	once = true;
	if (fault == FAILURE)
		isl_die(prog->ctx, isl_error_internal, "a planted fault",
			return isl_stat_error);
	return __real_poly_deps(prog);
}

/* The value "e" of a statement in a way that is wrong for every mapping. */
static void lower_wrong(struct poly_expr *e)
{
	isl_pw_aff *row;
	int i;

	if (fault == OTHER_OPERATOR && e->op == POLY_OP_MUL)
		e->op = POLY_OP_SUB;
	if (fault == OTHER_START && e->op == POLY_OP_CONST && e->value == 0)
		e->value = 1;
	if (fault == OTHER_ELEMENT && e->op == POLY_OP_ACCESS &&
	    isl_multi_pw_aff_dim(e->index, isl_dim_out) > 0) {
		row = isl_multi_pw_aff_get_pw_aff(e->index, 0);
		row = isl_pw_aff_sub(row, isl_pw_aff_copy(row));
		e->index = isl_multi_pw_aff_set_pw_aff(e->index, 0, row);
	}
	for (i = 0; i < POLY_MAX_ARG && e->arg[i]; i++)
		lower_wrong(e->arg[i]);
}

isl_ast_node *__wrap_poly_ast_kernel(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	if (fault != WRONG_LOOPS)
		return __real_poly_ast_kernel(prog, kernel);
	fault = NONE;
	prog->no_loops = kernel;
	isl_die(prog->ctx, isl_error_internal, "a planted fault", return NULL);
}

struct poly_prog *__wrap_fe_lower(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report)
{
	struct poly_prog *prog = __real_fe_lower(u, ctx, report);

	if (fault == NO_MEMORY || fault == SAID_MEMORY) {
		errno = fault == NO_MEMORY ? ENOMEM : 0;
		poly_report_add(report, MSG_NO_MEMORY, NULL,
			"the program");
		return poly_prog_free(prog);
	}
	if (falls_silent("fe_lower"))
		return poly_prog_free(prog);
	if (fault == LEAK)
		kept = isl_set_copy(prog->context);
	for (int i = 0; prog && i < prog->n_stmt; i++)
		if (prog->stmt[i]->rhs)
			lower_wrong(prog->stmt[i]->rhs);
	return prog;
}

struct fe_interp *__wrap_fe_interp_alloc(const struct fe_unit *u,
	const int64_t *param)
{
	return falls_silent("fe_interp_alloc") ? NULL :
		__real_fe_interp_alloc(u, param);
}

/* The others of which each may fail without a word, as WRAP(what it returns, its
 * name, its parameters, their names, what it returns when it fails).
 */
#define WRAPPED								\
	WRAP(struct fe_unit *, fe_read_as, (const struct fe_notation *n, \
		const char *file, const char *text, size_t len,		\
		const struct fe_how *how, const struct fe_define *def,	\
		int n_def, struct poly_report *report),			\
		(n, file, text, len, how, def, n_def, report), NULL)	\
	WRAP(isl_stat, poly_compile, (struct poly_prog **prog,		\
		const struct poly_options *o), (prog, o), isl_stat_error) \
	WRAP(struct nvptx_module *, nvptx_lower_versions,		\
		(const struct poly_version *v, int n,			\
		const struct nvptx_options *o, struct poly_report *report), \
		(v, n, o, report), NULL)				\
	WRAP(isl_stat, nvptx_opt, (struct nvptx_module *m,		\
		struct poly_report *report), (m, report), isl_stat_error) \
	WRAP(isl_stat, nvptx_emit_ptx, (struct nvptx_module *m,		\
		struct poly_str *ptx, struct poly_report *report),	\
		(m, ptx, report), isl_stat_error)			\
	WRAP(isl_stat, nvptx_assemble, (const struct poly_str *ptx,	\
		const struct nvptx_target *t, struct poly_str *cubin,	\
		struct nvptx_usage **usage, int *n,			\
		struct poly_report *report),				\
		(ptx, t, cubin, usage, n, report), isl_stat_error)	\
	WRAP(isl_stat, nvptx_jit, (struct nvptx_module *m,		\
		const struct nvptx_symbol *s, int n, void ***kernel,	\
		struct poly_report *report), (m, s, n, kernel, report),	\
		isl_stat_error)						\
	WRAP(isl_stat, nvptx_object, (struct nvptx_module *m,		\
		const struct nvptx_interface *face,			\
		const struct poly_str *images, struct poly_str *out,	\
		struct poly_report *report),				\
		(m, face, images, out, report), isl_stat_error)		\
	WRAP(struct cetane_rt_record *, tool_record,			\
		(const struct nvptx_plan *plan, const struct fe_unit *u, \
		const char *name), (plan, u, name), NULL)		\
	WRAP(void *, cetane_rt_image_write, (const struct cetane_rt_image *im, \
		int n, size_t *size), (im, n, size), NULL)

#define WRAP(type, name, params, args, failure)				\
	type __real_##name params;					\
	type __wrap_##name params;					\
	type __wrap_##name params					\
	{								\
		if (falls_silent(#name))				\
			return failure;					\
		return __real_##name args;				\
	}
WRAPPED
#undef WRAP

bool __wrap_fe_interp_eval(struct fe_interp *in, const char *name,
	const int64_t *index, struct fe_value *v)
{
	return fault != NO_REFERENCE &&
		__real_fe_interp_eval(in, name, index, v);
}

LLVMBool __wrap_LLVMVerifyModule(LLVMModuleRef m,
	LLVMVerifierFailureAction action, char **text)
{
	if (fault != BAD_IR)
		return __real_LLVMVerifyModule(m, action, text);
	*text = LLVMCreateMessage("a planted fault");
	return 1;
}

/* ------------------------------------------------------------ the command */

static const char program[] =
	"Params M, K, N;\n"
	"Matrix A(M,K); Matrix B(K,N);\n"
	"C = A * B;\n"
	"CodeGen(HALF, {C});\n";
/* The same in C: a file that is preprocessed. */
static const char nest[] =
	"void p(int M, int K, int N, const float A[M][K], const float B[K][N],\n"
	"       float C[M][N])\n"
	"{\n"
	"  for (int i = 0; i < M; i++)\n"
	"    for (int j = 0; j < N; j++)\n"
	"      for (int k = 0; k < K; k++)\n"
	"        C[i][j] += A[i][k] * B[k][j];\n"
	"}\n";
/* In index notation; and with a nest among the definitions. */
static const char indexed[] =
	"param M, K, N; tensor f32 A(M,K), B(K,N);\n"
	"out C(i,j) = sum(k: A(i,k) * B(k,j));\n";
static const char called[] =
	"Params M, K, N; Matrix A(M,K); Matrix B(K,N);\n"
	"C = A * B;\n"
	"nest twice(param M, param N, f32 C[M][N])\n"
	"{\n"
	"  for (int i = 0; i < M; i++)\n"
	"    for (int j = 0; j < N; j++) {\n"
	"      float s = 0;\n"
	"      for (int k = 0; k < 2; k++)\n"
	"        s += C[i][j] * 2;\n"
	"      C[i][j] = s;\n"
	"    }\n"
	"}\n"
	"twice(C);\n"
	"CodeGen(FLOAT, {C});\n";
/* What any program shows: one statement. */
static const char small[] =
	"Params M, K, N;\n"
	"Matrix A(M,N); Matrix B(K,N);\n"
	"C = A * 0.5;\n"
	"CodeGen(FLOAT, {C});\n";
static const char *source = "p.dsl";

static bool write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	return f && fputs(text, f) >= 0 && !fclose(f);
}

/* A folder for the programs, their outputs and reproducers. */
static int enter_folder(void **state)
{
	static char folder[] = "/tmp/cetane-faults-XXXXXX";

	(void)state;
	if (!mkdtemp(folder) || chdir(folder) < 0)
		return -1;
	return write_file("p.dsl", program) && write_file("p.i", nest) &&
		write_file("index.dsl", indexed) &&
		write_file("small.dsl", small) &&
		write_file("call.dsl", called) ? 0 : -1;
}

static int leave_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r \"$PWD\"");
	return system(command);
}

/* Send standard output and error to "f"; "saved" receives what they were. */
static void redirect(FILE *f, int saved[2])
{
	fflush(NULL);
	for (int fd = 1; fd <= 2; fd++) {
		saved[fd - 1] = dup(fd);
		dup2(fileno(f), fd);
	}
}

static void restore(const int saved[2])
{
	fflush(NULL);
	for (int fd = 1; fd <= 2; fd++) {
		dup2(saved[fd - 1], fd);
		close(saved[fd - 1]);
	}
}

/* What "cetane build" is to make, and the file that is there if it does. */
static const char *kind = "poly", *made = "c.npy";

/* "cetane run", of "source", with small odd sizes, so that copies of halves wait and
 * need barriers of the pass sync, an output and the options "more", or,
 * without these, "cetane build".
 */
static int run(const char *more, FILE *f)
{
	struct poly_str line = { 0 };
	char *argv[16], *word;
	struct tool_options o;
	enum tool_exit status;
	int saved[2], n = 0;
	bool done;

	if (more)
		poly_str_printf(&line, "cetane run %s -DM=70 -DK=41 "
			"-DN=51 -oC=c.npy %s", source, more);
	else
		poly_str_printf(&line, "cetane build %s --emit=%s "
			"-oc.npy", source, kind);
	for (word = strtok(line.s, " "); word; word = strtok(NULL, " "))
		argv[n++] = word;
	argv[n] = NULL;
	redirect(f, saved);
	status = tool_options_parse(&o, n, argv, &done);
	if (status == TOOL_OK)
		status = more ? tool_run(&o) : tool_build(&o);
	tool_options_free(&o);
	restore(saved);
	poly_str_free(&line);
	return (int)status;
}

/* With the fault "which", the run ends with "code", says "message", and gives
 * no output.
 */
static void check_fault(enum fault which, const char *more, int code,
	const char *message)
{
	static char said[1 << 16];
	FILE *f = tmpfile();
	int status;

	assert_non_null(f);
	fault = which;
	status = run(more, f);
	fault = NONE;
	rewind(f);
	said[fread(said, 1, sizeof(said) - 1, f)] = '\0';
	fclose(f);
	if (status != code || !strstr(said, message))
		fail_msg("exit code %d, not %d with \"%s\":\n%s", status,
			code, message, said);
	assert_int_equal(access(made, F_OK), code ? -1 : 0);
	remove(made);
}

#define VERIFIED "verified against the interpreter: 3570 of 3570 elements"

static void check_wrong_element(void)
{
	check_fault(WRONG_ELEMENT, "--verify=full", 5, "error[E707]: C[0,0]");
	check_fault(WRONG_ELEMENT, "--verify=naive", 5, "error[E707]: C[0,0]");
	check_fault(WRONG_ELEMENT, "--verify=both", 5, "error[E707]: C[0,0]");
	check_fault(WRONG_ELEMENT, "--verify=sample", 5, "error[E707]: C[0,0]");
}

static void test_none(void **state)
{
	(void)state;
	check_fault(NONE, "--sanitize=all", 0, VERIFIED);
	check_fault(NONE, "--sanitize=all --host-orders=16", 0, VERIFIED);
}

static void test_wrong_element(void **state)
{
	(void)state;
	check_wrong_element();
	check_fault(WRONG_ELEMENT, "--verify=none", 0, "not verified");
	check_fault(WRONG_ELEMENT, "--verify=none --host-orders=3", 5,
		"error[E717]: C[0,0]");
}

static void test_wrong_element_of_c(void **state)
{
	(void)state;
	source = "p.i";
	check_wrong_element();
	check_fault(WRONG_ELEMENT, "--verify=full --fp=reassoc", 5,
		"error[E707]: C[0,0]");
	check_fault(NONE, "--verify=both", 0, VERIFIED);
	source = "p.dsl";
}

/* What is lowered wrong is wrong for the naive kernel, too, which agrees. "every"
 * way to run it is tried, or two.
 */
static void check_lowered(const char *file, enum fault which, bool every)
{
	source = file;
	check_fault(which, "", 5, "error[E707]: C[");
	check_fault(which, "--verify=naive", 0, "agrees with the naive kernel, "
		"which shares the lowering: 3570 of 3570 elements");
	/* The low bits of 1.0f are those of 0. */
	if (every && which != OTHER_START)
		check_fault(which, "--semantics=ring", 5, "error[E707]: C[");
	if (every) {
		check_fault(which, "--map=naive", 5, "error[E707]: C[");
		check_fault(which, "--verify=sample", 5, "error[E707]: C[");
		check_fault(NONE, "", 0, VERIFIED);
	}
	source = "p.dsl";
}

static void test_lowered_wrong(void **state)
{
	static const char *const file[] = { "p.dsl", "index.dsl", "call.dsl",
		"p.i" };

	(void)state;
	for (int i = 0; i < 4; i++) {
		check_lowered(file[i], OTHER_OPERATOR, i % 2 == 0);
		check_lowered(file[i], OTHER_ELEMENT, i % 2);
		if (strcmp(file[i], "p.i"))
			check_lowered(file[i], OTHER_START, i == 0);
	}
}

static void test_no_barriers(void **state)
{
	(void)state;
	check_fault(NO_BARRIERS, "--sanitize=all", 70, "error[E309]: sync");
	check_fault(NO_BARRIERS, "--no-check", 5, "error[E707]");
	check_fault(NO_BARRIERS, "--no-check --sanitize=bounds", 5,
		"error[E707]");
	check_fault(NO_BARRIERS, "--no-check --sanitize=bounds,race", 5,
		"error[E706]: race in kernel p_C");
}

/* No object tells an error of outputs that are wrong: there is none. */
static void test_measured(void **state)
{
	(void)state;
	kind = "object --arch=sm_80 --measure-error=2";
	made = "c.npy.o";
	check_fault(WRONG_ELEMENT, NULL, 5, "error[E707]: C[0,0]");
	check_fault(OTHER_OPERATOR, NULL, 5, "error[E707]: C[");
	check_fault(OTHER_START, NULL, 5, "error[E707]: C[");
	check_fault(NONE, NULL, 0, "");
	kind = "poly";
	made = "c.npy";
}

static void test_internal(void **state)
{
	(void)state;
	check_fault(LEAK, "--sanitize=all", 70, "error[E903]");
	check_fault(FAILURE, "--sanitize=all", 70, "error[E312]: internal "
		"error in deps: isl: a planted fault");
	check_fault(FAILURE, NULL, 70, "error[E312]: internal error in "
		"deps: isl: a planted fault");
	check_fault(QUOTA, "--sanitize=all", 4, "error[E559]: poly_compile "
		"needs more than 1 operations on sets and relations");
	check_fault(QUOTA_ONCE, "--sanitize=all", 0, "remark[R323]: all runs "
		"in one thread: with more, poly_compile takes more than 50000000 "
		"operations");
	check_fault(QUOTA_ONCE, "--sanitize=all --verify=full", 0,
		VERIFIED);
	check_fault(WRONG_LOOPS, "--sanitize=all", 0, "remark[R322]: all runs "
		"in one thread: isl finds no right loops for the schedule of "
		"'p_C'");
	check_fault(WRONG_LOOPS, "--verify=full", 0, VERIFIED);
	check_fault(BAD_IR, "--sanitize=all", 70, "error[E912]: internal "
		"error: LLVM rejects what nvptx_lower made: a planted fault");
	check_fault(BAD_IR, "--sanitize=all", 70, "remark[R902]");
}

static void test_no_reference(void **state)
{
	(void)state;
	check_fault(NO_MEMORY, "--sanitize=all", 3,
		"error[E554]: not enough memory for the compilation");
	check_fault(SAID_MEMORY, "--sanitize=all", 70, "error[E901]: internal "
		"error in fe_lower: it failed without a reason");

	check_fault(NO_REFERENCE, "--verify=full", 70, "error[E709]");
}

/* A function that fails and gives no reason: it was for want of memory if there was
 * no memory, else an internal error in the stage "stage".
 */
static void check_silence(const char *name, const char *stage,
	const char *more)
{
	char message[128];

	silent = name;
	snprintf(message, sizeof(message), "error[E901]: internal error in "
		"%s: it failed without a reason", stage);
	check_fault(NONE, more, 70, message);
	refused = true;
	check_fault(NONE, more, 3, "error[E554]: not enough memory for ");
	refused = false;
	silent = NULL;
}

static void test_silence(void **state)
{
	static const char *const compiled[] = { "fe_read_as", "fe_read",
		"fe_lower", "fe_lower", "poly_compile", "poly_compile",
		"nvptx_lower_versions", "nvptx_lower", "nvptx_opt",
		"nvptx_opt", "nvptx_emit_ptx", "nvptx_emit_ptx",
		"nvptx_assemble", "nvptx_assemble", NULL };
	int i;

	(void)state;
	source = "small.dsl";
	kind = "cubin";
	for (i = 0; compiled[i]; i += 2)
		check_silence(compiled[i], compiled[i + 1], NULL);
	kind = "object";
	check_silence("tool_record", "nvptx_assemble", NULL);
	check_silence("cetane_rt_image_write", "nvptx_assemble", NULL);
	check_silence("nvptx_object", "nvptx_object", NULL);
	kind = "poly";
	check_silence("nvptx_jit", "nvptx_jit", "--sanitize=all");
	check_silence("tool_record", "nvptx_jit", "--sanitize=all");
	check_silence("fe_interp_alloc", "fe_read", "--sanitize=all");
	source = "p.dsl";
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_wrong_element),
		cmocka_unit_test(test_wrong_element_of_c),
		cmocka_unit_test(test_lowered_wrong),
		cmocka_unit_test(test_no_barriers),
		cmocka_unit_test(test_measured),
		cmocka_unit_test(test_internal),
		cmocka_unit_test(test_no_reference),
		cmocka_unit_test(test_silence),
	};

	return cmocka_run_group_tests_name("tools faults", test, enter_folder,
		leave_folder);
}
