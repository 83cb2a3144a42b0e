/* Fill every frame with the pattern when a function begins.
 *
 * libtcc keeps all locals in memory, and all of its functions begin with the same eleven bytes:
 * save the frame pointer, set it, make room.  Each time room is made, a few instructions of ours
 * fill it.  A local that is read before it was written is then the pattern and not what an earlier
 * call left.  The same is done where it makes room for an array whose size is not constant.
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

/* Keep %rax, %rcx and %rdi below the stack, fill from %rsp with the words that %rcx will hold. */
static void write_fill(struct writer *to, const unsigned char *count, size_t count_size)
{
    PUT(to, 0x48, 0x89, 0x44, 0x24, 0xf8); /* mov %rax, -8(%rsp) */
    PUT(to, 0x48, 0x89, 0x4c, 0x24, 0xf0); /* mov %rcx, -16(%rsp) */
    PUT(to, 0x48, 0x89, 0x7c, 0x24, 0xe8); /* mov %rdi, -24(%rsp) */
    put(to, count, count_size);
    PUT(to, 0x48, 0x8b, 0x04, 0x25); /* mov paint_pattern, %rax */
    put_number(to, (uint32_t)(uintptr_t)&paint_pattern);
    PUT(to, 0x48, 0x89, 0xe7);             /* mov %rsp, %rdi */
    PUT(to, 0xf3, 0x48, 0xab);             /* rep stos %rax, (%rdi) */
    PUT(to, 0x48, 0x8b, 0x44, 0x24, 0xf8); /* and back */
    PUT(to, 0x48, 0x8b, 0x4c, 0x24, 0xf0);
    PUT(to, 0x48, 0x8b, 0x7c, 0x24, 0xe8);
}

/* For a function: return address to %r11, make room, fill it, go on.  %r10 and %r11 are nobody's
 * here. */
static void write_frame(struct writer *to, uint32_t room)
{
    const uint32_t words = room / 8;
    unsigned char count[5] = {0xb9}; /* mov $words, %ecx */
    memcpy(count + 1, &words, sizeof words);
    PUT(to, 0x41, 0x5b);       /* pop %r11 */
    PUT(to, 0x48, 0x81, 0xec); /* sub $room, %rsp */
    put_number(to, room);
    if (words <= FEW_WORDS) {
        PUT(to, 0x4c, 0x8b, 0x14, 0x25); /* mov paint_pattern, %r10 */
        put_number(to, (uint32_t)(uintptr_t)&paint_pattern);
        for (uint32_t offset = 0; offset < room; offset += 8) {
            PUT(to, 0x4c, 0x89, 0x54, 0x24); /* mov %r10, offset(%rsp) */
            to->at++[0] = (unsigned char)offset;
        }
    } else {
        write_fill(to, count, sizeof count);
    }
    PUT(to, 0x41, 0xff, 0xe3); /* jmp *%r11 */
}

/* For an array: the same, with its size in a register, down to a multiple of 16. */
static void write_array(struct writer *to, unsigned char size_register)
{
    static const unsigned char count[] = {0x4c, 0x89, 0xd1,        /* mov %r10, %rcx */
                                          0x48, 0x29, 0xe1,        /* sub %rsp, %rcx */
                                          0x48, 0xc1, 0xe9, 0x03}; /* shr $3, %rcx */
    PUT(to, 0x41, 0x5b);                   /* pop %r11 */
    PUT(to, 0x49, 0x89, 0xe2);             /* mov %rsp, %r10 */
    PUT(to, 0x48, 0x2b, size_register);    /* sub size, %rsp */
    PUT(to, 0x48, 0x83, 0xe4, 0xf0);       /* and $-16, %rsp */
    write_fill(to, count, sizeof count);
    PUT(to, 0x41, 0xff, 0xe3); /* jmp *%r11 */
}

/* A place where room is made: seven bytes of code that a call and two bytes of nothing replace. */
struct site {
    unsigned char *place; /* null when there is none */
    uint32_t room;        /* 0 for an array */
    unsigned char size_register;
};

static struct site site_at(unsigned char *at)
{
    static const unsigned char beginning[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x81, 0xec};
    static const unsigned char aligning[] = {0x48, 0x83, 0xe4, 0xf0};
    struct site site = {NULL, 0, 0};
    if (memcmp(at, beginning, sizeof beginning) == 0) {
        memcpy(&site.room, at + sizeof beginning, sizeof site.room);
        if (site.room && site.room % 8 == 0 && site.room < MOST_ROOM)
            site.place = at + MAKE_ROOM;
    } else if (memcmp(at, aligning, sizeof aligning) == 0) {
        site.size_register = at[-1];
        if (at[-3] != 0x48 || at[-2] != 0x2b || at[-1] < 0xe0 || at[-1] > 0xe2)
            doubt("makes room in a way that is not known");
        site.place = at - 3;
    }
    return site;
}

static size_t count_sites(const struct image *image)
{
    size_t count = 0;
    for (size_t i = 0; i + BEGIN_BYTES <= image->code; i++)
        count += site_at(image->start + i).place != NULL;
    return count;
}

static void call_instead(unsigned char *place, const unsigned char *stub)
{
    const int64_t way = stub - (place + 5);
    const int32_t step = (int32_t)way;
    if (way != step)
        doubt("stubs are too far away");
    place[0] = 0xe8;
    memcpy(place + 1, &step, sizeof step);
    place[5] = 0x66;
    place[6] = 0x90;
}

void paint_frames(struct image *image)
{
    const size_t count = count_sites(image);
    if (!count)
        return;
    unsigned char *stubs = mmap(NULL, count * STUB_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (stubs == MAP_FAILED || (uintptr_t)&paint_pattern >> 31)
        doubt("no memory for the stubs");
    struct writer to = {stubs};
    for (size_t i = 0; i + BEGIN_BYTES <= image->code; i++) {
        const struct site site = site_at(image->start + i);
        if (!site.place)
            continue;
        call_instead(site.place, to.at);
        if (site.room)
            write_frame(&to, site.room);
        else
            write_array(&to, site.size_register);
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
