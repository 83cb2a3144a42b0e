"""A sandbox by the name that study files and ``--sandbox`` give it."""

from __future__ import annotations

from collections.abc import Sequence

from codequake.errors import UsageError
from codequake.grading import SandboxOracle
from codequake.models import inspect_provider_names, open_inspect_backend
from codequake.ports import Answer, Oracle
from codequake.records import JsonText, Problem, Reference
from codequake.sandbox import Backend, open_backend
from codequake.study.progress import Notify

__all__ = ["SandboxWhenAsked", "check_sandbox_name", "open_sandbox"]

_OWN = ("bwrap", "bwrap:ubsan", "none")
_INSPECT = "inspect:"


def open_sandbox(name: str, notify: Notify) -> Backend:
    """Return a backend that has just run a program, and tell what must be known before using it.

    ``name`` is ``bwrap``, ``bwrap:ubsan``, ``none``, ``inspect:local``, ``inspect:docker`` or
    ``inspect:docker:PATH``, where the path is a compose file or a ``Dockerfile``.  Raises
    ``UsageError`` for another name and ``MachineError`` with the remedy where it does not work.
    """
    check_sandbox_name(name)
    backend: Backend
    if name in _OWN:
        backend = open_backend(name)
    else:
        provider, _, config = name.removeprefix(_INSPECT).partition(":")
        backend = open_inspect_backend(provider, config or None)
    if backend.warning:
        notify.say(backend.warning)
    return backend


def check_sandbox_name(name: str) -> None:
    """Raise ``UsageError`` for a name that ``open_sandbox`` does not know."""
    known = (*_OWN, *(_INSPECT + provider for provider in inspect_provider_names()))
    with_path = name.startswith("inspect:docker:")
    if name not in known and not with_path:
        raise UsageError(
            f"sandbox {name!r} is not known; allowed: {', '.join(sorted(known))}, "
            "inspect:docker:PATH"
        )


class SandboxWhenAsked:
    """An oracle whose sandbox is opened by the first question; most sets ask none to be read."""

    def __init__(self, name: str, notify: Notify) -> None:
        self._name = name
        self._notify = notify
        self._oracle: Oracle | None = None

    def answers(
        self, problem: Problem, reference: Reference, inputs: Sequence[JsonText]
    ) -> tuple[Answer, ...]:
        """Return one answer an input.  Raises also what ``open_sandbox`` does."""
        return self._opened().answers(problem, reference, inputs)

    def generate(self, problem: Problem, seed: int, count: int) -> tuple[JsonText, ...]:
        """Return inputs of the generator.  Raises also what ``open_sandbox`` does."""
        return self._opened().generate(problem, seed, count)

    def _opened(self) -> Oracle:
        if self._oracle is None:
            self._oracle = SandboxOracle(open_sandbox(self._name, self._notify))
        return self._oracle
