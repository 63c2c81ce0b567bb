/* Fibers: several stacks on one OS thread, switched by hand.
 *
 * A switch saves the registers that a function call preserves on the old
 * stack and loads them from the new one; everything else is dead at a call.
 * The floating-point modes are not saved: kernels do not change them. Each
 * switch is announced to AddressSanitizer and ThreadSanitizer, which
 * otherwise take a change of stack for an error.
 */
#include <string.h>
#include <ucontext.h>
#include "runtime/host/host.h"

/* Without assembly for the processor, libc switches. */
#if !defined(CETANE_FIBER_UCONTEXT) && !defined(__x86_64__) && \
	!defined(__aarch64__)
#define CETANE_FIBER_UCONTEXT 1
#endif

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif
#ifdef FIBER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

static void start(struct host_fiber *f);

/* ------------------------------------------------------- libc's contexts */

/* Leave the context on the stack that is left. */
static void swap_context(struct host_fiber *from, struct host_fiber *to)
{
	ucontext_t here;

	from->sp = &here;
	swapcontext(&here, to->sp);
}

/* makecontext passes ints: the address of the fiber comes in two. */
static void start_context(unsigned high, unsigned low)
{
	start((struct host_fiber *) (uintptr_t)
		((uint64_t) high << 32 | low));
}

/* The context begins at the top of the stack, which is below it. */
static void set_up_context(struct host_fiber *f)
{
	uintptr_t top = (uintptr_t) f->low + f->size;
	ucontext_t *c = (ucontext_t *) ((top - sizeof(*c)) & ~(uintptr_t) 63);
	uint64_t self = (uintptr_t) f;

	getcontext(c);
	c->uc_stack.ss_sp = (void *) (uintptr_t) f->low;
	c->uc_stack.ss_size = (size_t) ((uintptr_t) c - (uintptr_t) f->low);
	c->uc_link = NULL;
	makecontext(c, (void (*)(void)) start_context, 2,
		(unsigned) (self >> 32), (unsigned) self);
	f->sp = c;
}

/* ------------------------------------------------------------- the switch */

#ifdef CETANE_FIBER_UCONTEXT

static void swap(struct host_fiber *from, struct host_fiber *to)
{
	swap_context(from, to);
}

static void set_up(struct host_fiber *f)
{
	set_up_context(f);
}

#else

/* Push the preserved registers, store the stack pointer at "*save", continue
 * on the stack "to".
 */
CETANE_INTERNAL void cetane_rt_fiber_swap(void **save, void *to);
/* Where a new fiber begins: calls fn(arg), both in preserved registers. */
CETANE_INTERNAL void cetane_rt_fiber_thunk(void);

#if defined(__x86_64__)

__asm__(
	".text\n"
	".globl cetane_rt_fiber_swap\n"
	".hidden cetane_rt_fiber_swap\n"
	".type cetane_rt_fiber_swap, @function\n"
	"cetane_rt_fiber_swap:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size cetane_rt_fiber_swap, . - cetane_rt_fiber_swap\n"
	".globl cetane_rt_fiber_thunk\n"
	".hidden cetane_rt_fiber_thunk\n"
	".type cetane_rt_fiber_thunk, @function\n"
	"cetane_rt_fiber_thunk:\n"
	"	movq %r12, %rdi\n"
	"	jmpq *%rbx\n"
	".size cetane_rt_fiber_thunk, . - cetane_rt_fiber_thunk\n"
);

/* Slots from the stack pointer up: r15, r14, r13, r12, rbx, rbp, the return
 * address, and one that aligns the stack as after a call.
 */
enum { FRAME_SLOTS = 8, FRAME_ARG = 3, FRAME_FN = 4, FRAME_RETURN = 6 };

/* Does the processor keep return addresses on a stack of its own? It would take our
 * switch for an attack; libc's knows that stack. Without one, the instruction does
 * nothing.
 */
static bool has_shadow_stack(void)
{
	uint64_t at = 0;

	__asm__ volatile("rdsspq %0" : "+r"(at));
	return at != 0;
}

#else

__asm__(
	".text\n"
	".globl cetane_rt_fiber_swap\n"
	".hidden cetane_rt_fiber_swap\n"
	".type cetane_rt_fiber_swap, %function\n"
	"cetane_rt_fiber_swap:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp, #0]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp, #0]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n"
	".size cetane_rt_fiber_swap, . - cetane_rt_fiber_swap\n"
	".globl cetane_rt_fiber_thunk\n"
	".hidden cetane_rt_fiber_thunk\n"
	".type cetane_rt_fiber_thunk, %function\n"
	"cetane_rt_fiber_thunk:\n"
	"	mov x0, x19\n"
	"	br x20\n"
	".size cetane_rt_fiber_thunk, . - cetane_rt_fiber_thunk\n"
);

/* Slots from the stack pointer up: x19 to x30, then d8 to d15. */
enum { FRAME_SLOTS = 20, FRAME_ARG = 0, FRAME_FN = 1, FRAME_RETURN = 11 };

static bool has_shadow_stack(void)
{
	return false;
}

#endif

static void swap(struct host_fiber *from, struct host_fiber *to)
{
	if (has_shadow_stack())
		swap_context(from, to);
	else
		cetane_rt_fiber_swap(&from->sp, to->sp);
}

static void set_up(struct host_fiber *f)
{
	uintptr_t top = ((uintptr_t) f->low + f->size) & ~(uintptr_t) 15;
	uintptr_t *frame = (uintptr_t *) top - FRAME_SLOTS;

	if (has_shadow_stack()) {
		set_up_context(f);
		return;
	}
	memset(frame, 0, FRAME_SLOTS * sizeof(*frame));
	frame[FRAME_ARG] = (uintptr_t) f;
	frame[FRAME_FN] = (uintptr_t) start;
	frame[FRAME_RETURN] = (uintptr_t) cetane_rt_fiber_thunk;
	f->sp = frame;
}

#endif

/* ---------------------------------------------------------- the sanitizers */

/* "from" leaves for "to"; "last": it will not come back. */
static void announce(struct host_fiber *from, struct host_fiber *to, int last)
{
#ifdef FIBER_ASAN
	__sanitizer_start_switch_fiber(last ? NULL : &from->asan_fake,
		to->low, to->size);
#endif
#ifdef FIBER_TSAN
	__tsan_switch_to_fiber(to->tsan, 0);
#endif
	(void) last;
	to->resumed_by = from;
}

/* "f" has just been switched to; it learns the bounds of the stack that it
 * came from, which is how those of the OS thread become known.
 */
static void arrive(struct host_fiber *f)
{
#ifdef FIBER_ASAN
	__sanitizer_finish_switch_fiber(f->asan_fake, &f->resumed_by->low,
		&f->resumed_by->size);
#else
	(void) f;
#endif
}

static void start(struct host_fiber *f)
{
	arrive(f);
	f->entry(f->arg);
}

void cetane_rt_fiber_init(struct host_fiber *f, void *low, size_t size,
	void (*entry)(void *arg), void *arg)
{
	memset(f, 0, sizeof(*f));
	f->low = low;
	f->size = size;
	f->entry = entry;
	f->arg = arg;
#ifdef FIBER_TSAN
	f->tsan = __tsan_create_fiber(0);
#endif
	set_up(f);
}

void cetane_rt_fiber_main(struct host_fiber *f)
{
	memset(f, 0, sizeof(*f));
#ifdef FIBER_TSAN
	f->tsan = __tsan_get_current_fiber();
#endif
}

void cetane_rt_fiber_switch(struct host_fiber *from, struct host_fiber *to)
{
	announce(from, to, 0);
	swap(from, to);
	arrive(from);
}

void cetane_rt_fiber_exit(struct host_fiber *from, struct host_fiber *to)
{
	announce(from, to, 1);
	swap(from, to);
	__builtin_unreachable();
}

void cetane_rt_fiber_free(struct host_fiber *f)
{
#ifdef FIBER_TSAN
	if (f->tsan)
		__tsan_destroy_fiber(f->tsan);
#endif
	memset(f, 0, sizeof(*f));
}
