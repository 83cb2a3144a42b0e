"""Open a backend by its name."""

from __future__ import annotations

from codequake.errors import SandboxUnavailableError, UsageError
from codequake.sandbox.bubblewrap import BubblewrapBackend
from codequake.sandbox.diagnosis import diagnose
from codequake.sandbox.jobs import Backend, Job, Mode
from codequake.sandbox.unsafe import UnsafeBackend
from codequake.tasks import Language

__all__ = ["open_backend", "trial_fault"]


def open_backend(kind: str = "bwrap") -> Backend:
    """Return a backend that has just run a program: ``bwrap``, or ``none`` without isolation.

    ``bwrap:ubsan`` is ``bwrap`` with compiled programs that end at undefined behaviour.
    Raises ``UsageError`` for another name, and ``SandboxUnavailableError`` with the remedy when
    this machine cannot isolate programs; there is no silent fallback to ``none``.
    """
    backend: Backend
    match kind:
        case "bwrap":
            backend = BubblewrapBackend()
        case "bwrap:ubsan":
            backend = BubblewrapBackend(sanitize=True)
        case "none":
            backend = UnsafeBackend()
        case _:
            raise UsageError(f"sandbox {kind!r} is not known; allowed: bwrap, bwrap:ubsan, none")
    why = trial_fault(backend)
    if why is not None:
        remedies = [found.remedy for found in diagnose() if found.required and not found.ok]
        hint = "; ".join(remedies) or "`codequake doctor` says more"
        raise SandboxUnavailableError(f"programs cannot be isolated here: {why}; {hint}")
    return backend


def trial_fault(backend: Backend) -> str | None:
    """Run a program of ours; return why that gave no right result, ``None`` when it did."""
    trial = Job(Language.PYTHON, "def probe(x):\n    return x\n", Mode.CALL, "probe", ("[1]",))
    outcome = backend.run(trial)
    if outcome.harness_error is None and outcome.runs and outcome.runs[0].output == "1":
        return None
    return outcome.harness_error or outcome.build.why or "a trial program gave no result"
