/* Compiling the programs of all rows before any is timed, several at a time.
 *
 * A few processes, the lanes, take numbers of programs from a pipe. Each
 * compiles in a worker as other verbs do, with limits and reports of crashes,
 * and writes a container; what it could not compile it reports by a number in
 * a second pipe.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/lib/object/object.h"
#include "tools/lib/compile/compile.h"
#include "tools/bench/bench.h"

/* At most so many processes compile at one time. */
enum { LANES_MOST = 64 };

/* What lanes share.
 *
 * The pipes are made before the lanes, which inherit them.
 */
struct lanes {
	const struct tool_options *o;
	const struct nvptx_target *target;
	struct tool_bench_program *program;
	int *todo;		/* numbers of programs */
	int task[2], result[2];	/* pipes */
	pid_t pid[LANES_MOST];
	int n;
};

/* A program that could not be compiled.
 *
 * Sent for programs that were compiled as well, with TOOL_OK.
 */
struct failure {
	int program;
	enum tool_exit status;
};

/* One program in its worker.
 *
 * Options and source are copies for this program.
 */
struct job {
	struct tool_options o;
	const struct nvptx_target *target;
	struct tool_source src;
	struct tool_output out;
};

/* --------------------------------------------------------------- one job */

/* Write the compiled program as a container of one image, machine code or else
 * PTX, to the output of the job.
 *
 * PTX is written with its NUL.
 */
static enum tool_exit write_image(struct job *j, struct tool_compile *c)
{
	const bool is_cubin = c->cubin.len > 0;
	struct cetane_rt_image image = {
		.kind = is_cubin ? CETANE_RT_CUBIN : CETANE_RT_PTX,
		.capability = j->target->cc,
		.specific = strpbrk(j->target->name + 3, "af") != NULL,
		.ptx = j->target->ptx,
		.data = is_cubin ? c->cubin.s : c->ptx.s,
		.size = is_cubin ? c->cubin.len : c->ptx.len + 1,
	};
	struct cetane_rt_record *r = tool_record(nvptx_module_plan(c->module),
		c->unit, c->prog->name);
	enum tool_exit status = TOOL_OK;
	void *data = NULL;
	size_t size = 0;

	image.record = r;
	if (r)
		data = cetane_rt_image_write(&image, 1, &size);
	if (!data) {
		status = tool_no_memory("the launch record");
	} else if (!tool_write(j->out.fd, data, size)) {
		tool_message(MSG_FILE_WRITE, j->out.path, strerror(errno));
		status = TOOL_ENVIRONMENT;
	}
	free(data);
	cetane_rt_record_free(r);
	return status;
}

/* In a worker: compile the program of a job, and write it.
 *
 * If there is no assembler PTX will do: the driver translates it.
 */
static enum tool_exit compile(void *user)
{
	struct job *j = user;
	struct tool_compile c;
	enum tool_exit status;

	tool_compile_init(&c, &j->o, &j->src, NVPTX_GPU,
		TOOL_STAGE_NVPTX_ASSEMBLE, NULL);
	c.nvptx.target = j->target;
	c.ptx_will_do = true;
	status = tool_compile(&c);
	if (status == TOOL_OK)
		status = write_image(j, &c);
	return tool_compile_free(&c, status);
}

/* Sizes become definitions, as -D would give them, unless the program is for
 * any sizes.
 */
void tool_bench_task_set(struct tool_bench_task *t,
	const struct tool_options *o, const struct tool_bench_program *p)
{
	const struct tool_bench_form *f = p->form;
	int i;

	t->o = *o;
	for (i = 0; i < p->size.count; i++) {
		tool_bench_word(f->sizes, i, t->name[i], sizeof(t->name[i]));
		t->define[i] = (struct fe_define){ t->name[i], p->size.n[i] };
	}
	t->o.define = t->define;
	t->o.parametric = p->how == TOOL_BENCH_ANY;
	t->o.n_define = t->o.parametric ? 0 : p->size.count;
	t->o.tuning = p->how == TOOL_BENCH_TUNED ? o->tuning : "none";
	t->o.config = p->how == TOOL_BENCH_CONFIGURED ? o->config : NULL;
	t->o.config_text = p->config;
	t->o.decisions_text = p->decisions;
	t->o.decisions = NULL;
	/* What the tuner tries is compiled as with --no-check. */
	t->o.no_check = p->config != NULL;
	snprintf(t->file, sizeof(t->file), "%s-%s.dsl", f->suite, f->name);
	t->src = (struct tool_source){ o->file ? o->file : t->file,
		(char *)(uintptr_t)f->text, strlen(f->text) };
}

/* Compile the program "p" in a worker of its own, and put its file in place.
 *
 * The file appears under its name when it is complete, by renaming.
 */
static enum tool_exit run_job(const struct lanes *l,
	const struct tool_bench_program *p)
{
	struct tool_bench_task task;
	struct job j = { .target = l->target };
	enum tool_exit status;

	tool_bench_task_set(&task, l->o, p);
	j.o = task.o;
	j.src = task.src;
	if (!tool_output_open(&j.out, p->path))
		return TOOL_ENVIRONMENT;
	status = tool_worker(&j.o, &j.src, compile, &j);
	if (status == TOOL_OK && !tool_output_commit(&j.out, 1))
		status = TOOL_ENVIRONMENT;
	tool_output_close(&j.out, 1);
	return status;
}

/* ----------------------------------------------------------------- lanes */

/* Be a lane: compile the programs whose numbers come through the pipe, and send
 * back the status of each, until the pipe ends; never returns.
 *
 * A lane dies with its parent. It ends when the writing side of the pipe is
 * closed.
 */
static _Noreturn void be_lane(struct lanes *l)
{
	struct failure f;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	tool_catch_signals();
	close(l->task[1]);
	close(l->result[0]);
	while (read(l->task[0], &f.program, sizeof(f.program)) ==
	       sizeof(f.program)) {
		f.status = run_job(l, &l->program[f.program]);
		if (!tool_write(l->result[1], &f, sizeof(f)))
			break;
	}
	_exit(0);
}

/* How many programs are compiled at one time: as many as there are processors,
 * or as --jobs says, but no more than there are "jobs".
 *
 * One at least.
 */
static int count_lanes(const struct tool_options *o, int jobs)
{
	long n = o->jobs ? (long)o->jobs : sysconf(_SC_NPROCESSORS_ONLN);

	if (n > jobs)
		n = jobs;
	return n < 1 ? 1 : n > LANES_MOST ? LANES_MOST : (int)n;
}

/* Start up to "n" lanes; l->n says how many there are.
 *
 * Buffers are flushed before: each lane would write them again. The parent
 * closes the sides that are the lanes'.
 */
static void start_lanes(struct lanes *l, int n)
{
	fflush(NULL);
	for (l->n = 0; l->n < n; l->n++) {
		l->pid[l->n] = fork();
		if (l->pid[l->n] == 0)
			be_lane(l);
		if (l->pid[l->n] < 0)
			break;
	}
	close(l->task[0]);
	close(l->result[1]);
}

/* Hand out one more program as each is done, so that nothing waits.
 *
 * Two numbers a lane wait in the pipe: one is being compiled, one is next. When
 * a run is stopped nothing more is handed out, and what was handed out is
 * waited for.
 */
static enum tool_exit serve(struct lanes *l, int n)
{
	enum tool_exit status = TOOL_OK;
	struct failure f;
	int sent = 0, done = 0;

	while (done < n && (done < sent || !tool_bench_stopped())) {
		while (sent < n && sent < done + 2 * l->n &&
		       !tool_bench_stopped())
			if (!tool_write(l->task[1], &l->todo[sent++],
					sizeof(*l->todo)))
				break;
		tool_bench_progress("compiling", done, n);
		if (read(l->result[0], &f, sizeof(f)) != sizeof(f))
			break;
		done++;
		l->program[f.program].failed = f.status != TOOL_OK;
		if (status == TOOL_OK)
			status = f.status;
	}
	tool_bench_progress(NULL, 0, 0);
	/* Programs are missing without an error if the run was stopped. */
	return done < n && status == TOOL_OK ? TOOL_LIMIT : status;
}

/* The first program in the same file as program "i".
 *
 * Rows may have the same program; it is compiled once.
 */
static int first_of(const struct tool_bench_program *program, int i)
{
	int k = 0;

	while (strcmp(program[k].path, program[i].path))
		k++;
	return k;
}

/* "anew" compiles what is there already, too. */
enum tool_exit tool_bench_compile(const struct tool_options *o,
	const struct nvptx_target *target, struct tool_bench_program *program,
	int n, bool anew)
{
	struct lanes l = { .o = o, .target = target, .program = program };
	enum tool_exit status = TOOL_OK;
	int i, n_todo = 0;

	l.todo = calloc((size_t)n + 1, sizeof(*l.todo));
	for (i = 0; l.todo && i < n; i++)
		if (first_of(program, i) == i &&
		    (anew || access(program[i].path, R_OK) < 0))
			l.todo[n_todo++] = i;
	if (!l.todo)
		return tool_no_memory("the programs");
	if (pipe(l.task) < 0) {
		tool_message(MSG_WORKER, strerror(errno));
		free(l.todo);
		return TOOL_ENVIRONMENT;
	}
	if (pipe(l.result) < 0)
		n_todo = 0;
	if (n_todo) {
		start_lanes(&l, count_lanes(o, n_todo));
		status = serve(&l, n_todo);
		close(l.task[1]);
		close(l.result[0]);
	}
	for (i = 0; i < l.n; i++)
		while (waitpid(l.pid[i], NULL, 0) < 0 && errno == EINTR)
			;
	/* All programs of one file share its fate. */
	for (i = 0; i < n; i++)
		program[i].failed = program[first_of(program, i)].failed;
	free(l.todo);
	return status;
}
