/* A program's text becomes code in memory, by libtcc, from headers of ours only. */
#include <libtcc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "worker.h"

#define MOST_IMAGE (512ull << 20)

/* In the lowest 2 GiB, where instructions of ours reach it and it reaches our library. */
#ifdef MAP_32BIT
#define NEAR MAP_32BIT
#else
#define NEAR 0
#endif

static TCCState *compiler;

/* Whatever the compiler says, a warning too, is left to gcc. */
static void on_message(void *opaque, const char *message)
{
    (void)opaque;
    doubt(message);
}

/* Once, in the process that all children are copies of. */
void prepare_compiler(void)
{
    compiler = tcc_new();
    if (!compiler)
        doubt("libtcc does not start");
    tcc_set_options(compiler, "-nostdlib -nostdinc -Wwrite-strings"
                              " -Wimplicit-function-declaration");
    tcc_set_output_type(compiler, TCC_OUTPUT_MEMORY);
    tcc_add_sysinclude_path(compiler, "/codequake");
    for (const struct symbol *symbol = library_symbols; symbol->name; symbol++)
        tcc_add_symbol(compiler, symbol->name, symbol->place);
}

/* Bytes up to the last one that is not zero. */
static size_t filled_bytes(const unsigned char *start, size_t size)
{
    while (size && !start[size - 1])
        size--;
    return size;
}

void compile_program(const char *source, struct image *image)
{
    tcc_set_error_func(compiler, NULL, on_message);
    if (tcc_compile_string(compiler, source) != 0)
        doubt("libtcc cannot compile it");
    const int size = tcc_relocate(compiler, NULL);
    if (size < 0 || (unsigned long long)size > MOST_IMAGE)
        doubt("libtcc cannot link it");
    /* Pages that nobody can touch before and after: a write past the data ends the program. */
    const size_t page = 4096, room = ((size_t)size + 2 * page - 1) / page * page;
    unsigned char *place = mmap(NULL, room + 2 * page, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | NEAR, -1, 0);
    if (place == MAP_FAILED
        || mprotect(place + page, room, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        doubt("no memory for the program");
    image->size = (size_t)size;
    image->start = place + page;
    if (tcc_relocate(compiler, image->start) != 0)
        doubt("libtcc cannot place it");
    image->main = (int (*)(int, char **, char **))tcc_get_symbol(compiler, "main");
    if (!image->main)
        doubt("there is no main");
    const unsigned char *end = tcc_get_symbol(compiler, "_etext");
    if (end < image->start || end > image->start + image->size)
        doubt("its code has no end");
    image->code = (size_t)(end - image->start);
    image->filled = filled_bytes(image->start, image->size);
}
