/* The system-call filter of a child: stricter than that of its sandbox.
 *
 * A program is compiled and run in one process, so whatever its code does, inline assembly
 * included, it can ask the kernel for memory, write its record and end.  Anything else kills it,
 * and gcc's path decides.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker.h"

#ifdef __x86_64__
#define OUR_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE AUDIT_ARCH_AARCH64
#else
#error "the filter knows x86-64 and aarch64 only"
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ARGUMENT_LOW(number) (offsetof(struct seccomp_data, args) + 8 * (number))
#define END(value) BPF_STMT(BPF_RET | BPF_K, value)
#define ALLOW(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), END(SECCOMP_RET_ALLOW)

void forbid_system_calls(int record_fd)
{
    struct sock_filter steps[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_MACHINE, 1, 0),
        END(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        ALLOW(SYS_brk),
        ALLOW(SYS_munmap),
        ALLOW(SYS_mprotect),
        ALLOW(SYS_mremap),
        ALLOW(SYS_madvise),
        ALLOW(SYS_rt_sigreturn),
        ALLOW(SYS_rt_sigprocmask),
        ALLOW(SYS_exit_group),
        /* mmap of no file */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT_LOW(4)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 0, 1),
        END(SECCOMP_RET_ALLOW),
        END(SECCOMP_RET_KILL_PROCESS),
        /* write to the record */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT_LOW(0)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)record_fd, 0, 1),
        END(SECCOMP_RET_ALLOW),
        END(SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
        _exit(3); /* without it nothing is run */
}
