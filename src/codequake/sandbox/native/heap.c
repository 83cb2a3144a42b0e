/* The heap of a program: blocks with guards, filled with the pattern of the pass.
 *
 * A block that was never written reads as the pattern, and so does one that was freed: what
 * depends on it differs between the two passes.  Guards around each block are looked at when it is
 * freed and when the program ends; a broken one is a doubt, as is a block that is freed twice.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "worker.h"

#define ALIGN 16u
#define GUARD 16u
#define IN_USE 0x5eeda11cu
#define FREED 0xdeadf4eeu
#define CLASSES 65u /* of freed blocks by sixteens of bytes, for use again */
#define MOST_HEAP (256ull << 20)

struct block {
    uint64_t size;  /* as asked for */
    uint32_t state; /* IN_USE or FREED */
    uint32_t room;  /* in sixteens, without head and guard */
};
_Static_assert(sizeof(struct block) == ALIGN, "blocks must stay aligned");

static unsigned char *heap;
static size_t heap_size, heap_used, heap_deepest;
static struct block *free_blocks[CLASSES];

void open_heap(uint64_t memory_bytes)
{
    heap_size = memory_bytes / 4 < MOST_HEAP ? memory_bytes / 4 : MOST_HEAP;
    heap = mmap(NULL, heap_size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (heap == MAP_FAILED)
        doubt("no memory for the heap");
}

/* Before an input: an empty heap.  Large ones are given back to the kernel. */
void begin_heap(void)
{
    if (heap_deepest > (1 << 20)) {
        madvise(heap, heap_deepest, MADV_DONTNEED);
        heap_deepest = 0;
    }
    heap_used = 0;
    memset(free_blocks, 0, sizeof free_blocks);
}

static unsigned char guard_byte(void)
{
    return (unsigned char)~paint_pattern;
}

static void check_block(const struct block *block)
{
    const unsigned char *end = (const unsigned char *)(block + 1) + block->size;
    const unsigned char *stop = (const unsigned char *)(block + 1) + block->room * ALIGN + GUARD;
    const unsigned char wanted = guard_byte();
    while (end < stop)
        if (*end++ != wanted)
            doubt("writes past the end of a block");
}

static void *guard_of(struct block *block)
{
    return (unsigned char *)(block + 1) + block->room * ALIGN;
}

/* Nothing may have been written to a block after it was freed. */
static void check_freed(const struct block *block)
{
    const uint64_t *word = (const uint64_t *)(block + 1);
    for (size_t left = (size_t)block->room * ALIGN / sizeof *word; left; left--)
        if (*word++ != paint_pattern)
            doubt("writes to a freed block");
}

/* Walk all blocks at the end of an input. */
void end_heap(void)
{
    size_t place = 0;
    while (place < heap_used) {
        const struct block *block = (const struct block *)(heap + place);
        const size_t step = sizeof *block + (size_t)block->room * ALIGN + GUARD;
        if ((block->state != IN_USE && block->state != FREED) || step > heap_used - place
            || block->size > (size_t)block->room * ALIGN)
            doubt("overwrites the heap");
        if (block->state == IN_USE)
            check_block(block);
        else
            check_freed(block);
        place += step;
    }
}

static void *fresh_block(size_t size, size_t room)
{
    const size_t step = sizeof(struct block) + room * ALIGN + GUARD;
    if (step > heap_size - heap_used)
        doubt("uses much memory");
    struct block *block = (struct block *)(heap + heap_used);
    heap_used += step;
    if (heap_used > heap_deepest)
        heap_deepest = heap_used;
    block->room = (uint32_t)room;
    block->state = IN_USE;
    block->size = size;
    return block + 1;
}

static void *new_block(size_t size)
{
    if (size > heap_size)
        doubt("uses much memory");
    const size_t room = (size + ALIGN - 1) / ALIGN + !size;
    struct block *block = room < CLASSES ? free_blocks[room] : NULL;
    if (!block)
        block = (struct block *)fresh_block(size, room) - 1;
    else {
        check_freed(block);
        memcpy(&free_blocks[room], guard_of(block), sizeof(void *));
    }
    block->state = IN_USE;
    block->size = size;
    unsigned char *data = (unsigned char *)(block + 1);
    memset(data + size, guard_byte(), room * ALIGN + GUARD - size);
    return data;
}

void *heap_malloc(size_t size)
{
    return memset(new_block(size), (unsigned char)paint_pattern, size);
}

void *heap_calloc(size_t count, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(count, size, &all))
        doubt("asks for too much memory");
    return memset(new_block(all), 0, all);
}

static struct block *block_of(void *data)
{
    unsigned char *place = data;
    if (place < heap + sizeof(struct block) || place >= heap + heap_used
        || (size_t)(place - heap) % ALIGN)
        doubt("frees what is no block");
    struct block *block = (struct block *)data - 1;
    if (block->state != IN_USE)
        doubt("frees what is no block in use");
    check_block(block);
    return block;
}

void heap_free(void *data)
{
    if (!data)
        return;
    struct block *block = block_of(data);
    memset(data, (unsigned char)paint_pattern, (size_t)block->room * ALIGN);
    block->state = FREED;
    if (block->room < CLASSES) {
        memcpy(guard_of(block), &free_blocks[block->room], sizeof(void *));
        free_blocks[block->room] = block;
    }
}

void *heap_realloc(void *data, size_t size)
{
    if (!data)
        return heap_malloc(size);
    const struct block *block = block_of(data);
    if (!size) {
        heap_free(data);
        return NULL; /* as the C library has it */
    }
    const size_t kept = block->size < size ? block->size : size;
    void *moved = memcpy(heap_malloc(size), data, kept);
    heap_free(data);
    return moved;
}
