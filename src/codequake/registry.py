"""Tables of named components, filled by decorators and by entry points of other packages."""

from __future__ import annotations

import difflib
import importlib.metadata
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from codequake.errors import UnknownNameError, UsageError

__all__ = ["Table"]

Component = TypeVar("Component")

_SHOWN = 20


class Table(Generic[Component]):
    """Components of one kind by name.

    Other packages add theirs through the entry-point group ``codequake.<kind>``; those are loaded
    only when a look-up fails, so that importing codequake stays light.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._found: dict[str, Component] = {}
        self._entry_points_loaded = False

    def add(self, name: str) -> Callable[[Component], Component]:
        """Return a decorator that registers a component.  Raises ``UsageError`` on a taken name."""

        def register(component: Component) -> Component:
            if name in self._found:
                raise UsageError(
                    f"{self._kind} {name!r} is registered twice: "
                    f"{self._found[name]!r} and {component!r}"
                )
            self._found[name] = component
            return component

        return register

    def __getitem__(self, name: str) -> Component:
        """Return the component.  Raises ``UnknownNameError`` with the names that are near."""
        if name not in self._found:
            self._load_entry_points()
        if name not in self._found:
            raise UnknownNameError(self._unknown(name))
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._found))

    def _load_entry_points(self) -> None:
        if self._entry_points_loaded:
            return
        self._entry_points_loaded = True
        group = f"codequake.{self._kind.replace(' ', '_')}"
        for entry in importlib.metadata.entry_points(group=group):
            entry.load()

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, self._found, n=3, cutoff=0.5)
        known = sorted(self._found)
        names = ", ".join(near or known[:_SHOWN]) or "none"
        if not near and len(known) > _SHOWN:
            names += f" and {len(known) - _SHOWN} more"
        lead = "near names" if near else "allowed"
        return f"{self._kind} {name!r} is not known; {lead}: {names}"
