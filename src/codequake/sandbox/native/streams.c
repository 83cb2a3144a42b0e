/* The three streams of a program, in memory.
 *
 * They are streams of the C library with functions of ours below, so that scanf, printf, fgets,
 * ungetc and the others are the library's own code and mean the same as for a program by gcc.
 */
#define _GNU_SOURCE
#include <stdio_ext.h>
#include <string.h>
#include <sys/mman.h>

#include "worker.h"

FILE *program_stdin, *program_stdout, *program_stderr;

static const char *input;
static size_t input_left;
static char *printed_bytes; /* of all inputs that are kept, one after the other */
static size_t printed_start, printed_end, printed_room, one_room, kept_end;

static ssize_t give_input(void *cookie, char *buffer, size_t size)
{
    (void)cookie;
    if (size > input_left)
        size = input_left;
    memcpy(buffer, input, size);
    input += size;
    input_left -= size;
    return (ssize_t)size;
}

static ssize_t take_output(void *cookie, const char *buffer, size_t size)
{
    (void)cookie;
    if (size > printed_room - printed_end || size > one_room - (printed_end - printed_start))
        doubt("prints much");
    memcpy(printed_bytes + printed_end, buffer, size);
    printed_end += size;
    return (ssize_t)size;
}

static ssize_t drop_output(void *cookie, const char *buffer, size_t size)
{
    (void)cookie;
    (void)buffer;
    return (ssize_t)size;
}

/* Reserve room for what a program may print: twice, since the second pass is kept beside. */
void open_streams(uint64_t output_bytes, uint64_t all_output_bytes)
{
    static char output_buffer[1 << 14];
    one_room = output_bytes;
    printed_room = all_output_bytes + output_bytes;
    printed_bytes = mmap(NULL, printed_room, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (printed_bytes == MAP_FAILED)
        doubt("no memory for the output");
    program_stdin = fopencookie(NULL, "r", (cookie_io_functions_t){give_input, 0, 0, 0});
    program_stdout = fopencookie(NULL, "w", (cookie_io_functions_t){0, take_output, 0, 0});
    program_stderr = fopencookie(NULL, "w", (cookie_io_functions_t){0, drop_output, 0, 0});
    if (!program_stdin || !program_stdout || !program_stderr)
        doubt("no memory for the streams");
    setvbuf(program_stdout, output_buffer, _IOFBF, sizeof output_buffer);
    setvbuf(program_stderr, NULL, _IONBF, 0);
    __fsetlocking(program_stdin, FSETLOCKING_BYCALLER);
    __fsetlocking(program_stdout, FSETLOCKING_BYCALLER);
    __fsetlocking(program_stderr, FSETLOCKING_BYCALLER);
}

/* Before an input.  Its output comes after what is kept. */
void begin_streams(const char *text, size_t size)
{
    __fpurge(program_stdin);
    clearerr(program_stdin);
    clearerr(program_stdout);
    clearerr(program_stderr);
    input = text;
    input_left = size;
    printed_start = printed_end = kept_end;
}

/* After an input: what was printed, and its size; `keep` leaves it in place. */
size_t end_streams(const char **printed, int keep)
{
    if (fflush(program_stdout) != 0 || ferror(program_stdout))
        doubt("cannot print");
    *printed = printed_bytes + printed_start;
    if (keep)
        kept_end = printed_end;
    return printed_end - printed_start;
}
