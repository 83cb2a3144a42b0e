/* Run a program on all inputs in one process, each as if it were the first.
 *
 * Between inputs the image is restored from a copy, the heap is empty, and the stack is filled
 * with a pattern.  Everything runs twice, with two patterns: what reads memory that it never wrote
 * prints something else the second time.  Nothing is handled here but a clean end; a program that
 * does anything else is left to gcc.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "worker.h"

#define PAGE ((size_t)4096)
#define STACK_ROOM ((size_t)32 << 20)
#define STACK_START ((size_t)16 << 10)
#define BELOW_STACK 128 /* how far below the stack pointer code may write */

static unsigned char *stack, *stack_top, *stack_grown; /* accessible from stack_grown to the top */
static jmp_buf back;
static ucontext_t there;
static const struct image *running;
static int exit_code;

/* Give more stack to a program that needs it, filled with the pattern; end it otherwise. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    unsigned char *place = info->si_addr;
    const ucontext_t *state = context;
#ifdef __x86_64__
    const uintptr_t pointer = (uintptr_t)state->uc_mcontext.gregs[REG_RSP];
#else
    const uintptr_t pointer = (uintptr_t)state->uc_mcontext.sp;
#endif
    if (number != SIGSEGV || place < stack + PAGE || place >= stack_grown
        || (uintptr_t)place + BELOW_STACK < pointer)
        _exit(4);
    size_t wanted = 2 * (size_t)(stack_top - stack_grown);
    const size_t needed = (size_t)(stack_top - place) + PAGE;
    wanted = (wanted > needed ? wanted : needed) / PAGE * PAGE;
    if (wanted > STACK_ROOM - PAGE)
        wanted = STACK_ROOM - PAGE;
    unsigned char *grown = stack_top - wanted;
    if (mprotect(grown, (size_t)(stack_grown - grown), PROT_READ | PROT_WRITE) != 0)
        _exit(4);
    memset(grown, (unsigned char)paint_pattern, (size_t)(stack_grown - grown));
    stack_grown = grown;
}

/* Before the filter: it allows no call that sets handlers. */
void prepare_stack(void)
{
    static unsigned char other_stack[1 << 14];
    const stack_t other = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    stack = mmap(NULL, STACK_ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || sigaltstack(&other, NULL) != 0
        || sigaction(SIGSEGV, &action, NULL) != 0)
        doubt("no memory for the stack");
    stack_top = stack + STACK_ROOM;
    stack_grown = stack_top - STACK_START;
    if (mprotect(stack_grown, STACK_START, PROT_READ | PROT_WRITE) != 0 || getcontext(&there) != 0)
        doubt("no memory for the stack");
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = STACK_ROOM;
    there.uc_link = NULL;
}

void leave_program(int code)
{
    exit_code = code;
    _longjmp(back, 1);
}

static void enter_program(void)
{
    static char name[16];
    static char *arguments[2], *environment[1];
    strcpy(name, "program");
    arguments[0] = name;
    arguments[1] = environment[0] = NULL;
    const int code = running->main(1, arguments, environment);
    call_exit_functions();
    leave_program(code);
}

/* Put everything back to what it was before the first input. */
static void reset(const struct image *image, const unsigned char *copy)
{
    const size_t zeros = image->size - image->filled;
    memcpy(image->start, copy, image->filled);
    if (zeros < 4 * PAGE) {
        memset(image->start + image->filled, 0, zeros);
    } else { /* whole pages cost only what was touched of them */
        unsigned char *first = image->start + (image->filled + PAGE - 1) / PAGE * PAGE;
        memset(image->start + image->filled, 0, (size_t)(first - image->start) - image->filled);
        madvise(first, image->size - (size_t)(first - image->start), MADV_DONTNEED);
    }
    memset(stack_grown, (unsigned char)paint_pattern, (size_t)(stack_top - stack_grown));
    begin_heap();
    begin_library();
}

static void run_once(const struct image *image, const unsigned char *copy)
{
    reset(image, copy);
    running = image;
    makecontext(&there, enter_program, 0);
    if (_setjmp(back) == 0) {
        setcontext(&there);
        doubt("cannot switch stacks");
    }
    if (exit_code & 0xff)
        doubt("ends with another exit code than 0");
    end_heap();
    if (memcmp(image->start, copy, image->code) != 0)
        doubt("changes its own code");
}

void run_program(const struct task *task)
{
    static const unsigned char patterns[] = {0x00, 0xa5};
    struct image image;
    open_streams(task->output_bytes, task->all_output_bytes);
    open_heap(task->memory_bytes);
    compile_program(task->source, &image);
    paint_frames(&image);
    unsigned char *copy = malloc(image.filled + 1);
    struct printed *first = calloc(task->input_count, sizeof *first);
    if (!copy || !first)
        doubt("no memory for the copy");
    memcpy(copy, image.start, image.filled);
    for (unsigned pass = 0; pass < (task->check ? 2 : 1); pass++) {
        memset(&paint_pattern, patterns[pass], sizeof paint_pattern);
        for (uint32_t i = 0; i < task->input_count; i++) {
            struct printed now;
            begin_streams(task->inputs[i], task->input_sizes[i]);
            run_once(&image, copy);
            now.size = end_streams(&now.text, pass == 0);
            if (pass == 0)
                first[i] = now;
            else if (now.size != first[i].size || memcmp(now.text, first[i].text, now.size) != 0)
                doubt("reads memory that it never wrote");
        }
    }
    write_clean(task->input_count, first);
}
