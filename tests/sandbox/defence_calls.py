"""For each system call that the filter refuses: what a program gains when it is let through."""

from __future__ import annotations

import platform
from dataclasses import dataclass

from tests.sandbox.defence_rows import Row
from tests.sandbox.defence_switches import (
    Switch,
    calls,
    clone3_rule,
    limits_of_others_rule,
    namespace_flags,
    terminal_rule,
    x32_rule,
)

from codequake.sandbox import seccomp

COLUMN = seccomp.MACHINES.index(platform.machine()) if platform.machine() in seccomp.MACHINES else 0


@dataclass(frozen=True)
class Call:
    """``arguments`` is Python text; ``before`` runs first.

    ``gains`` is what a result that is no error means; empty where the kernel itself refuses a
    program without rights, and all that can be shown is that the call reached it.  In a
    ``namespace`` of its own a program has rights there, which the rules for ``unshare`` deny.
    ``may_be_off``: some kernels are set up to refuse the call to everybody.  ``off`` is what is
    seen instead of a gain.
    """

    arguments: str
    gains: str = ""
    before: str = ""
    namespace: int = 0
    may_be_off: bool = False
    off: str = ""


NEW_USER, NEW_MOUNT, NEW_NAMES = 0x10000000, 0x20000, 0x4000000
MOUNTS = NEW_USER | NEW_MOUNT
OWN = "n = id(None)\nbuffer = ctypes.create_string_buffer(64)\n"
VECTORS = OWN + "mine = (ctypes.c_long * 2)(ctypes.addressof(buffer), 8)\n"
VECTORS += "theirs = (ctypes.c_long * 2)(n, 8)\n"
COPY = VECTORS + "ctypes.memmove(buffer, n, 8)\n"
PROCESS_1 = "one = call(434, 1, 0)[0]\nassert one >= 0\n"  # pidfd_open

CALLS = {
    "socket": Call("16, 3, 0", "talks to the kernel's network"),
    "ptrace": Call("0x4206, 1, 0, 0", "holds process 1", may_be_off=True),
    "process_vm_readv": Call("1, mine, 1, theirs, 1, 0", "reads process 1", VECTORS, 0, True),
    "process_vm_writev": Call("1, mine, 1, theirs, 1, 0", "writes in process 1", COPY, 0, True),
    "kcmp": Call("1, os.getpid(), 2, 0, 0", "compares with process 1", may_be_off=True),
    "pidfd_getfd": Call("one, 0, 0", "takes a file of process 1", PROCESS_1, 0, True),
    "process_madvise": Call("-1, mine, 1, 20, 0", "", VECTORS),
    "process_mrelease": Call("one, 0", "", PROCESS_1, 0, True),
    "bpf": Call("999, 0, 0", may_be_off=True),
    "perf_event_open": Call("0, 0, 0, 0, 0", may_be_off=True),
    "io_uring_setup": Call(
        "1, ctypes.create_string_buffer(120)", "a ring of calls that no filter sees", "", 0, True
    ),
    "io_uring_enter": Call("-1, 0, 0, 0, 0, 0"),
    "io_uring_register": Call("-1, 0, 0, 0"),
    "io_setup": Call("1, ctypes.create_string_buffer(8)", "memory of the kernel"),
    "userfaultfd": Call("1", "stops the kernel in the middle", may_be_off=True),
    "add_key": Call("b'user', b'codequake', b'text', 4, -2", "memory of the kernel"),
    "request_key": Call("b'user', b'codequake', 0, -2"),
    "keyctl": Call("0, -2, 1, 0, 0", "a key ring"),
    "mount": Call("b'x', b'/tmp', b'tmpfs', 0, 0", "a mount", "", MOUNTS),
    "umount2": Call("b'/tmp', 0", namespace=MOUNTS),
    "pivot_root": Call("b'/tmp', b'/tmp'", namespace=MOUNTS),
    "chroot": Call("b'/tmp'", "another root", "", NEW_USER),
    "open_tree": Call("-100, b'/tmp', 1", "a copy of a mount", "", MOUNTS),
    "move_mount": Call("-1, b'', -1, b'', 4", namespace=MOUNTS),
    "fsopen": Call("b'tmpfs', 0", "a new file system", "", MOUNTS),
    "fsconfig": Call("-1, 0, 0, 0, 0", namespace=MOUNTS),
    "fsmount": Call("-1, 0, 0", namespace=MOUNTS),
    "fspick": Call("-100, b'/tmp', 0", "a file system to change", "", MOUNTS),
    "mount_setattr": Call(
        "-100, b'/tmp', 0, (ctypes.c_long * 4)(1), 32", "changes a mount", "", MOUNTS
    ),
    "unshare": Call(str(NEW_USER), "rights of its own"),
    "setns": Call("-1, 0"),
    "open_by_handle_at": Call("-1, ctypes.create_string_buffer(24), 0", may_be_off=True),
    "name_to_handle_at": Call("-100, b'/usr', 0, 0, 0"),
    "fanotify_init": Call("0x200, 0", "watches files", "", 0, True),
    "lookup_dcookie": Call("0, 0, 0", may_be_off=True),
    "personality": Call("0x40000", "addresses that can be foretold"),
    "modify_ldt": Call("0, buffer, 8", "segments of its own", OWN),
    "uselib": Call("0"),
    "iopl": Call("0"),
    "ioperm": Call("0, 1, 0"),
    "clock_settime": Call("99, 0"),
    "adjtimex": Call("ctypes.create_string_buffer(256)", "reads the clock's tuning"),
    "clock_adjtime": Call("0, ctypes.create_string_buffer(256)", "reads the clock's tuning"),
    "sethostname": Call("b'x', 1", "another name", "", NEW_USER | NEW_NAMES),
    "setdomainname": Call("b'x', 1", "another name", "", NEW_USER | NEW_NAMES),
    "semget": Call("7, 1, 0o1600", "leaves something behind"),
    "msgget": Call("7, 0o1600", "leaves something behind"),
    "shmget": Call("7, 4096, 0o1600", "leaves something behind"),
    "mq_open": Call("b'codequake', 0o102, 0o600, 0", "leaves something behind"),
    "memfd_create": Call("b'x', 0", "memory beside the limits"),
    "memfd_secret": Call("0", "memory beside the limits", may_be_off=True),
    "mbind": Call("0, 0, 0, 0, 0, 0", "moves memory"),
    "set_mempolicy": Call("0, 0, 0", "moves memory"),
    "migrate_pages": Call("1, 0, 0, 0", may_be_off=True),
    "move_pages": Call("1, 0, 0, 0, 0, 0", "moves memory of process 1", may_be_off=True),
    "setpriority": Call("0, 1, 19", "slows process 1"),
    "sched_setscheduler": Call("1, 5, ctypes.create_string_buffer(4)", "slows process 1"),
    "sched_setparam": Call("1, ctypes.create_string_buffer(4)", "slows process 1"),
    "sched_setattr": Call("1, (ctypes.c_int * 12)(48, 5), 0", "slows process 1"),
    "sched_setaffinity": Call("1, 8, (ctypes.c_long * 1)(1)", "moves process 1"),
    "ioprio_set": Call("1, 1, 3 << 13", "slows process 1"),
}

# A program without rights is refused by the kernel before it looks at anything else, or nothing
# may be tried that could reach the machine: no program can show what these rules add.
NOT_SHOWN = frozenset(
    {
        *("quotactl", "acct", "swapon", "swapoff", "reboot", "syslog", "init_module"),
        *("finit_module", "delete_module", "kexec_load", "kexec_file_load", "vhangup"),
        "settimeofday",
    }
)

# name: (switch, number, call)
RULES: dict[str, tuple[Switch, int, Call]] = {
    "clone with namespaces": (
        namespace_flags,
        seccomp._CLONE[COLUMN],
        Call("0x10000011, 0, 0, 0, 0", "rights of its own"),
    ),
    "clone3": (
        clone3_rule,
        seccomp._CLONE3[COLUMN],
        Call("(ctypes.c_long * 11)(0x10000000, 0, 0, 0, 17), 88", "rights of its own"),
    ),
    "limits of process 1": (
        limits_of_others_rule,
        seccomp._PRLIMIT[COLUMN],
        Call("1, 7, (ctypes.c_long * 2)(0, 0), 0", off="brought its sandbox down"),
    ),
    "text into a terminal": (terminal_rule, seccomp._IOCTL[COLUMN], Call("0, 0x5412, b'x'")),
}
if platform.machine() == "x86_64":
    RULES["the other table of calls"] = (x32_rule, 0x40000000 + 39, Call(""))

PROGRAM = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(*given):
    given = [ctypes.c_long(item) if isinstance(item, int) else item for item in given]
    result = libc.syscall(*given)
    return result, ctypes.get_errno() if result < 0 else 0
{before}
if {namespace}:
    assert call({unshare}, {namespace}) == (0, 0)
result, error = call({number}, {arguments})
if result == 0 and os.getpid() == 1: os._exit(0)
refused = error in (1, {refusal})
print("got through" if result >= 0 else "refused" if refused else "reached it", error)
"""


def _row(name: str, switch: Switch, number: int, call: Call, refusal: int = 1) -> Row:
    unshare = seccomp._DENIED["unshare"][COLUMN]
    program = PROGRAM.format(
        before=call.before,
        namespace=call.namespace,
        unshare=unshare,
        number=number,
        arguments=call.arguments,
        refusal=refusal,
    )
    return Row(
        f"call {name}",
        switch,
        program,
        off=call.off or ("got through" if call.gains else "got through|reached it"),
        on="refused",
        hidden_by=(calls("unshare"),) if call.namespace else (),
        may_be_off=call.may_be_off,
    )


def _call_rows() -> list[Row]:
    rows = []
    for name, call in CALLS.items():
        number = seccomp._DENIED[name][COLUMN]
        if number is None:
            continue
        let_through = (name, "unshare") if call.namespace else (name,)
        rows.append(_row(name, calls(*let_through), number, call))
    rows += [
        _row(name, switch, number, call, 38 if name == "clone3" else 1)
        for name, (switch, number, call) in RULES.items()
    ]
    return rows


CALL_ROWS = _call_rows()
