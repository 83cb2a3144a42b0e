/* The only files that the compiler can open: our headers, in memory.
 *
 * libtcc reads files through open, read, lseek and close.  The linker sends its calls here
 * (--wrap), so that no name in a program reaches the file system: what is not one of our headers
 * does not exist.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

#include "worker.h"

#define PREFIX "/codequake/" /* where libtcc is told to look for <names> */
#define FIRST_NUMBER 1000    /* of our descriptors, far from those of the process */
#define MOST_OPEN 64

/* Made from the files in include/ when the worker is built. */
struct header {
    const char *name;
    const char *text;
    size_t size;
};
static const struct header headers[] = {
#include "headers.inc"
};

static struct {
    const struct header *header; /* null when free */
    size_t position;
} open_files[MOST_OPEN];

int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
off_t __wrap_lseek(int fd, off_t offset, int from);
int __wrap_close(int fd);
ssize_t __real_read(int fd, void *buffer, size_t size);
int __real_close(int fd);

static const struct header *find_header(const char *path)
{
    const size_t length = strlen(PREFIX);
    if (strncmp(path, PREFIX, length) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (strcmp(path + length, headers[i].name) == 0)
            return &headers[i];
    return NULL;
}

int __wrap_open(const char *path, int flags, ...)
{
    (void)flags;
    const struct header *found = find_header(path);
    for (int i = 0; found && i < MOST_OPEN; i++)
        if (!open_files[i].header) {
            open_files[i].header = found;
            open_files[i].position = 0;
            return FIRST_NUMBER + i;
        }
    errno = found ? EMFILE : ENOENT;
    return -1;
}

static int is_ours(int fd)
{
    return fd >= FIRST_NUMBER && fd < FIRST_NUMBER + MOST_OPEN
        && open_files[fd - FIRST_NUMBER].header;
}

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
    if (!is_ours(fd))
        return __real_read(fd, buffer, size);
    const struct header *header = open_files[fd - FIRST_NUMBER].header;
    size_t *position = &open_files[fd - FIRST_NUMBER].position;
    if (size > header->size - *position)
        size = header->size - *position;
    memcpy(buffer, header->text + *position, size);
    *position += size;
    return (ssize_t)size;
}

off_t __wrap_lseek(int fd, off_t offset, int from)
{
    if (!is_ours(fd) || from != 0 || offset < 0
        || (size_t)offset > open_files[fd - FIRST_NUMBER].header->size) {
        errno = EINVAL;
        return -1;
    }
    open_files[fd - FIRST_NUMBER].position = (size_t)offset;
    return offset;
}

int __wrap_close(int fd)
{
    if (!is_ours(fd))
        return __real_close(fd);
    open_files[fd - FIRST_NUMBER].header = NULL;
    return 0;
}
