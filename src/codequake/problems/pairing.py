"""One test of its own for each of several programs, where there is one."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["paired"]


def paired(choices: Sequence[set[int]]) -> dict[int, int]:
    """Return index -> one of its choices, for as many indices as can have different ones."""
    owner: dict[int, int] = {}

    def place(index: int, tried: set[int]) -> bool:
        """Find a choice for an index; others may move to another one of theirs."""
        for choice in sorted(choices[index] - tried):
            tried.add(choice)
            if choice not in owner or place(owner[choice], tried):
                owner[choice] = index
                return True
        return False

    for index in range(len(choices)):
        place(index, set())
    return {index: choice for choice, index in sorted(owner.items())}
