/* nvptx: scheduled program -> LLVM IR -> PTX, cubin, or code for the host
 * device. Only this folder includes llvm-c. Nothing here prints or exits.
 */
#ifndef NVPTX_H
#define NVPTX_H

#include <sys/types.h>

#include "polyir/polyir.h"
#include "runtime/image/formula.h"

/* ---------------------------------------------------------------- targets */

/* target.def: one row a GPU architecture. */
struct nvptx_target {
	const char *name;	/* "sm_90a": -mcpu of LLVM and --arch */
	int cc;			/* 10 * major + minor: 90 */
	int ptx;		/* lowest PTX ISA version to ask for: 80 = 8.0 */
	int shared_block;	/* bytes of shared memory a block may use */
	int threads_block;
	int regs_thread;
	int multiprocessors;	/* of a usual product */
	int threads_sm;		/* on a multiprocessor at once */
	int blocks_sm;
	const struct poly_rates *rates;
};
const struct nvptx_target *nvptx_target_find(const char *name);	/* or NULL */
/* What the passes know of "t". */
struct poly_target nvptx_poly_target(const struct nvptx_target *t);
/* Would code for "t" of the kernels of "prog" be right, whichever target they are scheduled
 * for, and the schedule one for "t", too? It is if both have the same resources, and "t"
 * all units and copies that the kernels use.
 */
bool nvptx_target_runs(const struct nvptx_target *t, const struct poly_prog *prog);
/* Is the code of "prog" for "t", which runs it, that for "other", too? */
bool nvptx_target_shares(const struct nvptx_target *t, const struct nvptx_target *other,
	const struct poly_prog *prog);
/* Does "t" copy rows in bulk, and count their bytes? */
bool nvptx_has_bulk(const struct nvptx_target *t);
/* The i-th target, NULL past the last. */
const struct nvptx_target *nvptx_target_at(int i);

/* host.c: a processor that runs what is on the host's side of an object, with Linux and
 * GNU's libc. "rounds": the oldest one has instructions that round to integers, and that
 * multiply and add with one rounding.
 */
enum nvptx_records { NVPTX_RECORDS_SYSTEM_V, NVPTX_RECORDS_AAPCS64 };
struct nvptx_host {
	const char *name;	/* "aarch64-linux-gnu": --host */
	const char *triple;
	bool rounds;
	enum nvptx_records records;	/* how structures are passed by value */
	bool unsigned_char;	/* a plain one of C */
	int machine;		/* of ELF */
};
/* The i-th host, NULL past the last; the one with that name, with or without a vendor, or
 * NULL; the one that the ELF file "object" is for, or NULL; that of this machine, or NULL
 * if it is none of them.
 */
const struct nvptx_host *nvptx_host_at(int i);
const struct nvptx_host *nvptx_host_find(const char *triple);
const struct nvptx_host *nvptx_host_of(const void *object, size_t size);
const struct nvptx_host *nvptx_host_here(void);

/* occupancy.c: the blocks of a kernel that a multiprocessor has room for at once,
 * from the threads of a block, registers of a thread and bytes of shared memory
 * that it uses (CUDA C++ Programming Guide, "Hardware Multithreading"). "warps" are
 * theirs, of "most_warps"; "limit" is what is used up first: "threads", "blocks",
 * "registers" or "shared memory".
 */
struct nvptx_occupancy {
	int blocks, warps, most_warps;
	const char *limit;
};
struct nvptx_occupancy nvptx_occupancy(const struct nvptx_target *target,
	int threads, int registers, int shared);

/* product.def: a row of what GPUs are called. "archs" are the names of its
 * architectures with commas between them.
 */
struct nvptx_product {
	const char *name, *archs;
	bool is_family;
};
/* The i-th row, NULL past the last. */
const struct nvptx_product *nvptx_product_at(int i);

enum { NVPTX_FAMILY_MOST = 4 };
/* The targets of what people call "name": an architecture, a product such as
 * "h100", a family such as "blackwell", in either case and with any spaces or
 * signs between. Returns their number, 0 if the name is unknown.
 */
int nvptx_target_named(const char *name,
	const struct nvptx_target *list[NVPTX_FAMILY_MOST]);

/* ------------------------------------------------------------ launch plan */

/* An argument of 8 bytes: the address of an array of the plan, a size, or an
 * iterator of the launch; or the address of an array whose first word the launch
 * makes 0, all of whose blocks are then on the device at once, or of one that it makes 0
 * as a whole. A map has 128 bytes: how
 * an array lies, for copies of boxes of "rows" rows along the dimension "across", with
 * which those from "line" on are one, or over pixels, where there are walks.
 */
enum nvptx_arg_kind { NVPTX_ARG_ARRAY, NVPTX_ARG_SIZE, NVPTX_ARG_ITER,
	NVPTX_ARG_COUNT, NVPTX_ARG_MAP, NVPTX_ARG_CLEAR };
struct nvptx_arg {
	enum nvptx_arg_kind kind;
	int index, line, across, rows, n_walk;
	int64_t offset;		/* of an ARRAY: so many bytes behind its first */
	struct cetane_rt_walk walk[CETANE_RT_MOST_WALK];
};
/* A kernel. The device grid for tile counts n0 x n1 is
 * (n1, min(n0, 65535), ceil(n0 / 65535)); the kernel computes
 * b0 = ctaid.z * 65535 + ctaid.y, b1 = ctaid.x and leaves when b0 >= n0.
 * The block is (thread[1], thread[0], 1). A zero tile count: no launch.
 * The grid depends on sizes and on the "n_iter" iterators of a launch.
 */
struct nvptx_launch {
	char *kernel;
	struct cetane_rt_formula n[2];
	int thread[2], cluster[2];
	int shared_bytes;	/* dynamic */
	bool early;		/* its code waits for the launch in front of it */
	bool before;		/* it makes what another launch of its kernel needs */
	int of;			/* the number of its kernel in the program */
	int n_iter;
	struct nvptx_arg *arg;
	int n_arg;
};
/* Global arrays in program order; element type as in memory. */
struct nvptx_plan_array {
	char *name;
	enum poly_type type;
	enum poly_role role;
	int n_dim;
	struct cetane_rt_formula extent[8];
	int elem_bytes;		/* in wide mode 16 a value, or word of words:
				 * {f64 value, f64 bound} */
	int align;		/* bytes, if more than an element's; else 0 */
	int version;		/* the only one that has it, from 1; 0: all */
	int stride;		/* 1 + the number of its first size; 0: none */
	/* The least and the greatest that it holds, and 1 + the number of the launch that
	 * looks for others, which no step runs; 0: nobody has said.
	 */
	struct cetane_rt_formula within[2];
	int look;
};
/* The steps of one version, its condition and what it is expected to take, as
 * struct cetane_rt_version of runtime/image/image.h has them; its launches stand from
 * "first_launch" on.
 */
struct nvptx_version {
	struct cetane_rt_formula condition;
	struct cetane_rt_formula cost[CETANE_RT_MAX_ITER];
	int n_cost, n_step, first_launch;
	bool aligned;
};
/* Everything that is needed to run a compiled program. Owned by the module. */
struct nvptx_plan {
	int n_param;
	char **param;
	bool *fixed;
	int64_t *value;
	struct nvptx_plan_array *array;
	int n_array;
	struct nvptx_launch *launch;
	int n_launch;
	struct nvptx_version *version;	/* none: there is one way to run it */
	int n_version;
	struct cetane_rt_step *step;	/* which launches, in which order */
	int n_step;
};

/* ---------------------------------------------------------------- modules */

enum nvptx_device { NVPTX_GPU, NVPTX_HOST };

struct nvptx_options {
	enum nvptx_device device;
	const struct nvptx_target *target;	/* GPU */
	bool checked;	/* HOST: call the runtime's checks on each access */
	bool wide;	/* HOST: reference mode, see nvptx/kernel/kernel.c */
	bool portable;	/* HOST: code for any processor of the kind of "host" */
	const struct nvptx_host *host;	/* NULL: one that the table lacks */
	bool no_contract;	/* cell + x * y rounds twice */
	bool approximate; /* functions of f32 on a GPU; nvptx_lower: by the class */
	bool ring;	/* floats are integers modulo 2^bits, see lower_ring.c */
	bool comment;	/* keep the schedule tree for nvptx_print */
};

/* Owner of the LLVM context, module, target machine and the plan. */
struct nvptx_module;

/* Each returns NULL or isl_stat_error with the reason in "report". */
struct nvptx_module *nvptx_lower(struct poly_prog *prog,
	const struct nvptx_options *o, struct poly_report *report);
/* The same for "n" versions of one program, all kernels in one module. Kernels and
 * temporaries of version "i" > 0 are called after theirs, NAME$vI; kernels that do
 * the same are one. The plan says which version is for which sizes, if there are
 * several.
 */
struct nvptx_module *nvptx_lower_versions(const struct poly_version *version,
	int n, const struct nvptx_options *o, struct poly_report *report);
struct nvptx_module *nvptx_module_free(struct nvptx_module *m);
const struct nvptx_plan *nvptx_module_plan(const struct nvptx_module *m);
/* LLVM IR as text; before nvptx_opt it opens with the schedule tree as a
 * comment.
 */
void nvptx_print(struct nvptx_module *m, struct poly_str *out);
/* note.c: let "size" bytes go with the module and its text; append those that do, or
 * return false if there are none.
 */
void nvptx_note_set(struct nvptx_module *m, const void *data, size_t size);
bool nvptx_note_get(struct nvptx_module *m, struct poly_str *out);
/* Read edited LLVM IR (plan is NULL then). */
struct nvptx_module *nvptx_read(const char *text, size_t len,
	const struct nvptx_options *o, struct poly_report *report);
/* default<O3> with our options. */
isl_stat nvptx_opt(struct nvptx_module *m, struct poly_report *report);
/* Do kernels of "o" wait by themselves for the launch in front of them, so that theirs may
 * begin before it has ended?
 */
bool nvptx_begins_early(const struct nvptx_options *o);
/* The version of PTX that the GPU's code has, as 10 times a number: the target's, or more
 * where the program needs it.
 */
int nvptx_ptx_version(const struct nvptx_module *m);
isl_stat nvptx_emit_ptx(struct nvptx_module *m, struct poly_str *ptx,
	struct poly_report *report);
/* Let "m", whose programs share their code with those for "t", be for "t" from here on. */
isl_stat nvptx_retarget(struct nvptx_module *m, const struct nvptx_target *t,
	struct poly_report *report);

/* What ptxas says of one kernel. */
struct nvptx_usage {
	char *kernel;
	int registers, stack, spill_stores, spill_loads, shared, constant;
};
/* PTX -> cubin by ptxas ($CETANE_PTXAS, then PATH, then the toolkit's usual
 * places), else nvJitLink by dlopen ($CETANE_NVJITLINK, then the library's
 * names, then the toolkit's folders), else an error that names what is
 * missing (MSG of class 5xx). Either variable may be "none". What the
 * assembler warns of, and its remarks about serialised code, become warnings.
 * "usage" may be NULL; the caller frees it with nvptx_usage_free.
 */
isl_stat nvptx_assemble(const struct poly_str *ptx,
	const struct nvptx_target *target, struct poly_str *cubin,
	struct nvptx_usage **usage, int *n_usage, struct poly_report *report);
void nvptx_usage_free(struct nvptx_usage *usage, int n_usage);

/* One image of a fat binary: a cubin, or PTX without its NUL. */
struct nvptx_fat_image {
	const struct nvptx_target *target;
	bool is_ptx;
	const struct poly_str *data;
};
/* Pack "n" images by the program fatbinary ($CETANE_FATBINARY, or "none"; then
 * as ptxas is looked for), or fail with a message that says it is missing.
 */
isl_stat nvptx_fatbin(const struct nvptx_fat_image *image, int n,
	struct poly_str *out, struct poly_report *report);

/* The program that shows machine code ($CETANE_NVDISASM, or "none"; else nvdisasm or
 * cuobjdump, as ptxas is looked for); the caller frees it. NULL if there is none, with
 * ENOMEM in errno for want of memory.
 */
char *nvptx_disassembler(void);
/* Append what the program "path" shows of a cubin: with nvdisasm, comments tell the lines
 * of the source. False, reported, if it fails.
 */
bool nvptx_disassemble(const char *path, const struct poly_str *cubin,
	struct poly_str *out, struct poly_report *report);

/* memory.c: from now on, let LLVM abort with ENOMEM in errno when it gets no
 * memory. To be called once, in a process that is ours alone.
 */
void nvptx_abort_without_memory(void);

/* found.c: what a compilation would use on this machine, for reports. */
struct nvptx_found {
	char llvm[32];		/* version */
	char *ptxas;		/* path, NULL: none */
	char *ptxas_version;	/* NULL: it does not run, or does not say */
	char *jitlink;		/* path of the library nvJitLink, NULL: none */
	char *jitlink_version;	/* NULL: it does not say */
	struct poly_str jitlink_tried;	/* names that could not be opened */
};
/* The program "name": itself if it has a folder, else where PATH has it, in which
 * folders that are not absolute do not count. The caller frees it; NULL if there is
 * none, with ENOMEM in errno for want of memory.
 */
char *nvptx_path_find(const char *name);
/* child.c: a program that is not ours, and how it runs: in "folder" (NULL: here), with
 * streams of its own, and with limits of bytes, 0: those of this process.
 */
struct nvptx_child {
	const char *path, *folder;
	char *const *arg;
	int fd[3];
	size_t most_file, most_memory;
};
/* Start it; 0 or an errno value. */
int nvptx_child_start(const struct nvptx_child *c, pid_t *pid);
/* Fill "f"; call nvptx_found_free afterwards. Runs "ptxas --version", and opens
 * nvJitLink if ptxas has not told its version, or if "both" is set. False, with
 * ENOMEM in errno, without memory.
 */
bool nvptx_find(struct nvptx_found *f, bool both);
void nvptx_found_free(struct nvptx_found *f);

/* A function of the process that generated code may call. */
struct nvptx_symbol {
	const char *name;
	void *address;
};
/* HOST: compile in memory. "*kernel" receives one entry point for each launch
 * of the plan (type cetane_host_kernel of runtime/host_abi.h), valid until
 * the module is freed; without a plan, one for each function with a body and
 * external linkage, in the order of the module. "symbol" gives the addresses
 * of the functions of runtime/host_abi.h; those of libc and libm are known.
 */
isl_stat nvptx_jit(struct nvptx_module *m, const struct nvptx_symbol *symbol,
	int n_symbol, void ***kernel, struct poly_report *report);
/* How a function of C passes something to a program: an argument by value, a
 * pointer, or a variable that is defined elsewhere or, "count" elements of 0,
 * in the object unless elsewhere.
 */
enum nvptx_pass {
	NVPTX_PASS_VALUE, NVPTX_PASS_RECORD, NVPTX_PASS_POINTER,
	NVPTX_PASS_GLOBAL, NVPTX_PASS_OWN
};
/* "size" and "array" are the numbers of the size or array that it is, or -1. A
 * structure has "bytes" bytes; bit k of "integers": byte k belongs to an integer; all
 * are "floats", or that is POLY_N_TYPE. Of other arguments "bytes" is 0.
 */
struct nvptx_argument {
	enum nvptx_pass pass;
	enum poly_type type;
	const char *name;	/* of a variable */
	int size, array;
	int64_t count, bytes, align;
	unsigned integers;
	enum poly_type floats;
};
/* Array number "array" has the elements that are members of the structures of
 * argument "arg", as struct cetane_program_layout of runtime/program.h says; or else
 * size number "size", of "type", is a member of the only one.
 */
struct nvptx_member {
	int arg, size, array;
	enum poly_type type;
	int64_t n;
	const int64_t *offset;
};
/* The function of C in whose place an object stands: "n_param" arguments, then
 * variables. "valid", an isl set, are the sizes of "prog" that it may have.
 */
struct nvptx_drop_in {
	const struct nvptx_argument *arg;
	int n_param, n_arg;
	bool returns;		/* array "result", unless that is -1 */
	enum poly_type type;
	int result;
	const char *valid;
	struct poly_prog *prog;
	const struct nvptx_member *member;
	int n_member;
};
/* The entry points of an object, "n_size" sizes, and
 * "n_array" inputs and outputs. "abi" is that of the runtime. NAME_checked refuses
 * sizes that are not in "valid", a set of isl of the sizes of "prog"; NULL: it takes all.
 */
struct nvptx_interface {
	const char *name;
	int n_size, n_array;
	const int *n_stride;	/* of each array; NULL: there is no NAME_strided */
	unsigned abi;
	struct poly_prog *prog;
	const char *valid;
	const char *note;	/* text for the section .comment, or NULL */
	const struct nvptx_drop_in *drop_in;	/* or NULL */
	const int64_t *test;	/* the numbers of NAME_selftest, or NULL */
	int64_t n_test;
};
/* HOST, with a plan: an object file with "container", the kernels of "m" and
 * the functions NAME, NAME_checked, NAME_load, NAME_unload, NAME_program and
 * NAME_workspace_size, which call libcetane_rt; with "drop_in" NAME alone, and
 * a weak NAME_failed(status, reason) which it calls if it fails; and with "test"
 * NAME_selftest, with "n_stride" NAME_strided and NAME_strided_checked, which take as
 * many strides behind each array. Adds to the module of "m",
 * which is of no other use then.
 */
isl_stat nvptx_object(struct nvptx_module *m,
	const struct nvptx_interface *face, const struct poly_str *container,
	struct poly_str *object, struct poly_report *report);
/* jit.c: an object of nvptx_object, linked into this process. "symbol" gives
 * what it calls, as for nvptx_jit. NULL on failure.
 */
struct nvptx_code;
struct nvptx_code *nvptx_code_load(const void *object, size_t size,
	const struct nvptx_symbol *symbol, int n_symbol,
	struct poly_report *report);
/* The address of a function of the object, until it is freed; NULL if there is
 * none of that name.
 */
void *nvptx_code_symbol(struct nvptx_code *code, const char *name,
	struct poly_report *report);
struct nvptx_code *nvptx_code_free(struct nvptx_code *code);
/* HOST, checked: access sites; text of site i is "file:line: array in
 * statement", or a statement's name.
 */
const char *const *nvptx_sites(const struct nvptx_module *m, int *n);

#endif
