"""The system-call filter of a sandbox, as the classic BPF program that bubblewrap loads.

Calls that a candidate program never needs, and that have opened kernels or other processes
before, are refused with EPERM; ``clone3`` with ENOSYS, so that the C library falls back to
``clone``, whose flags can be looked at.  System calls of another architecture kill the process.
Numbers are those of the kernel's tables for x86_64 and aarch64.
"""

from __future__ import annotations

import platform
import struct

from codequake.errors import SandboxUnavailableError

__all__ = ["CLONE_FLAGS", "FOR_COPIES", "MACHINES", "clone_number", "filter_program"]
__all__ += ["program_for_copies"]

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINES = tuple(_AUDIT_ARCH)

# name: (x86_64, aarch64); None where an architecture has no such call
_DENIED: dict[str, tuple[int, int | None]] = {
    "socket": (41, 198),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_setup": (206, 0),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "syslog": (103, 116),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "personality": (135, 92),
    "lookup_dcookie": (212, 18),
    "vhangup": (153, 58),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "iopl": (172, None),
    "ioperm": (173, None),
    "clock_settime": (227, 112),
    "settimeofday": (164, 170),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    # memory that outlives or escapes the limits of one process
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # the priority and the processors of process 1, which has the same user
    "setpriority": (141, 140),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "sched_setaffinity": (203, 122),
    "ioprio_set": (251, 30),
}
_CLONE = (56, 220)
_CLONE3 = (435, 435)
_IOCTL = (16, 29)
_PRLIMIT = (302, 261)
_MMAP = (9, 222)

CLONE_FLAGS = "clone flags"
"""The name that ``filter_program`` knows the refusal of new namespaces by."""
FOR_COPIES = frozenset({"mount", CLONE_FLAGS})
"""What process 1 needs to give each program namespaces of its own."""

_TERMINAL_CALLS = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX put text into a terminal
_NAMESPACE_FLAGS = 0x7E020080  # CLONE_NEW{NS,TIME,CGROUP,UTS,IPC,USER,PID,NET}
_SHARED_MEMORY = 0x21  # MAP_SHARED and MAP_ANONYMOUS
_X32_BIT = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_AND = 0x54
_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_REFUSE = 0x00050001  # EPERM
_NO_SUCH_CALL = 0x00050026  # ENOSYS
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16


def filter_program(machine: str | None = None, *, leave_out: frozenset[str] = frozenset()) -> bytes:
    """Return the filter for ``machine`` (default: this one) as an array of ``sock_filter``.

    ``leave_out`` names calls to let through; it serves tests that show what a rule is good for.
    Raises ``SandboxUnavailableError`` on an architecture whose numbers are not in the table.
    """
    machine = machine or platform.machine()
    column = _column(machine)
    code = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, _AUDIT_ARCH[machine]), (_RETURN, 0, 0, _KILL)]
    code.append((_LOAD, 0, 0, _NUMBER))
    if machine == "x86_64":
        code += [(_AT_LEAST, 0, 1, _X32_BIT), (_RETURN, 0, 0, _REFUSE)]
    for name, numbers in _DENIED.items():
        number = numbers[column]
        if number is not None and name not in leave_out:
            code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    code += [(_EQUAL, 0, 1, _CLONE3[column]), (_RETURN, 0, 0, _NO_SUCH_CALL)]
    if CLONE_FLAGS not in leave_out:
        code += _on_argument(_CLONE[column], 0, (_ANY_BIT, 0, 1, _NAMESPACE_FLAGS))
    for request in _TERMINAL_CALLS:
        code += _on_argument(_IOCTL[column], 1, (_EQUAL, 0, 1, request))
    # Limits of other processes, process 1 above all: only the caller's own (0) may be changed.
    code += _on_argument(_PRLIMIT[column], 0, (_EQUAL, 1, 0, 0))
    code += _on_shared_memory(_MMAP[column])
    code.append((_RETURN, 0, 0, _ALLOW))
    return _packed(code)


def program_for_copies(machine: str | None = None) -> bytes:
    """Return the filter that a copy puts above ``filter_program(leave_out=FOR_COPIES)``.

    The two together refuse what the whole filter refuses: the stricter answer counts.
    """
    column = _column(machine or platform.machine())
    number = _DENIED["mount"][column]
    assert number is not None
    code = [(_LOAD, 0, 0, _NUMBER), (_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    code += _on_argument(_CLONE[column], 0, (_ANY_BIT, 0, 1, _NAMESPACE_FLAGS))
    code.append((_RETURN, 0, 0, _ALLOW))
    return _packed(code)


def clone_number(machine: str | None = None) -> int:
    """Return the number of the system call ``clone``."""
    return _CLONE[_column(machine or platform.machine())]


def _column(machine: str) -> int:
    if machine not in _AUDIT_ARCH:
        raise SandboxUnavailableError(
            f"no system-call filter for the architecture {machine!r}; known: {', '.join(MACHINES)}"
        )
    return MACHINES.index(machine)


def _packed(code: list[tuple[int, int, int, int]]) -> bytes:
    return b"".join(struct.pack("<HBBI", *step) for step in code)


def _on_argument(
    number: int, argument: int, test: tuple[int, int, int, int]
) -> list[tuple[int, int, int, int]]:
    """Refuse call ``number`` when ``test`` holds for the low half of one of its arguments."""
    return [
        (_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _ARGUMENTS + 8 * argument),
        test,
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, _NUMBER),
    ]


def _on_shared_memory(number: int) -> list[tuple[int, int, int, int]]:
    """Refuse memory that is shared and belongs to no file.

    All of it stays as long as one page of it is mapped, so that a process can hold any amount:
    neither its address space nor its resident pages tell.  Files in memory have a limit.
    """
    return [
        (_EQUAL, 0, 5, number),
        (_LOAD, 0, 0, _ARGUMENTS + 8 * 3),
        (_AND, 0, 0, _SHARED_MEMORY),
        (_EQUAL, 0, 1, _SHARED_MEMORY),
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, _NUMBER),
    ]
