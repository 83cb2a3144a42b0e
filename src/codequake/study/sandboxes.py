"""A sandbox by the name that study files and ``--sandbox`` give it."""

from __future__ import annotations

from codequake.errors import UsageError
from codequake.models import inspect_provider_names, open_inspect_backend
from codequake.sandbox import Backend, open_backend
from codequake.study.progress import Notify

__all__ = ["check_sandbox_name", "open_sandbox"]

_OWN = ("bwrap", "none")
_INSPECT = "inspect:"


def open_sandbox(name: str, notify: Notify) -> Backend:
    """Return a backend that has just run a program, and tell what must be known before using it.

    ``name`` is ``bwrap``, ``none``, ``inspect:local``, ``inspect:docker`` or
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
