/* Run a program that gcc made once for each input, each in a process of its own, without exec.
 *
 * Loaded before the program (LD_PRELOAD), it stands where the C library would call main.  It forks
 * once for each input; the child gets its limits, a filter that leaves it nothing but memory, its
 * input and its output, and then starts as it would have without us.  The first input that does
 * not end with exit code 0 ends everything: what then happens is told by a sandbox of its own.
 *
 * The folder with in0, in1, ... and the numbers come by the environment, which is cleaned before
 * the program sees it.  Outputs go to one file, one after the other, and their ends to descriptor
 * 3: two numbers an input, where its output ends, and whether a byte of it was read.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
#define OUR_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE AUDIT_ARCH_AARCH64
#else
#error "the filter knows x86-64 and aarch64 only"
#endif

#define REPORT_FD 3
#define OUTPUT_FD 4

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define END(value) BPF_STMT(BPF_RET | BPF_K, value)
#define IF(number, what) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), END(what)
#define ALLOW(number) IF(number, SECCOMP_RET_ALLOW)
#define ARGUMENT(number) (offsetof(struct seccomp_data, args) + 8 * (number))

/* Memory, reading the input, writing the output, and the end; it has descriptors 0 to 2. */
static void forbid_system_calls(void)
{
    struct sock_filter steps[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_MACHINE, 1, 0),
        END(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        ALLOW(SYS_read),
        ALLOW(SYS_write),
        ALLOW(SYS_brk),
        ALLOW(SYS_munmap),
        ALLOW(SYS_mremap),
        ALLOW(SYS_madvise),
        ALLOW(SYS_lseek),
        ALLOW(SYS_fstat),
        ALLOW(SYS_newfstatat),
        ALLOW(SYS_getrandom),
        ALLOW(SYS_sysinfo), /* qsort asks how much memory there is */
        ALLOW(SYS_clock_gettime),
        ALLOW(SYS_rt_sigprocmask),
        ALLOW(SYS_exit_group),
        IF(SYS_ioctl, SECCOMP_RET_ERRNO | ENOTTY), /* it asks whether it writes to a terminal */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(4)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 0, 1),
        END(SECCOMP_RET_ALLOW),
        END(SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
        _exit(9);
}

static uint64_t number_of(const char *name)
{
    const char *text = getenv(name);
    const uint64_t number = text ? strtoull(text, NULL, 10) : 0;
    unsetenv(name);
    return number;
}

static struct {
    uint64_t count, cpu_ms, wall_ms, output;
} job;

static void put_limits(off_t printed)
{
    const struct rlimit none = {0, 0}; /* that of memory is on us since we were started */
    const struct rlimit output = {job.output + (rlim_t)printed, job.output + (rlim_t)printed};
    const struct itimerval cpu = {{0, 0},
                                  {(time_t)job.cpu_ms / 1000, (long)job.cpu_ms % 1000 * 1000}};
    const struct itimerval wall = {{0, 0},
                                   {(time_t)job.wall_ms / 1000, (long)job.wall_ms % 1000 * 1000}};
    if (setrlimit(RLIMIT_CORE, &none) || setrlimit(RLIMIT_FSIZE, &output)
        || setrlimit(RLIMIT_NPROC, &none)
        || setitimer(ITIMER_PROF, &cpu, NULL) || setitimer(ITIMER_REAL, &wall, NULL))
        _exit(9);
}

static void become_program(int input, off_t printed)
{
    const int null = open("/dev/null", O_WRONLY);
    put_limits(printed);
    if (null < 0 || dup2(input, 0) < 0 || dup2(OUTPUT_FD, 1) < 0 || dup2(null, 2) < 0)
        _exit(9);
    for (int fd = 3; fd < 16; fd++)
        close(fd);
    forbid_system_calls();
}

int __libc_start_main(main_function *program, int count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*end)(void), void *stack);

int __libc_start_main(main_function *program, int count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*end)(void), void *stack)
{
    start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
    unsetenv("LD_PRELOAD");
    unsetenv("MALLOC_PERTURB_"); /* the C library has read it */
    job.count = number_of("CODEQUAKE_COUNT");
    job.cpu_ms = number_of("CODEQUAKE_CPU_MS");
    job.wall_ms = number_of("CODEQUAKE_WALL_MS");
    job.output = number_of("CODEQUAKE_OUTPUT");
    for (uint64_t i = 0; i < job.count; i++) {
        char name[32];
        int status;
        snprintf(name, sizeof name, "in%llu", (unsigned long long)i);
        const int input = open(name, O_RDONLY);
        const off_t printed = lseek(OUTPUT_FD, 0, SEEK_END);
        if (input < 0 || printed < 0)
            _exit(9);
        const pid_t child = fork();
        if (child == 0) {
            become_program(input, printed);
            return start(program, count, arguments, init, fini, end, stack);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            _exit(8);
        const uint64_t record[] = {(uint64_t)lseek(OUTPUT_FD, 0, SEEK_END),
                                   lseek(input, 0, SEEK_CUR) > 0};
        if (write(REPORT_FD, record, sizeof record) != sizeof record)
            _exit(9);
        close(input);
    }
    _exit(0);
}
