"""What goes into a sandbox and what comes out: plain data, no behaviour.

A ``Job`` is one program with its inputs.  What a program should have printed or returned stays
outside of the sandbox, so a program cannot find it.  Only tests by statements hold what is right:
they go to a process of their own, and never into the program's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, overload

from codequake.tasks import Language

__all__ = ["ALL_MODES", "Backend", "Build", "Care", "Ending", "Job", "Limits", "Mode", "Outcome"]
__all__ += ["Returned", "Run"]

MIB = 1 << 20


class Mode(StrEnum):
    """How a program gets its input: arguments of a call, standard input, or statements.

    ``ASSERT``: a second process runs statements that call the program's entry point.  Nothing of
    them ever is in the program's process; only arguments and results pass between the two, as
    plain data.
    """

    CALL = "call"
    STDIN = "stdin"
    ASSERT = "assert"


ALL_MODES = frozenset(Mode)


class Care(StrEnum):
    """How far a program is kept from others and from itself, from the fastest to the surest.

    ``TOGETHER``: one process runs several programs, one after the other.  ``APART``: a process of
    its own for all inputs, in a sandbox that others use.  Both are only for programs that can be
    seen to leave no trace and to learn nothing of others.  ``FORKED``: a process for each input,
    in namespaces and folders that are the program's own, but forked from a process that does so
    for others too and never reads one of them.  It is for every program, and has the shorter limit
    of time.  ``ALONE``: a sandbox of its own and a process for each input.
    """

    TOGETHER = "together"
    APART = "apart"
    FORKED = "forked"
    ALONE = "alone"


class Ending(StrEnum):
    """How a program ended on one input.

    ``returned``: the call returned data, or the program ended with exit code 0.  ``not_data``:
    the call returned something that has no plain form.  ``crashed``: an exception, another exit
    code, a signal, or no result at all.  ``not_run``: an earlier input used up a limit.
    """

    RETURNED = "returned"
    NOT_DATA = "not_data"
    CRASHED = "crashed"
    TIMEOUT = "timeout"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may use.

    ``cpu_seconds`` of processor time for one input decides; ``wall_factor`` times as much elapsed
    time only ends programs that sleep or wait.  ``memory_bytes`` is address space of one process;
    all processes of a program together may hold twice as much.
    ``output_bytes`` bounds what one input may print or return, ``total_output_bytes`` the whole
    program.  ``processes`` counts threads too.  ``scratch_bytes`` is the size of the program's own
    ``/tmp``.
    """

    cpu_seconds: float = 5.0
    wall_factor: float = 5.0
    memory_bytes: int = 1024 * MIB
    output_bytes: int = 16 * MIB
    total_output_bytes: int = 64 * MIB
    file_bytes: int = 32 * MIB
    scratch_bytes: int = 64 * MIB
    processes: int = 32
    open_files: int = 64
    build_cpu_seconds: float = 10.0
    build_memory_bytes: int = 1024 * MIB


@dataclass(frozen=True, slots=True)
class Job:
    """One program and its inputs.

    ``inputs`` are JSON texts: the list of arguments for ``CALL``, a string for ``STDIN``, a string
    of Python statements for ``ASSERT``, where ``setup`` runs before each of them.
    ``entry_point`` is the function to call: a free function, else a method of ``class Solution``,
    else a method of the only class that has it.  It is ``None`` for ``STDIN``.
    """

    language: Language
    source: str
    mode: Mode
    entry_point: str | None
    inputs: tuple[str, ...]
    limits: Limits = Limits()
    setup: str = ""


@dataclass(frozen=True, slots=True)
class Build:
    """Whether the program compiles; ``why`` is the compiler's first complaint."""

    ok: bool
    why: str


@dataclass(frozen=True, slots=True)
class Run:
    """How the program ended on one input.

    ``output`` is JSON (a JSON string of what was printed for ``STDIN``), given when ``ending`` is
    ``returned``.  For ``ASSERT`` it is ``true`` when the statements ended, and ``false`` when one
    of them raised; ``detail`` then is the line that did.  Else ``detail`` says in one line what
    went wrong.  ``read_input`` is whether a byte of standard input was read; ``None`` when the
    program was called instead.
    """

    ending: Ending
    output: str | None
    detail: str
    cpu_seconds: float
    read_input: bool | None


class Returned(Sequence[Run]):
    """The runs of a program that returned data on every input, each made when it is looked at.

    ``text`` is what it returned: one line of JSON for each of the ``count`` inputs.
    """

    __slots__ = ("_count", "text")

    def __init__(self, text: str, count: int) -> None:
        self.text = text
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Run: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Run, ...]: ...

    def __getitem__(self, index: int | slice) -> Run | tuple[Run, ...]:
        return tuple(self)[index]

    def __iter__(self) -> Iterator[Run]:
        return (Run(Ending.RETURNED, line, "", 0.0, None) for line in self.text.split("\n"))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a job.

    ``runs`` has one entry an input, in order, when the program was built and its entry point was
    found; else it is empty.  ``entry_found`` is ``None`` when that was never asked.
    ``cpu_seconds`` and ``peak_bytes`` are over everything the job started (compiler included),
    ``None`` when the sandbox could not tell.  ``harness_error`` is given when the sandbox itself
    failed; nothing else in the outcome then counts.  ``warning`` is not empty when the program was
    not isolated.  ``care`` is how the program was run; ``settled`` is whether more care can only
    say the same, which is always so for ``ALONE``.  An outcome that is not settled may prove that
    a program is right, never that it is wrong.
    """

    build: Build
    entry_found: bool | None
    runs: Sequence[Run]
    cpu_seconds: float | None
    peak_bytes: int | None
    backend: str
    harness_error: str | None = None
    warning: str = ""
    care: Care = Care.ALONE
    settled: bool = True


class Backend(Protocol):
    """Runs jobs.  ``run`` may be called from several threads at once."""

    @property
    def name(self) -> str:
        """What isolates, and on which interpreter: part of the version of every verdict."""
        ...

    @property
    def warning(self) -> str:
        """Empty, or what a user must know before trusting this backend."""
        ...

    @property
    def trouble(self) -> str:
        """Empty, or why programs run more slowly than they should; the verdicts are the same.

        It is known once programs have run.
        """
        ...

    @property
    def modes(self) -> frozenset[Mode]:
        """What it can run; a job of another mode is a harness error."""
        ...

    def run(self, job: Job) -> Outcome:
        """Run one program on its inputs.  Never raises for anything that the program does."""
        ...

    def run_all(self, jobs: Sequence[Job], care: Care = Care.ALONE) -> tuple[Outcome, ...]:
        """Run several programs, in order, with at least the given care; one outcome a job."""
        ...

    def kill_all(self) -> None:
        """End every program that runs now; their outcomes become harness errors."""
        ...
