"""Files of problems on the Hugging Face hub: fetched by name, pinned, and read as local files.

``FORMAT:hub://OWNER/NAME@REVISION/FILE`` is a file of a dataset; without ``FILE`` it is its folder.
``hub:OWNER/NAME@REVISION`` is short for the datasets in ``KNOWN``.  The revision is a commit, a
branch or a tag, and ``main`` where it is left out; what it stood for is part of the source of each
problem, and a study keeps the problems that it began with.  Nothing of a dataset is run.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codequake.errors import DataError, ToolMissingError, UsageError
from codequake.problems.foreign import Note, ProblemFile
from codequake.problems.livecodebench import release_names
from codequake.problems.selection import Selection

__all__ = ["HUB", "KNOWN", "HubName", "expand_hub", "is_on_hub", "read_from_hub"]

HUB = "hub"
"""The name in front of ``:`` for a dataset whose format is known."""

KNOWN: Mapping[str, str] = {
    "livecodebench/code_generation_lite": "lcb",
    "livecodebench/code_generation": "lcb",
}
"""Dataset -> the format of its files."""

_SCHEME = "hub://"
_NAME = re.compile(
    r"(?P<repo>[\w.-]+/[\w.-]+?)(?:@(?P<revision>[\w.-]+))?(?:/(?P<file>[\w./-]+))?/?"
)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_PARTS = frozenset({".", ".."})


@dataclass(frozen=True, slots=True)
class HubName:
    """A file or folder of a dataset; ``revision`` is ``None`` where none was named."""

    repo: str
    revision: str | None
    file: str | None


def is_on_hub(name: str, path: str) -> bool:
    """Tell whether ``NAME:PATH`` names something on the hub."""
    return name == HUB or path.startswith(_SCHEME)


def expand_hub(name: str, path: str) -> tuple[str, HubName]:
    """Return the format and the place of ``NAME:PATH``.  Raises ``UsageError`` for another form."""
    match = _NAME.fullmatch(path.removeprefix(_SCHEME))
    if match is None or _PARTS & set((match["file"] or "").split("/")):
        raise UsageError(
            f"{name}:{path} names no dataset; allowed: hub:OWNER/NAME@REVISION, "
            "FORMAT:hub://OWNER/NAME@REVISION/FILE"
        )
    found = HubName(match["repo"], match["revision"], match["file"])
    if name != HUB:
        return name, found
    if found.repo not in KNOWN:
        raise UsageError(
            f"hub:{path}: the format of {found.repo} is not known; allowed: {', '.join(KNOWN)}, "
            f"or FORMAT:hub://{found.repo}/FILE"
        )
    return KNOWN[found.repo], found


def read_from_hub(
    place: HubName, wanted: Selection, read: Callable[[Path], ProblemFile]
) -> ProblemFile:
    """Fetch what is needed, read it with ``read``, and write into each problem where it is from.

    Faults and places name the file on the hub.  Raises ``ToolMissingError`` without the extra
    ``hub``, ``DataError`` when something cannot be fetched.
    """
    commit, folder, path = _fetch(place, wanted)
    found = read(path)
    told = f"{_SCHEME}{place.repo}@{commit}"

    def named(text: str) -> str:
        return text.replace(str(folder), told)

    notes = found.notes
    if place.revision != commit:
        asked = place.revision or "main"
        text = f"{asked} of {place.repo} is commit {commit} now; name it behind @ to pin it"
        notes = (*notes, *(Note(item.problem_id, text) for item in found.problems[:1]))
    return dataclasses.replace(
        found,
        problems=tuple(
            dataclasses.replace(item, source=f"{item.source}, hub:{place.repo}@{commit}")
            for item in found.problems
        ),
        faults=tuple(map(named, found.faults)),
        places=tuple(map(named, found.places)),
        notes=notes,
    )


def _fetch(place: HubName, wanted: Selection) -> tuple[str, Path, Path]:
    """Return the commit, the folder of its files here, and what is to be read."""
    try:
        import huggingface_hub
        from huggingface_hub.errors import EntryNotFoundError, HTTPError
    except ImportError as error:
        raise ToolMissingError(
            "the package huggingface_hub is missing, which fetches problems from the hub; run: "
            "pip install 'codequake[hub]'"
        ) from error
    told = f"{_SCHEME}{place.repo}@{place.revision or 'main'}"
    try:
        commit = place.revision or "main"
        files: Sequence[str] = [place.file] if place.file else release_names(wanted.release)
        if not _COMMIT.fullmatch(commit) or not files:
            info = huggingface_hub.HfApi().dataset_info(place.repo, revision=commit)
            commit = info.sha or ""
            if not _COMMIT.fullmatch(commit):
                raise DataError(f"the hub names the commit {commit!r}", place=told)
            there = {item.rfilename for item in info.siblings or ()}
            files = files or [name for name in release_names("release_v6") if name in there]
        if not files:
            raise DataError("holds no file test.jsonl", place=told)
        paths = [
            Path(
                huggingface_hub.hf_hub_download(
                    place.repo, name, repo_type="dataset", revision=commit
                )
            )
            for name in files
        ]
    except (HTTPError, EntryNotFoundError, OSError, ValueError, RuntimeError) as error:
        if isinstance(error, DataError):
            raise
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DataError(f"cannot be fetched: {why[:300]}", place=told) from error
    depth = len(Path(files[0]).parts)
    folder = paths[0].parents[depth - 1]
    return commit, folder, paths[0] if place.file else folder
