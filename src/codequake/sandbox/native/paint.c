/* Fill every frame with the pattern when a function begins.
 *
 * libtcc keeps all locals in memory, and all of its functions begin with the same eleven bytes:
 * save the frame pointer, set it, make room.  Each time room is made, a few instructions of ours
 * fill it.  A local that is read before it was written is then the pattern and not what an earlier
 * call left.
 */
#include <string.h>
#include <sys/mman.h>

#include "worker.h"

uint64_t paint_pattern;

#ifdef __x86_64__

#define BEGIN_BYTES 11
#define MAKE_ROOM 4     /* where `sub $room, %rsp` stands in them */
#define FEW_WORDS 16    /* up to here, one instruction a word */
#define STUB_BYTES 160
#define MOST_ROOM (1 << 27)

struct writer {
    unsigned char *at;
};

static void put(struct writer *to, const void *bytes, size_t size)
{
    memcpy(to->at, bytes, size);
    to->at += size;
}

static void put_number(struct writer *to, uint32_t number)
{
    put(to, &number, sizeof number);
}

#define PUT(to, ...) put(to, (const unsigned char[]){__VA_ARGS__}, \
                         sizeof(const unsigned char[]){__VA_ARGS__})

/* Return address to %r11, make room, fill it, go on.  %r10 and %r11 are nobody's here. */
static void write_stub(struct writer *to, uint32_t room)
{
    PUT(to, 0x41, 0x5b);       /* pop %r11 */
    PUT(to, 0x48, 0x81, 0xec); /* sub $room, %rsp */
    put_number(to, room);
    PUT(to, 0x4c, 0x8b, 0x14, 0x25); /* mov paint_pattern, %r10 */
    put_number(to, (uint32_t)(uintptr_t)&paint_pattern);
    if (room / 8 <= FEW_WORDS) {
        for (uint32_t offset = 0; offset < room; offset += 8) {
            PUT(to, 0x4c, 0x89, 0x54, 0x24); /* mov %r10, offset(%rsp) */
            to->at++[0] = (unsigned char)offset;
        }
    } else {
        PUT(to, 0x48, 0x89, 0x44, 0x24, 0xf8); /* mov %rax, -8(%rsp) */
        PUT(to, 0x48, 0x89, 0x4c, 0x24, 0xf0); /* mov %rcx, -16(%rsp) */
        PUT(to, 0x48, 0x89, 0x7c, 0x24, 0xe8); /* mov %rdi, -24(%rsp) */
        PUT(to, 0x4c, 0x89, 0xd0);             /* mov %r10, %rax */
        PUT(to, 0xb9);                         /* mov $room / 8, %ecx */
        put_number(to, room / 8);
        PUT(to, 0x48, 0x89, 0xe7);             /* mov %rsp, %rdi */
        PUT(to, 0xf3, 0x48, 0xab);             /* rep stos %rax, (%rdi) */
        PUT(to, 0x48, 0x8b, 0x44, 0x24, 0xf8); /* and back */
        PUT(to, 0x48, 0x8b, 0x4c, 0x24, 0xf0);
        PUT(to, 0x48, 0x8b, 0x7c, 0x24, 0xe8);
    }
    PUT(to, 0x41, 0xff, 0xe3); /* jmp *%r11 */
}

static const unsigned char beginning[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x81, 0xec};

static int is_beginning(const unsigned char *at, uint32_t *room)
{
    if (memcmp(at, beginning, sizeof beginning) != 0)
        return 0;
    memcpy(room, at + sizeof beginning, sizeof *room);
    return *room && *room % 8 == 0 && *room < MOST_ROOM;
}

static size_t count_beginnings(const struct image *image)
{
    size_t count = 0;
    uint32_t room;
    for (size_t i = 0; i + BEGIN_BYTES <= image->code; i++)
        count += (size_t)is_beginning(image->start + i, &room);
    return count;
}

void paint_frames(struct image *image)
{
    const size_t count = count_beginnings(image);
    unsigned char *stubs;
    uint32_t room;
    if (!count)
        return;
    stubs = mmap(NULL, count * STUB_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (stubs == MAP_FAILED || (uintptr_t)&paint_pattern >> 31)
        doubt("no memory for the stubs");
    struct writer to = {stubs};
    for (size_t i = 0; i + BEGIN_BYTES <= image->code; i++) {
        unsigned char *place = image->start + i + MAKE_ROOM;
        if (!is_beginning(image->start + i, &room))
            continue;
        const int64_t way = to.at - (place + 5);
        const int32_t step = (int32_t)way;
        if (way != step)
            doubt("stubs are too far away");
        place[0] = 0xe8; /* call the stub, then two bytes of nothing */
        memcpy(place + 1, &step, sizeof step);
        place[5] = 0x66;
        place[6] = 0x90;
        write_stub(&to, room);
    }
    mprotect(stubs, count * STUB_BYTES, PROT_READ | PROT_EXEC);
}

#else

/* Untested elsewhere: frames keep what earlier calls left, and only fresh stack has the pattern. */
void paint_frames(struct image *image)
{
    (void)image;
}

#endif
