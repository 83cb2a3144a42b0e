"""A backend on Inspect's sandboxes, for machines that have no bubblewrap."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from codequake.errors import SandboxUnavailableError, UsageError
from codequake.models.environments import Environments, Reply
from codequake.sandbox.bubblewrap import ENVIRONMENT
from codequake.sandbox.driving import (
    ENDED_OUTSIDE,
    Launch,
    Reading,
    Reporter,
    Try,
    job_message,
    reply_room,
    time_ceiling,
    tried,
)
from codequake.sandbox.jobs import Care, Job, Mode, Outcome
from codequake.sandbox.material import Material
from codequake.sandbox.opening import trial_fault
from codequake.sandbox.sources import runner_source
from codequake.sandbox.toolchains import COMPILER

if TYPE_CHECKING:
    from inspect_ai.util import SandboxEnvironment

__all__ = ["InspectSandboxBackend", "inspect_provider_names", "open_inspect_backend"]

_PYTHON = ("python3", "-s", "-S", "-B", "-c")
_OLDEST = (3, 9)
_SPARE_SECONDS = 60.0  # for an environment to end what its time is up for, and to answer
_SPARE_BYTES = 1 << 20  # the last piece of a reply that is too long, and the closing line
_PROBE_SECONDS = 120
_NO_STATEMENTS = "tests by statements need bubblewrap's sandbox, which keeps them from the program"
_DIGEST = len("sha256:") + 12
_PROBE = f"""\
import json, subprocess, sys
try:
    done = subprocess.run([{COMPILER!r}, "-dumpfullversion"], capture_output=True, text=True)
    compiler = done.stdout.strip()
except OSError:
    compiler = ""
print(json.dumps([list(sys.version_info[:3]), compiler]))
"""


@dataclass(frozen=True, slots=True)
class _Provider:
    """What must be known of a provider; ``cwd`` is where our folder goes, default its own."""

    warning: str
    remedy: str
    cwd: str | None
    takes_config: bool


_PROVIDERS = {
    "local": _Provider(
        warning=(
            "NOT ISOLATED: Inspect's local sandbox runs the programs with all of your rights, on "
            "your files and your network; use inspect:local only for programs that you trust"
        ),
        remedy="python3 must be on the PATH",
        cwd=None,  # a temporary folder that Inspect removes
        takes_config=False,
    ),
    "docker": _Provider(
        warning="",
        remedy=(
            "install and start Docker Engine with Compose (`docker compose version` and "
            "`docker info` must answer), and use an image with Python 3.9 or newer and gcc"
        ),
        cwd="/tmp",  # noqa: S108 - of a container that runs one program only
        takes_config=True,
    ),
}


def inspect_provider_names() -> tuple[str, ...]:
    """Return the providers that ``open_inspect_backend`` takes."""
    return tuple(sorted(_PROVIDERS))


def open_inspect_backend(
    provider: str = "local", config: str | None = None
) -> InspectSandboxBackend:
    """Return a backend on Inspect's sandbox that has just run a program.

    ``local`` isolates nothing and says so in ``warning``.  ``docker`` starts a container a
    program; ``config`` is the path of a compose file or a ``Dockerfile``, without which Inspect
    takes the one in the current folder, else an image of its own.  Raises ``UsageError`` for
    another provider, ``ToolMissingError`` without Inspect, and ``SandboxUnavailableError`` with
    the remedy where the provider does not work.
    """
    backend = InspectSandboxBackend(provider, config)
    fault = trial_fault(backend)
    if fault is not None:
        remedy = _PROVIDERS[provider].remedy
        raise SandboxUnavailableError(
            f"programs cannot be run in inspect:{provider}: {fault}; {remedy}"
        )
    return backend


class InspectSandboxBackend:
    """Runs each job in a fresh environment of one of Inspect's sandbox providers.

    Inside works the same process 1 as in our own sandbox, with the same limits on time, memory,
    output and files, and its report is read by the same code.  What isolates is the provider; it
    is also what limits the number of processes.
    """

    trouble = ""
    modes = frozenset((Mode.CALL, Mode.STDIN))

    def __init__(self, provider: str = "local", config: str | None = None) -> None:
        """Make the provider ready and look inside; raises as ``open_inspect_backend``."""
        known = _PROVIDERS.get(provider)
        if known is None:
            allowed = ", ".join(inspect_provider_names())
            raise UsageError(f"provider {provider!r} of Inspect is not known; allowed: {allowed}")
        if config is not None and not known.takes_config:
            raise UsageError(f"inspect:{provider} takes no configuration; it is {config!r}")
        self.warning = known.warning
        self._cwd = known.cwd
        try:
            self._environments = Environments(provider, config)
            found = self._environments.use(lambda inside: _look_inside(inside, provider))
        except SandboxUnavailableError as error:
            raise SandboxUnavailableError(f"{error}; {known.remedy}") from error
        self.name = f"inspect:{provider}{found}"
        self._reporter = Reporter(self.name, self.warning)
        models, sandbox = (resources.files(f"codequake.{name}") for name in ("models", "sandbox"))
        self._command = (*_PYTHON, models.joinpath("keeper.py").read_text("utf-8"))
        self._orders = {
            "runner": runner_source(),
            "memory": sandbox.joinpath("memory.py").read_text("utf-8"),
            "environment": ENVIRONMENT,
        }
        self._lock = threading.Lock()
        self._kills = 0

    def run(self, job: Job) -> Outcome:
        """Run one program in a fresh environment.

        Tests by statements are refused as a harness error: here nothing could keep them from the
        program.
        """
        if job.mode not in self.modes:
            return self._reporter.broken(_NO_STATEMENTS)
        # Where the folders are is known inside only; the keeper puts them into the job.
        launch = Launch(self._command, (), "", "", ENVIRONMENT, None, count_processes=False)
        message = job_message(job, launch, Material({"inputs": job.inputs}))
        room = reply_room(job, message)
        ceiling = time_ceiling(job)
        memory = 2 * job.limits.memory_bytes
        orders = {**self._orders, "seconds": ceiling, "room": room, "bytes": memory}
        text = json.dumps(orders) + "\n" + message.decode("ascii")
        return tried(lambda: self._once(job, text, ceiling, room))

    def run_all(self, jobs: Sequence[Job], care: Care = Care.ALONE) -> tuple[Outcome, ...]:
        """Run several programs, each alone: more care than asked is always right."""
        return tuple(self.run(job) for job in jobs)

    def kill_all(self) -> None:
        """End every environment of this backend that runs a program now."""
        with self._lock:
            self._kills += 1
        self._environments.cancel_all()

    def _once(self, job: Job, text: str, ceiling: float, room: int) -> Try:
        kills = self._kills
        try:
            reply = self._environments.execute(
                self._command,
                text,
                cwd=self._cwd,
                seconds=ceiling + _SPARE_SECONDS,
                room=room + _SPARE_BYTES,
            )
        except CancelledError:
            return Try(self._reporter.broken(ENDED_OUTSIDE), False, False)
        except SandboxUnavailableError as error:
            return Try(self._reporter.broken(str(error)), False, True)
        if self._kills != kills:
            return Try(self._reporter.broken(ENDED_OUTSIDE), False, False)
        reading = _reading_of(reply)
        if isinstance(reading, str):
            return Try(self._reporter.broken(reading), False, True)
        return self._reporter.judge(job, reading)


def _reading_of(reply: Reply) -> Reading | str:
    """Return what process 1 reported, or why that is not known to be whole.

    Providers cut long replies, and not all say so: only what the closing line counts is believed.
    A keeper that was killed leaves no such line; then process 1 was brought down with it.
    """
    lines, _, last = reply.out.removesuffix("\n").rpartition("\n")
    data = lines.encode("utf-8")
    try:
        closing: Any = json.loads(last)
        cut, sent, errors = closing["cut"], closing["sent"], closing["errors"]
    except (ValueError, TypeError, KeyError):
        if reply.code != 0:
            said = reply.err.encode("utf-8")
            return Reading(bytearray(reply.out.encode("utf-8")), bytearray(said))
        return "the reply of the environment has no end"
    if sent != len(data):
        return f"the environment passed on {len(data)} of the {sent} bytes of its reply"
    return Reading(
        lines=bytearray(data),
        errors=bytearray(str(errors).encode("utf-8")),
        overflow=cut == "overflow",
        late=cut == "late",
        starved=cut == "starved",
    )


async def _look_inside(environment: SandboxEnvironment, provider: str) -> str:
    """Say what isolates and which image, Python and gcc are inside.

    Raises ``SandboxUnavailableError`` without a Python that can run process 1.
    """
    done = await environment.exec([*_PYTHON, _PROBE], timeout=_PROBE_SECONDS)
    try:
        version, compiler = json.loads(done.stdout)
        numbers = tuple(int(part) for part in version)
    except (ValueError, TypeError) as error:
        said = " ".join((done.stderr or done.stdout).split()) or f"exit code {done.returncode}"
        raise SandboxUnavailableError(f"inspect:{provider} runs no python3: {said}") from error
    shown = ".".join(str(part) for part in numbers)
    if numbers < _OLDEST:
        raise SandboxUnavailableError(f"inspect:{provider} has Python {shown}, which is too old")
    kind = " (not isolated)" if provider == "local" else f", image {await _image_of(environment)}"
    return f"{kind}, Python {shown}, gcc {compiler or 'missing'}"


async def _image_of(environment: SandboxEnvironment) -> str:
    """Return the digest of a container's image; its name may be made anew for each container."""
    from inspect_ai.util import subprocess

    container = (await environment.connection()).container
    command = ["docker", "inspect", "--format", "{{.Image}}", str(container)]
    done = await subprocess(command, timeout=_PROBE_SECONDS, concurrency=False)
    if not done.success:
        raise SandboxUnavailableError(f"`docker inspect` of {container} failed: {done.stderr}")
    return done.stdout.strip()[:_DIGEST]
