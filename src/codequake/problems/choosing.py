"""What a filter takes of a set that was read without it."""

from __future__ import annotations

import dataclasses

from codequake.errors import DataError
from codequake.problems.foreign import ProblemFile
from codequake.problems.selection import Selection

__all__ = ["chosen"]


def chosen(found: ProblemFile, wanted: Selection, name: str) -> ProblemFile:
    """Return what a filter takes of a set, for formats that do not ask it themselves.

    Doing it twice changes nothing.  Raises ``DataError`` when nothing is there or is left.
    """
    kept = [number for number, item in enumerate(found.problems) if wanted.takes(item)]
    kept = kept[: wanted.first]
    if not kept and not found.faults:
        if not found.problems and not found.unwanted and not found.left_out:
            raise DataError("holds no problem", place=name)
        count = len(found.problems) + found.unwanted
        raise DataError(
            f"no problem is left: {count} do not pass the filter, {len(found.left_out)} have known "
            "defects",
            place=name,
        )
    if len(kept) == len(found.problems):
        return dataclasses.replace(found, filtered=bool(wanted.text))
    ids = {found.problems[number].problem_id for number in kept}
    return dataclasses.replace(
        found,
        changed=tuple(
            item for item in found.changed if item.change and item.change.original_id in ids
        ),
        problems=tuple(found.problems[number] for number in kept),
        places=tuple(found.places[number] for number in kept) if found.places else (),
        unwanted=found.unwanted + len(found.problems) - len(kept),
        filtered=True,
    )
