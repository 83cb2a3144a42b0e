"""What a program sees and leaves behind: for each defence one that gets through without it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tests.sandbox import defence_switches as off
from tests.sandbox.defence_switches import Switch

from codequake.sandbox import Care, Limits, Mode
from codequake.tasks import Language

MIB = 1 << 20
QUICK = Limits(
    cpu_seconds=2.0, wall_factor=8.0, output_bytes=MIB, file_bytes=MIB, scratch_bytes=4 * MIB
)
# mov eax, 20 (getpid in the table of 32-bit calls); int 0x80; ret
OTHER_TABLE = (
    "import ctypes, mmap, platform\nassert platform.machine() == 'x86_64'\n"
    "room = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE, 7)\n"
    "room.write(bytes.fromhex('b814000000cd80c3'))\n"
    "place = ctypes.addressof(ctypes.c_char.from_buffer(room))\n"
    "print('got through', ctypes.CFUNCTYPE(ctypes.c_int)(place)())"
)
PORT, SHARED_KEY = 4242, 77
# Folders of the surroundings with files in them; IN_SYSTEM is one that every sandbox shows.
IN_SYSTEM = next(path for path in ("/usr/games", "/usr/share/misc") if Path(path).is_dir())
PLACES = ("/mnt", "/home", "/usr/local", IN_SYSTEM)


@dataclass(frozen=True)
class Row:
    """One defence, and programs that run with it and without it.

    ``off`` and ``on`` are patterns of what must be seen.  ``hidden_by`` are other defences that
    would stop the program as well: they are off both times, so that what differs is this one's
    doing.  ``kill_driver``: so many processes must run when their driver is killed.
    """

    name: str
    defence: Switch
    program: str | tuple[str, ...]
    off: str = "got through"
    on: str = "crashed"
    hidden_by: tuple[Switch, ...] = ()
    limits: Limits = QUICK
    mode: Mode = Mode.STDIN
    language: Language = Language.PYTHON
    inputs: tuple[str, ...] = ('"text"',)
    care: Care | None = None
    kill_driver: int = 0
    root: bool = False
    may_be_off: bool = False

    @property
    def programs(self) -> tuple[str, ...]:
        return (self.program,) if isinstance(self.program, str) else self.program

    @property
    def without(self) -> tuple[Switch, ...]:
        return (*self.hidden_by, self.defence)

    @property
    def entry_point(self) -> str | None:
        return None if self.mode is Mode.STDIN else "solve"


def limits(**changes: float) -> Limits:
    return replace(QUICK, **changes)  # type: ignore[arg-type]


TWICE = ('"a"', '"b"')
SOCKET = (off.calls("socket"),)
READ = "print(open({!r}).readline())"
THEN = "; print('got through')"
FRAMES = "import sys\nf, frames = sys._getframe(), []\nwhile f: frames.append(f); f = f.f_back\n"
LIBC = "import ctypes, os\nlibc = ctypes.CDLL(None)\n"

VIEW = (
    Row(
        "network",
        off.shared_namespace("net"),
        f"import socket\nsocket.create_connection(('127.0.0.1', {PORT}), 5){THEN}",
        on="refused",
        hidden_by=SOCKET,
    ),
    Row(
        "abstract sockets",
        off.shared_namespace("net"),
        "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('\\0codequake-trial')" + THEN,
        on="refused",
        hidden_by=SOCKET,
    ),
    Row(
        "process namespace, others",
        off.shared_namespace("pid"),
        "import os\nif os.getpid() != VICTIM: os.kill(VICTIM, 9)",
        off="victim was killed",
        on="victim lives",
    ),
    Row(
        "process namespace, survivors",
        off.shared_namespace("pid"),
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    os.closerange(0, 99)\n"
        "    os.fork() or time.sleep(1000)\nprint('done')",
        off="done.*a survivor",
        on="done.*nobody left",
    ),
    Row(
        "shared memory namespace",
        off.shared_namespace("ipc"),
        LIBC + "libc.shmat.restype = ctypes.c_void_p\n"
        f"segment = libc.shmget({SHARED_KEY}, 4096, 0)\n"
        "print(ctypes.string_at(libc.shmat(segment, None, 0)) if segment >= 0 else 'none')",
        on="none",
        hidden_by=(off.calls("shmget"),),
    ),
    Row(
        "name of the machine",
        off.without_words("--hostname", "sandbox"),
        "import os\nprint(os.uname().nodename)",
        off="surroundings",
        on="returned .sandbox",
    ),
    Row(
        "user",
        off.user,
        READ.format(f"{IN_SYSTEM}/closed"),
        on="Permission denied",
        root=True,
    ),
    Row(
        "group",
        off.popen(group=0),
        READ.format(f"{IN_SYSTEM}/grouped"),
        on="Permission denied",
        root=True,
    ),
    Row(
        "rights of root",
        off.without_words("--cap-drop", "ALL"),
        "import os\nos.chroot('/tmp'); print('got through')",
        on="not permitted",
        hidden_by=(off.user, off.calls("chroot")),
        root=True,
    ),
    Row(
        "system read-only",
        off.instead(("--ro-bind", "/usr"), ("--bind", "/usr")),
        f"open('{IN_SYSTEM}/planted', 'w')",
        off="a file was planted",
        on="Read-only file system.*nothing planted",
    ),
    Row(
        "root read-only",
        off.without_words("--remount-ro", "/"),
        "import os\nif os.path.exists('/left'): print('got through')\nopen('/left', 'w')",
        on="Read-only file system",
        inputs=TWICE,
    ),
    *(
        Row(
            f"unseen {path}",
            off.with_words("--ro-bind", top, top),
            READ.format(path),
            seen,
            "No such file",
        )
        for path, top, seen in (
            ("/etc/passwd", "/etc", "root:"),
            ("/home/open", "/home", "got through"),
            ("/mnt/open", "/mnt", "got through"),
            ("/sys/devices/system/cpu/online", "/sys", "returned .[0-9]"),
        )
    ),
    Row("unseen /usr/local", off.all_shown, READ.format("/usr/local/open"), on="No such"),
    Row(
        "empty folders read-only",
        off.without_words("--remount-ro", "/usr/local"),
        "import os\nif os.path.exists('/usr/local/left'): print('got through')\n"
        "open('/usr/local/left', 'w')",
        on="Read-only file system",
        inputs=TWICE,
    ),
    Row(
        "unseen /proc",
        off.with_words("--ro-bind", "/proc", "/proc"),
        "import glob, json, os\n"
        "for name in glob.glob('/proc/[0-9]*/fd/*') or os.listdir('/proc/1'):\n"
        "    try:\n        fd = os.open(name, os.O_WRONLY | os.O_NONBLOCK)\n"
        "        os.write(fd, (json.dumps(dict(event='run', index=0, ending='returned', detail='',"
        " output='\"got through\"', cpu=0, read=True)) + chr(10)).encode())\n"
        "    except OSError: pass",
        on="No such file",
    ),
    Row(
        "unseen devices",
        off.with_words("--dev", "/dev"),
        "import os\nprint('got through', os.openpty())",
        on="No such file|out of pty|crashed",
    ),
    Row(
        "clear environment",
        off.without_words("--clearenv"),
        "import os\nprint(os.environ['CODEQUAKE_TRIAL_SECRET'])",
        on="KeyError",
        hidden_by=(off.driver_environment,),
    ),
    Row(
        "empty environment of bubblewrap",
        off.driver_environment,
        "import os\nprint(os.environ['CODEQUAKE_TRIAL_SECRET'])",
        on="KeyError",
        hidden_by=(off.without_words("--clearenv"),),
    ),
    Row(
        "scratch of its own",
        off.instead(
            ("--size", str(QUICK.scratch_bytes), "--tmpfs", "/tmp"), ("--bind", "/mnt", "/tmp")
        ),
        ("open('left', 'w').write('got through')", "print(open('left').read())"),
        on="No such file",
        hidden_by=(off.wiping,),
    ),
    *(
        Row(
            f"{folder} emptied",
            off.wiping,
            f"import os\nif os.path.exists('{folder}/left'): print('got through')\n"
            f"open('{folder}/left', 'w')\nprint('end')",
            on="returned .end.*returned .end",
            inputs=TWICE,
        )
        for folder in ("/tmp", "/dev/shm", "/run")
    ),
)  # fmt: skip

ENDING = (
    Row(
        "calls of another architecture",
        off.architecture_rule,
        OTHER_TABLE,
        on="SIGSYS",
        may_be_off=True,
    ),
    Row(
        "everything killed after an input",
        off.reaping,
        "import os, time\nfor other in range(2, 200):\n    if other == os.getpid(): continue\n"
        "    try: os.kill(other, 0)\n    except OSError: continue\n    print('got through')\n"
        "if os.fork() == 0:\n    os.setsid()\n    os.closerange(0, 99)\n    time.sleep(1000)\n"
        "print('end')",
        on="returned .end.*returned .end",
        inputs=TWICE,
    ),
    Row(
        "group of process 1",
        off.own_group_of_process_1,
        "import os\nos.kill(0, 9)",
        off="brought its sandbox down",
        on="killed by SIGKILL|gave no result|exit code",
        hidden_by=(off.own_group_of_program,),
    ),
    Row(
        "group of bubblewrap",
        off.popen(process_group=None),
        "import os\nos.kill(0, 9)",
        off="victim was killed",
        on="victim lives",
        hidden_by=(off.own_group_of_process_1, off.own_group_of_program),
        root=True,  # else the driver is killed as well
    ),
    Row(
        "death with the driver",
        off.without_words("--die-with-parent"),
        "import time\ntime.sleep(1000)",
        off="a survivor",
        on="nobody left",
        hidden_by=(off.lifeline,),
        limits=limits(cpu_seconds=100),
        kill_driver=3,
    ),
    Row(
        "lifeline of process 1",
        off.lifeline,
        "import time\ntime.sleep(1000)",
        off="a survivor",
        on="nobody left",
        hidden_by=(off.without_words("--die-with-parent"),),
        limits=limits(cpu_seconds=100),
        kill_driver=3,
    ),
)
