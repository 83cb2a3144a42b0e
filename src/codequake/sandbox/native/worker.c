/* Process 1 of a sandbox for C programs: read programs, fork a child for each, tell what came.
 *
 * Requests come on descriptor 0 and records go to descriptor 1; descriptor 2 takes complaints.
 * A message is one letter, four bytes of size and that many bytes, numbers in the machine's order:
 *
 *   L  limits: struct limits
 *   I  inputs for the programs that follow: count, the size of each, all bytes
 *   P  a program's text, answered by a record: its size and processor time in microseconds (four
 *      bytes each), then "+" and one line of JSON for each input, or "?" and the reason of doubt
 *
 * Programs come one at a time, so that a child never holds more than its own; what an earlier one
 * left in our buffers is wiped.  Everything that runs dies with us, and we die with our driver.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "worker.h"

#define MOST_SOURCE ((uint32_t)1 << 20)
#define MOST_INPUT_BYTES ((uint32_t)8 << 20)
#define MOST_RECORD ((size_t)512 << 20)
#define WALL_FACTOR 5

struct limits {
    uint32_t slice_ms;
    uint32_t check;
    uint64_t memory_bytes;
    uint64_t output_bytes;
    uint64_t all_output_bytes;
};

static int requests, report, record_fd = -1;
static struct limits limits;
static char *source, *inputs, *record;
static uint32_t source_size, inputs_size;
static size_t record_size, record_room;

static void fail(const char *why)
{
    fprintf(stderr, "worker: %s\n", why);
    exit(1);
}

static void read_all(void *place, size_t size)
{
    for (char *at = place; size;) {
        const ssize_t got = read(requests, at, size);
        if (got <= 0)
            exit(0); /* the driver is gone */
        at += got;
        size -= (size_t)got;
    }
}

static void write_all(int fd, const void *data, size_t size)
{
    for (const char *at = data; size;) {
        const ssize_t put = write(fd, at, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            _exit(2);
        at += put;
        size -= (size_t)put;
    }
}

/* -- in the child ----------------------------------------------------------------------------- */

void write_record(const void *data, size_t size)
{
    write_all(record_fd, data, size);
}

void doubt(const char *reason)
{
    if (record_fd < 0)
        fail(reason);
    write_record("?", 1);
    write_record(reason, strnlen(reason, 200));
    _exit(0);
}

static void put_limits(void)
{
    const struct rlimit memory = {limits.memory_bytes, limits.memory_bytes};
    const struct rlimit none = {0, 0};
    const struct itimerval slice = {
        {0, 0}, {limits.slice_ms / 1000, limits.slice_ms % 1000 * 1000}};
    if (setrlimit(RLIMIT_AS, &memory) != 0 || setrlimit(RLIMIT_CORE, &none) != 0
        || setrlimit(RLIMIT_NPROC, &none) != 0 || setitimer(ITIMER_PROF, &slice, NULL) != 0)
        _exit(3);
}

static _Noreturn void run_child(void)
{
    const uint32_t count = *(uint32_t *)inputs;
    const uint32_t *sizes = (uint32_t *)inputs + 1;
    const char **texts = malloc((count + 1) * sizeof *texts);
    const char *text = (const char *)(sizes + count);
    close(requests);
    close(report);
    put_limits();
    prepare_stack();
    forbid_system_calls(record_fd);
    const char *refused = refuse_source(source);
    if (refused)
        doubt(refused);
    if (!texts)
        doubt("no memory for the inputs");
    for (uint32_t i = 0; i < count; text += sizes[i++])
        texts[i] = text;
    const struct task task = {
        .source = source, .inputs = texts, .input_sizes = sizes, .input_count = count,
        .check = limits.check, .memory_bytes = limits.memory_bytes,
        .output_bytes = limits.output_bytes, .all_output_bytes = limits.all_output_bytes};
    run_program(&task);
    _exit(0);
}

/* -- beside the child ------------------------------------------------------------------------- */

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void keep(const char *bytes, size_t size)
{
    if (record_size + size > record_room) {
        record_room = 2 * (record_size + size);
        record = realloc(record, record_room);
        if (!record)
            fail("no memory for a record");
    }
    memcpy(record + record_size, bytes, size);
    record_size += size;
}

/* Read what the child writes until it ends; false when it uses up its time or writes too much. */
static int collect(int reader)
{
    static char piece[1 << 16];
    const size_t most = 6 * limits.all_output_bytes + MOST_SOURCE;
    const long end = now_ms() + (long)limits.slice_ms * WALL_FACTOR;
    for (;;) {
        struct pollfd waiting[] = {{reader, POLLIN, 0}, {requests, 0, 0}};
        const long left = end - now_ms();
        if (left <= 0 || poll(waiting, 2, (int)left) == 0)
            return 0;
        if (waiting[1].revents & (POLLHUP | POLLERR))
            _exit(0); /* the driver is gone; as process 1 we take the child with us */
        const ssize_t got = read(reader, piece, sizeof piece);
        if (got <= 0)
            return got == 0;
        keep(piece, (size_t)got);
        if (record_size > most || record_size > MOST_RECORD)
            return 0;
    }
}

static void answer(const char *bytes, size_t size, const struct rusage *used)
{
    uint32_t head[2] = {(uint32_t)size, 0};
    head[1] = (uint32_t)((used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000000
                         + used->ru_utime.tv_usec + used->ru_stime.tv_usec);
    write_all(report, head, sizeof head);
    write_all(report, bytes, size);
}

static void run_source(void)
{
    static const char ended[] = "?ended by a signal, a limit or a refused call";
    int ends[2], status = 0;
    struct rusage used;
    if (!inputs_size || !limits.slice_ms)
        fail("a program came before its inputs and limits");
    if (pipe(ends) != 0)
        fail("no pipe");
    if (record)
        memset(record, 0, record_size);
    record_size = 0;
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        record_fd = ends[1];
        run_child();
    }
    close(ends[1]);
    if (child < 0)
        fail("cannot fork");
    const int whole = collect(ends[0]);
    close(ends[0]);
    if (!whole)
        kill(child, SIGKILL);
    if (wait4(child, &status, 0, &used) != child)
        fail("lost a child");
    if (getpid() == 1)
        kill(-1, SIGKILL); /* there is nobody, and nobody shall be */
    while (waitpid(-1, NULL, 0) > 0)
        ;
    if (whole && WIFEXITED(status) && WEXITSTATUS(status) == 0 && record_size)
        answer(record, record_size, &used);
    else
        answer(ended, sizeof ended - 1, &used);
}

static void check_inputs(void)
{
    const uint32_t *numbers = (uint32_t *)inputs;
    uint64_t needed = 4;
    if (inputs_size < 4 || numbers[0] > inputs_size / 4)
        fail("inputs are cut");
    for (uint32_t i = 0; i < numbers[0]; i++)
        needed += 4 + (uint64_t)numbers[1 + i];
    if (!numbers[0] || needed != inputs_size)
        fail("inputs have wrong sizes");
}

/* Read into a buffer of ours, and wipe what an earlier message left behind it. */
static void receive(char *place, uint32_t *known, uint32_t size, uint32_t most)
{
    if (size >= most)
        fail("a message is too long");
    read_all(place, size);
    if (*known > size)
        memset(place + size, 0, *known - size);
    place[size] = 0;
    *known = size;
}

static void serve(void)
{
    for (;;) {
        char kind;
        uint32_t size;
        read_all(&kind, 1);
        read_all(&size, sizeof size);
        if (kind == 'L' && size == sizeof limits) {
            read_all(&limits, sizeof limits);
        } else if (kind == 'I') {
            receive(inputs, &inputs_size, size, MOST_INPUT_BYTES);
            check_inputs();
        } else if (kind == 'P') {
            receive(source, &source_size, size, MOST_SOURCE);
            run_source();
        } else {
            fail("a message of no known kind");
        }
    }
}

int main(void)
{
    setpgid(0, 0); /* the group that we were started in holds bubblewrap itself */
    requests = dup(0);
    report = dup(1);
    dup2(2, 1);
    close(0);
    source = mmap(NULL, MOST_SOURCE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    inputs = mmap(NULL, MOST_INPUT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                  -1, 0);
    if (requests < 0 || report < 0 || source == MAP_FAILED || inputs == MAP_FAILED)
        fail("cannot start");
    prepare_compiler();
    prepare_library();
    write_all(report, "ready   ", 8);
    serve();
}
