/* What the parts of the worker for C programs share.
 *
 * One single-threaded process (worker.c) reads programs and forks a child for each.  The child
 * compiles its program with libtcc into memory (compile.c), runs it on all inputs with a reset in
 * between (run.c), and writes one record.  What a program can call is the C library's own code on
 * streams in memory (streams.c), our heap (heap.c) and nothing else (symbols.c).
 */
#ifndef CODEQUAKE_WORKER_H
#define CODEQUAKE_WORKER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A program ends here with a reason when anything is not clean.  It is then never called wrong:
 * whoever asked has it compiled by gcc. */
_Noreturn void doubt(const char *reason);

/* What a child was asked to do. */
struct task {
    const char *source; /* ends with a zero byte */
    const char *const *inputs;
    const uint32_t *input_sizes;
    uint32_t input_count;
    uint32_t slice_ms;        /* processor time for compiling and all inputs */
    uint32_t check;           /* whether to run everything twice, with two patterns in memory */
    uint64_t memory_bytes;    /* address space */
    uint64_t output_bytes;    /* what one input may print */
    uint64_t all_output_bytes;
};

/* worker.c: write to the pipe of the record. */
void write_record(const void *data, size_t size);

/* filter.c: from here on, only calls for memory, writing to the record and the end. */
void forbid_system_calls(int record_fd);

/* compile.c: an image in memory; `main` is its entry. */
struct image {
    unsigned char *start;
    size_t size;
    size_t code;   /* bytes from the start that are instructions */
    size_t filled; /* bytes from the start that may not be zero; the rest is zero */
    int (*main)(int, char **, char **);
};
void prepare_compiler(void);
void compile_program(const char *source, struct image *image);

/* paint.c */
extern uint64_t paint_pattern; /* eight equal bytes */
void paint_frames(struct image *image);

/* symbols.c */
struct symbol {
    const char *name;
    const void *place;
};
extern const struct symbol library_symbols[];

/* streams.c */
extern FILE *program_stdin, *program_stdout, *program_stderr;
void open_streams(uint64_t output_bytes, uint64_t all_output_bytes);
void begin_streams(const char *text, size_t size);
size_t end_streams(const char **printed, int keep);

/* heap.c */
void open_heap(uint64_t memory_bytes);
void begin_heap(void);
void end_heap(void);
void *heap_malloc(size_t size);
void *heap_calloc(size_t count, size_t size);
void *heap_realloc(void *block, size_t size);
void heap_free(void *block);

/* library.c: what has state or ends a program. */
void prepare_library(void);
void begin_library(void);
void call_exit_functions(void);

/* text.c: write the record of a clean program, one JSON string for each input. */
struct printed {
    const char *text;
    size_t size;
};
void write_clean(uint32_t count, const struct printed *printed);

/* run.c */
void prepare_stack(void);
void run_program(const struct task *task);
_Noreturn void leave_program(int code);

/* gate.c: null, or why a source is left to gcc from the start. */
const char *refuse_source(const char *source);

#endif
