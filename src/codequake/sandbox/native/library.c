/* Functions of the C library that have state, end the program, or use its streams and its heap. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "worker.h"

#define MOST_EXIT_FUNCTIONS 64

static void (*exit_functions[MOST_EXIT_FUNCTIONS])(void);
static int exit_function_count;
static char *token_rest;
static int drew_numbers; /* to begin them again takes longer than all else here */

static int compare_bytes(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

/* Once, before any child: what the C library asks the kernel at its first use, and then knows. */
void prepare_library(void)
{
    static unsigned char many[4096];
    qsort(many, sizeof many, 1, compare_bytes);
}

/* Before an input: as in a process that has just started. */
void begin_library(void)
{
    exit_function_count = 0;
    token_rest = NULL;
    errno = 0;
    if (drew_numbers)
        srand(1);
    drew_numbers = 0;
}

int program_rand(void)
{
    drew_numbers = 1;
    return rand();
}

void program_srand(unsigned seed)
{
    drew_numbers = 1;
    srand(seed);
}

void call_exit_functions(void)
{
    while (exit_function_count)
        exit_functions[--exit_function_count]();
}

int program_atexit(void (*function)(void))
{
    if (exit_function_count == MOST_EXIT_FUNCTIONS)
        doubt("registers many exit functions");
    exit_functions[exit_function_count++] = function;
    return 0;
}

void program_exit(int code)
{
    call_exit_functions();
    leave_program(code);
}

void program_abort(void)
{
    doubt("aborts");
}

void program_assert_fail(const char *text, const char *file, int line)
{
    (void)text;
    (void)file;
    (void)line;
    doubt("an assertion fails");
}

int *program_errno(void)
{
    return &errno;
}

int program_printf(const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    const int count = vfprintf(program_stdout, format, rest);
    va_end(rest);
    return count;
}

int program_vprintf(const char *format, va_list rest)
{
    return vfprintf(program_stdout, format, rest);
}

int program_scanf(const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    const int count = vfscanf(program_stdin, format, rest);
    va_end(rest);
    return count;
}

int program_vscanf(const char *format, va_list rest)
{
    return vfscanf(program_stdin, format, rest);
}

int program_getchar(void)
{
    return getc(program_stdin);
}

int program_putchar(int byte)
{
    return putc(byte, program_stdout);
}

int program_puts(const char *text)
{
    return fputs(text, program_stdout) < 0 ? EOF : putc('\n', program_stdout) < 0 ? EOF : 1;
}

void program_perror(const char *text)
{
    fprintf(program_stderr, "%s\n", text ? text : "");
}

/* Input and output are in memory: there is nothing to write out, and no buffer to choose. */
int program_fflush(FILE *stream)
{
    (void)stream;
    return 0;
}

int program_setvbuf(FILE *stream, char *buffer, int mode, size_t size)
{
    (void)stream;
    (void)buffer;
    (void)size;
    return mode < _IOFBF || mode > _IONBF ? -1 : 0;
}

void program_setbuf(FILE *stream, char *buffer)
{
    (void)stream;
    (void)buffer;
}

char *program_strtok(char *text, const char *marks)
{
    if (!text && !token_rest)
        doubt("goes on with a text that it never began");
    return strtok_r(text, marks, &token_rest);
}

char *program_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(heap_malloc(size), text, size);
}

char *program_strndup(const char *text, size_t most)
{
    const size_t size = strnlen(text, most);
    char *copy = heap_malloc(size + 1);
    copy[size] = 0;
    return memcpy(copy, text, size);
}

/* As the C library has it: the buffer grows to hold the line. */
ssize_t program_getline(char **line, size_t *room, FILE *stream)
{
    size_t used = 0;
    int byte;
    if (!line || !room)
        doubt("reads a line to nowhere");
    while ((byte = getc(stream)) != EOF) {
        if (!*line || used + 2 > *room) {
            *room = used < 60 ? 120 : 2 * used;
            *line = heap_realloc(*line, *room);
        }
        (*line)[used++] = (char)byte;
        (*line)[used] = 0;
        if (byte == '\n')
            break;
    }
    return used ? (ssize_t)used : -1;
}
