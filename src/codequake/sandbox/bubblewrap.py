"""The sandbox made by bubblewrap: own namespaces, no network, no rights, a filter, and limits."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from codequake.errors import SandboxUnavailableError
from codequake.sandbox.c_ladder import CLadder
from codequake.sandbox.driving import Driver, Launch, Reporter
from codequake.sandbox.forks import Forks
from codequake.sandbox.interpreter import (
    PLACE_INSIDE,
    SYSTEM_PYTHON,
    Interpreter,
    find_interpreter,
)
from codequake.sandbox.jobs import ALL_MODES, Care, Job, Limits, Outcome
from codequake.sandbox.pool import ServerLaunch
from codequake.sandbox.sanitizing import with_trap_named
from codequake.sandbox.seccomp import FOR_COPIES, filter_program
from codequake.sandbox.sources import gcc_source, runner_source
from codequake.sandbox.toolchains import COMPILER, compiler_version
from codequake.sandbox.workers import Workers
from codequake.tasks import Language

__all__ = ["BubblewrapBackend", "counts_processes_per_sandbox", "hidden_folders", "sandbox_user"]

NOBODY = 65534
INSTALL_HINT = "install it with `apt-get install bubblewrap`"
_GCC_ROOM = 256 << 20
IO_FOLDER = "/run"
SCRATCH = "/tmp"  # noqa: S108 - a file system of its own, seen by one program only
_WRITABLE = ("/dev/shm", SCRATCH, IO_FOLDER)  # noqa: S108
# Not /dev/zero: it can be mapped as shared memory, of which no limit knows.
_DEVICES = ("null", "full", "random", "urandom")
# Where codequake itself, its problems with their hidden tests, and a user's data may lie.
_OF_THIS_MACHINE = ("/usr/local", "/usr/src")
_LINKED = ("bin", "lib", "lib32", "lib64", "sbin")
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": SCRATCH,
    "TMPDIR": SCRATCH,
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONNOUSERSITE": "1",
}


def sandbox_user() -> int | None:
    """Return the user that programs become: nobody when we are root, else ``None`` (our own).

    Inside a user namespace that maps root alone (a container without root, ``unshare -r``) there
    is no nobody to become; root is an ordinary user of the machine there.
    """
    return NOBODY if os.geteuid() == 0 and _is_mapped(NOBODY) else None


def _is_mapped(user: int) -> bool:
    """Whether our user namespace knows a user."""
    try:
        lines = Path("/proc/self/uid_map").read_text("ascii").splitlines()
    except OSError:
        return True
    ranges = [[int(part) for part in line.split()] for line in lines]
    return any(first <= user < first + count for first, _, count in ranges)


def counts_processes_per_sandbox() -> bool:
    """Whether the kernel counts processes per user namespace (Linux 5.14 and later).

    Older kernels count all processes of the user; a limit would then depend on what else runs.
    """
    numbers = platform.release().split("-")[0].split(".")
    return [int(part) for part in numbers[:2] if part.isdigit()] >= [5, 14]


def hidden_folders(found: Interpreter) -> tuple[str, ...]:
    """Return the folders, by their names inside, that a program must find empty.

    They are parts of what a sandbox shows.  One that holds the interpreter or the compiler stays.
    """
    needed = [os.path.realpath(path) for path in (SYSTEM_PYTHON, COMPILER)]
    folders = [
        name
        for name in _OF_THIS_MACHINE
        if Path(name).is_dir()
        and not Path(name).is_symlink()
        and not any(path.startswith(f"{name}/") for path in needed)
    ]
    if found.prefix is not None:
        folders += [
            f"{PLACE_INSIDE}/{path.relative_to(found.prefix)}"
            for path in sorted(found.prefix.glob("lib/python*/site-packages"))
        ]
    return tuple(folders)


class BubblewrapBackend:
    """Runs each job in a bubblewrap sandbox of its own.

    A program sees the libraries and ``/usr`` without ``/usr/local`` and ``/usr/src``, read-only, an
    empty ``/tmp`` of its own and four harmless devices; no home, no data, no ``/proc``, no network.
    It runs as a user without rights and without capabilities, under a system-call filter and
    resource limits.  Everything that it starts dies with it, and dies when we are killed.  Memory
    is limited per process (address space), since control groups need rights that an ordinary user
    has not; what all its processes hold is watched besides.
    """

    warning = ""
    modes = ALL_MODES

    def __init__(self, interpreter: Interpreter | None = None, *, sanitize: bool = False) -> None:
        """``sanitize``: compiled programs end at undefined behaviour, and all run alone.

        Raises ``SandboxUnavailableError`` with the remedy when bubblewrap is missing.
        """
        program = shutil.which("bwrap")
        if program is None:
            raise SandboxUnavailableError(f"bubblewrap (bwrap) is not installed; {INSTALL_HINT}")
        self._program = program
        self._user = sandbox_user()
        found = interpreter or find_interpreter(without_rights=self._user is not None)
        self._interpreter = found
        self._hidden = hidden_folders(found)
        self._filter = filter_program()
        self._runner = runner_source(magic=found.magic)
        self._server = runner_source("zygote", magic=found.magic)
        self._origin = runner_source("origin", magic=found.magic)
        self._count_processes = counts_processes_per_sandbox()
        compiler = f"gcc {compiler_version() or 'missing'}"
        self._sanitize = sanitize
        self.name = f"bwrap+seccomp+rlimits, Python {found.version}, {compiler}"
        if sanitize:
            self.name += ", UBSan"
        self._driver = Driver(self.name, self.warning)
        self._workers = Workers(self._served(self._worker_command, self._filter), self.name)
        self._forks = Forks(
            self._served(self._fork_command, filter_program(leave_out=FOR_COPIES)),
            self._launch((), ()),
            Reporter(self.name, self.warning),
        )
        self._ladder = CLadder(
            lambda program: self._served(partial(self._bare_command, program), self._filter),
            self._served(self._gcc_command, self._filter),
            self.name,
        )

    def _served(
        self, command: Callable[[int], tuple[str, ...]], filter_bytes: bytes
    ) -> ServerLaunch:
        return ServerLaunch(command, filter_bytes, self._user, self._count_processes)

    def _launch(self, command: tuple[str, ...], keep_open: tuple[int, ...]) -> Launch:
        return Launch(
            command=command,
            keep_open=keep_open,
            folder=IO_FOLDER,
            scratch=SCRATCH,
            environment={},
            user=self._user,
            count_processes=self._count_processes,
            sanitize=self._sanitize,
        )

    @property
    def trouble(self) -> str:
        """Why sandboxes that serve many programs do not start; empty when they do."""
        faults = sorted({self._workers.fault, self._forks.fault, *self._ladder.faults} - {""})
        if not faults:
            return ""
        return (
            "programs run slowly, each in a sandbox of its own, since sandboxes that serve many do "
            f"not start ({'; '.join(faults)}); the verdicts are the same"
        )

    def run(self, job: Job) -> Outcome:
        """Run one program in a fresh sandbox."""
        filter_fd = os.memfd_create("filter")
        try:
            os.write(filter_fd, self._filter)
            launch = self._launch(self._command(filter_fd, job.limits), (filter_fd,))
            outcome = self._driver.run(job, launch)
        finally:
            os.close(filter_fd)
        return with_trap_named(outcome) if self._sanitize else outcome

    def run_all(self, jobs: Sequence[Job], care: Care = Care.ALONE) -> tuple[Outcome, ...]:
        """Run several programs, in order, with the care asked for or more.

        Python programs that are called and C programs run together or apart, and every Python
        program runs forked.  Those that used up a limit there, crashed their process or are too
        large get more care.  See ``Outcome.settled``.
        """
        kills = self._driver.kills
        found: list[Outcome | None] = [None] * len(jobs)
        if care in (Care.TOGETHER, Care.APART):
            found = self._workers.run(jobs, share=care is Care.TOGETHER)
            if not self._sanitize:
                self._ladder.run(jobs, found, care)
        return tuple(
            outcome or self._run_unless_killed(job, care, kills)
            for job, outcome in zip(jobs, found, strict=True)
        )

    def _run_unless_killed(self, job: Job, care: Care, kills: int) -> Outcome:
        if (
            care is not Care.ALONE
            and job.language is Language.PYTHON
            and self._driver.kills == kills
        ):
            outcome = self._forks.run(job)
            if outcome is not None:
                return outcome
        ended = self._driver.kills != kills
        return self._driver.ended_from_outside() if ended else self.run(job)

    def kill_all(self) -> None:
        """End every sandbox of this backend now, those that wait for work too."""
        self._driver.kill_all()
        self._workers.kill_all()
        self._ladder.kill_all()
        self._forks.kill_all()

    def _command(self, filter_fd: int, limits: Limits) -> tuple[str, ...]:
        command = self._view_with_streams()
        for folder in _WRITABLE:
            command += ["--size", str(limits.scratch_bytes), "--tmpfs", folder]
        return self._with_program(command, filter_fd, self._runner)

    def _fork_command(self, filter_fd: int) -> tuple[str, ...]:
        """The same with rights for process 1 to give each program such folders, and no others."""
        command = self._view_with_streams()
        for folder in _WRITABLE:
            command += ["--dir", folder]
        for right in ("CAP_SYS_ADMIN", "CAP_SETPCAP"):
            command += ["--cap-add", right]
        return self._with_program(command, filter_fd, self._origin)

    def _view_with_streams(self) -> list[str]:
        command = self._view()
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            # What /proc would offer, without /proc: process 1 puts these names into its folder.
            command += ["--symlink", f"{IO_FOLDER}/{name}", f"/dev/{name}"]
            command += ["--symlink", f"{IO_FOLDER}/{name}", f"/proc/self/fd/{number}"]
            command += ["--symlink", f"{IO_FOLDER}/{name}", f"/dev/fd/{number}"]
        return command

    def _worker_command(self, filter_fd: int) -> tuple[str, ...]:
        """The same without any place to write: many programs pass through a worker."""
        return self._with_program([*self._view(), "--dir", SCRATCH], filter_fd, self._server)

    def _gcc_command(self, filter_fd: int) -> tuple[str, ...]:
        """The same, with a place for gcc to write that programs are kept from by a filter."""
        place = ["--size", str(_GCC_ROOM), "--tmpfs", SCRATCH]
        return self._with_program([*self._view(), *place], filter_fd, gcc_source())

    def _bare_command(self, program: Path, filter_fd: int) -> tuple[str, ...]:
        """A sandbox that shows one program, which needs no other file, and nothing else."""
        command = [*self._closed(), "--ro-bind", str(program), "/worker", "--remount-ro", "/"]
        return (*command, "--chdir", "/", "--seccomp", str(filter_fd), "--", "/worker")

    def _closed(self) -> list[str]:
        """What closes every sandbox: namespaces, no rights, our environment."""
        command = [self._program, "--unshare-all", "--die-with-parent", "--as-pid-1"]
        command += ["--cap-drop", "ALL", "--hostname", "sandbox", "--clearenv"]
        for name, value in ENVIRONMENT.items():
            command += ["--setenv", name, value]
        return command

    def _view(self) -> list[str]:
        """What every sandbox for Python and for compilers shows of the machine."""
        command = self._closed()
        command += ["--ro-bind", "/usr", "/usr"]
        for name in _LINKED:
            command += _as_on_host(name)
        for path in ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf"):
            command += ["--ro-bind-try", path, path]
        if self._interpreter.prefix is not None:
            command += ["--ro-bind", str(self._interpreter.prefix), PLACE_INSIDE]
            command += ["--setenv", "LD_LIBRARY_PATH", f"{PLACE_INSIDE}/lib"]
        for folder in self._hidden:
            command += ["--tmpfs", folder, "--remount-ro", folder]
        command += ["--dir", "/dev"]
        for name in _DEVICES:
            command += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
        return command

    def _with_program(self, command: list[str], filter_fd: int, source: str) -> tuple[str, ...]:
        command += ["--remount-ro", "/", "--chdir", SCRATCH, "--seccomp", str(filter_fd), "--"]
        return (*command, self._interpreter.program, "-s", "-S", "-B", "-c", source)


def _as_on_host(name: str) -> list[str]:
    """Mount or link one of the top folders the way this machine has it."""
    path = Path("/", name)
    if path.is_symlink():
        return ["--symlink", os.readlink(path), f"/{name}"]  # noqa: PTH115 - the text as it stands
    return ["--ro-bind", f"/{name}", f"/{name}"] if path.is_dir() else []
