"""The study file: what is asked of whom, how often, and how it is graded."""

from __future__ import annotations

import importlib.resources
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codequake.canonical import canonical_json
from codequake.codec import from_plain, to_plain
from codequake.errors import DataError, UnknownNameError, UsageError
from codequake.files import read_text
from codequake.models import style_names
from codequake.perturb import PERTURBATIONS, PerturbationSpec
from codequake.records import JsonText
from codequake.study.sandboxes import check_sandbox_name

__all__ = [
    "Decoding",
    "GraderSettings",
    "Study",
    "StudyConfig",
    "load_study",
    "parse_study",
    "preset_names",
]


@dataclass(frozen=True, slots=True)
class Decoding:
    """Decoding parameters; ``None`` leaves the provider's own default, and says so."""

    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = 1024
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class GraderSettings:
    """Limits of one test in CPU seconds, and the name of the sandbox (see ``open_sandbox``)."""

    timeout: float = 5.0
    sandbox: str = "bwrap"


@dataclass(frozen=True, slots=True)
class StudyConfig:
    """One experiment.

    ``problems`` are sets in the order of the study, as they were written; ``limit`` keeps the first
    so many problems of each set.  ``variants`` are files of ready-made prompts, ``recode:FILE``.
    ``models`` may grow between runs, everything else is what makes it this study.
    """

    name: str
    title: str
    seed: int
    problems: tuple[str, ...]
    perturbations: tuple[PerturbationSpec, ...]
    models: tuple[str, ...] = ()
    style: str = "plain"
    samples: int = 1
    limit: int | None = None
    variants: tuple[str, ...] = ()
    level: float = 0.95
    decoding: Decoding = Decoding()
    grader: GraderSettings = GraderSettings()


@dataclass(frozen=True, slots=True)
class Study:
    """An experiment that is asked for.

    ``base`` is the folder that the paths of its sets start from: that of the study file, or the
    current one where the sets were not named in a file.
    """

    config: StudyConfig
    base: Path = Path()


def preset_names() -> tuple[str, ...]:
    """Return the names that ``preset:NAME`` accepts."""
    folder = importlib.resources.files("codequake.study") / "presets"
    return tuple(
        sorted(
            item.name.removesuffix(".toml")
            for item in folder.iterdir()
            if item.name.endswith(".toml")
        )
    )


def load_study(source: str) -> Study:
    """Load ``preset:NAME`` or a study file.  Raises ``DataError`` or ``UsageError``."""
    if source.startswith("preset:"):
        name = source.removeprefix("preset:")
        if name not in preset_names():
            raise UsageError(f"preset {name!r} is not known; allowed: {', '.join(preset_names())}")
        folder = importlib.resources.files("codequake.study") / "presets"
        return Study(parse_study((folder / f"{name}.toml").read_text("utf-8"), place=source))
    path = Path(source)
    return Study(parse_study(read_text(path), place=source), path.parent)


def parse_study(text: str, *, place: str) -> StudyConfig:
    """Build the configuration from TOML text.  Errors name the file, the line and the value."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"not TOML: {error}", place=place) from error
    plain = dict(raw)
    plain.setdefault("name", Path(place.removeprefix("preset:")).stem)
    plain.setdefault("title", plain["name"])
    plain.setdefault("seed", 0)
    plain["perturbations"] = [
        _perturbation(entry, place, _line_of(text, "perturbations", index))
        for index, entry in enumerate(_list(raw, "perturbations", text, place))
    ]
    try:
        config = from_plain(StudyConfig, plain)
    except DataError as error:
        raise DataError(
            str(error).replace("StudyConfig.", "").replace("StudyConfig ", "the study "),
            place=f"{place}:{_line_of_error(text, str(error))}",
        ) from error
    _check(config, text, place)
    return config


def _list(raw: Mapping[str, Any], key: str, text: str, place: str) -> list[Any]:
    value = raw.get(key, [])
    if not isinstance(value, list):
        raise DataError(f"{key} is {value!r}; allowed: a list", place=f"{place}:{_line(text, key)}")
    return value


def _perturbation(entry: Any, place: str, line: int) -> dict[str, Any]:
    """Turn ``{name, count, anything else}`` into a specification's fields."""
    where = f"{place}:{line}"
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise DataError(f"perturbation {entry!r} has no name", place=where)
    try:
        PERTURBATIONS[entry["name"]]
    except UnknownNameError as error:
        raise DataError(str(error), place=where) from error
    count = entry.get("count", 1)
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise DataError(f"count is {count!r}; allowed: a whole number from 1", place=where)
    arguments = {key: value for key, value in entry.items() if key not in {"name", "count"}}
    try:
        text = canonical_json(arguments)
    except DataError as error:
        raise DataError(f"perturbation {entry['name']}: {error}", place=where) from error
    return to_plain(PerturbationSpec(entry["name"], JsonText(text), count))  # type: ignore[no-any-return]


def _check(config: StudyConfig, text: str, place: str) -> None:
    """Refuse values that have the right type and no meaning."""

    def refuse(key: str, message: str) -> None:
        raise DataError(message, place=f"{place}:{_line(text, key)}")

    if not config.problems:
        refuse("problems", "problems is empty; name at least one set")
    if not config.perturbations:
        refuse("perturbations", "perturbations is empty; name at least clean")
    if config.samples < 1:
        refuse("samples", f"samples is {config.samples}; allowed: a whole number from 1")
    if config.limit is not None and config.limit < 1:
        refuse("limit", f"limit is {config.limit}; allowed: a whole number from 1")
    if not 0.5 <= config.level < 1.0:
        refuse("level", f"level is {config.level}; allowed: 0.5 to below 1")
    if not 0.1 <= config.grader.timeout <= 600:
        refuse("timeout", f"timeout is {config.grader.timeout}; allowed: 0.1 to 600 seconds")
    try:
        check_sandbox_name(config.grader.sandbox)
    except UsageError as error:
        refuse("sandbox", str(error))
    _check_decoding(config.decoding, refuse)
    if config.style not in style_names():
        allowed = ", ".join(style_names())
        refuse("style", f"style is {config.style!r}; allowed: {allowed}")
    if len(set(config.perturbations)) != len(config.perturbations):
        refuse("perturbations", "a perturbation stands twice; use count for more variants of it")


def _check_decoding(decoding: Decoding, refuse: Callable[[str, str], None]) -> None:
    temperature = decoding.temperature
    if temperature is not None and not 0 <= temperature <= 2:
        refuse("temperature", f"temperature is {temperature}; allowed: 0 to 2")
    top_p = decoding.top_p
    if top_p is not None and not 0 < top_p <= 1:
        refuse("top_p", f"top_p is {top_p}; allowed: above 0 to 1")
    tokens = decoding.max_tokens
    if tokens is not None and tokens < 1:
        refuse("max_tokens", f"max_tokens is {tokens}; allowed: a whole number from 1")


def _line(text: str, key: str) -> int:
    """Return the line where ``key`` is set, else 1."""
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped.split("=")[0].strip() == key or stripped.strip("[]") == key:
            return number
    return 1


def _line_of(text: str, table: str, index: int) -> int:
    """Return the line of the ``index``-th ``[[table]]``, else where ``table`` is set."""
    starts = [
        number
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() == f"[[{table}]]"
    ]
    return starts[index] if index < len(starts) else _line(text, table)


def _line_of_error(text: str, message: str) -> int:
    """Return the line of the field that a codec message names."""
    if "unknown field" in message:
        return _line(text, message.split("unknown field '")[1].split("'", maxsplit=1)[0])
    path = message.split(" ", maxsplit=1)[0]
    return _line(text, path.split(".")[-1].split("[")[0])
