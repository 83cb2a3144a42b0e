"""How long work tells how far it is, without knowing who listens."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from codequake.ports import Progress

__all__ = ["Notify", "Silent"]


class Notify(Protocol):
    """Shows the stages of a study as they run."""

    def stage(self, title: str, total: int) -> AbstractContextManager[Progress]:
        """Open a stage of ``total`` items; the value is called as they are done."""
        ...

    def say(self, text: str) -> None:
        """Tell one sentence."""
        ...


class Silent:
    """Listens and shows nothing."""

    @contextlib.contextmanager
    def stage(self, title: str, total: int) -> Iterator[Progress]:
        """Open a stage that nobody watches."""
        yield lambda done, total: None

    def say(self, text: str) -> None:
        """Say nothing."""
