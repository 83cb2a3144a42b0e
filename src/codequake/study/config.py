"""The study file: what is asked of whom, how often, and how it is graded."""

from __future__ import annotations

import importlib.resources
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codequake.canonical import canonical_json
from codequake.codec import from_plain, to_plain
from codequake.errors import DataError, UnknownNameError, UsageError
from codequake.files import read_text
from codequake.models import Template, check_template, style_names
from codequake.perturb import PERTURBATIONS, PerturbationSpec
from codequake.records import JsonText
from codequake.study.lines import Lines
from codequake.study.missing import PLANNED
from codequake.study.model_settings import Decoding, ModelSettings, read_model, with_unset
from codequake.study.sandboxes import check_sandbox_name

__all__ = [
    "Budget",
    "Decoding",
    "GraderSettings",
    "Price",
    "Study",
    "StudyConfig",
    "check_prices_given",
    "load_study",
    "parse_study",
    "preset_names",
    "settings_of",
    "styles_of",
]


_USUAL_DECODING = Decoding()


@dataclass(frozen=True, slots=True)
class GraderSettings:
    """Limits of one test in CPU seconds, and the name of the sandbox (see ``open_sandbox``)."""

    timeout: float = 5.0
    sandbox: str = "bwrap"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a study may spend over all its runs; ``None`` is no limit.

    ``requests`` and ``tokens`` (read and written) are counted, ``cost`` is in the unit of the
    prices, ``seconds`` are those in which models were asked.
    """

    requests: int | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens of one model cost, read and written."""

    model: str
    input: float
    output: float


@dataclass(frozen=True, slots=True)
class StudyConfig:
    """One experiment.

    ``problems`` are sets in the order of the study, as they were written; ``limit`` keeps the first
    so many problems of each set.  ``variants`` are files of ready-made prompts, ``recode:FILE``.
    ``models`` and ``samples`` may grow between runs, ``budget`` and ``prices`` may change;
    everything else is what makes it this study.

    ``model_settings`` are of the models that the file says more of than their name.  ``styles`` are
    given when there are several, ``style`` is then the first; ``templates`` are styles of the user.
    ``unavailable`` are perturbations that this version cannot make, ``missing`` says what to do
    then: ``refuse`` or ``skip``.
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
    decoding: Decoding = _USUAL_DECODING
    grader: GraderSettings = GraderSettings()
    budget: Budget = Budget()
    prices: tuple[Price, ...] = ()
    model_settings: tuple[ModelSettings, ...] = ()
    styles: tuple[str, ...] = ()
    templates: tuple[Template, ...] = ()
    unavailable: tuple[PerturbationSpec, ...] = ()
    missing: str = "refuse"


@dataclass(frozen=True, slots=True)
class Study:
    """An experiment that is asked for.

    ``base`` is the folder that the paths of its sets start from: that of the study file, or the
    current one where the sets were not named in a file.
    """

    config: StudyConfig
    base: Path = Path()


def settings_of(config: StudyConfig, model: str) -> ModelSettings:
    """Return how a model of the study is reached and asked; of most there is only a name."""
    for settings in config.model_settings:
        if settings.name == model:
            return settings
    return ModelSettings(model, model)


def styles_of(config: StudyConfig, model: str) -> tuple[str, ...]:
    """Return the prompt styles that a model is asked in; there is always one."""
    own = settings_of(config, model).style
    return (own,) if own else config.styles or (config.style,)


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
    lines = Lines(text)
    plain = _plain_settings(raw, lines, place)
    plain.setdefault("name", Path(place.removeprefix("preset:")).stem)
    plain.setdefault("title", plain["name"])
    plain.setdefault("seed", 0)
    try:
        config = from_plain(StudyConfig, plain)
    except DataError as error:
        raise DataError(
            str(error).replace("StudyConfig.", "").replace("StudyConfig ", "the study "),
            place=f"{place}:{lines.of(_path_of_error(str(error)))}",
        ) from error
    _check(config, lines, place)
    return config


def _plain_settings(raw: Mapping[str, Any], lines: Lines, place: str) -> dict[str, Any]:
    """Return the fields of the configuration as the codec wants them; other keys stay."""
    plain = dict(raw)
    for key in ("model_settings", "styles", "unavailable"):
        if key in raw:
            raise DataError(
                f"{key} is no key of a study file; see models, style and perturbations",
                place=f"{place}:{lines.of(key)}",
            )
    specs = [
        _perturbation(entry, place, lines.of(f"perturbations[{index}]"))
        for index, entry in enumerate(_list(raw, "perturbations", lines, place))
    ]
    plain["perturbations"] = [spec for spec in specs if spec["name"] in PERTURBATIONS]
    plain["unavailable"] = [spec for spec in specs if spec["name"] not in PERTURBATIONS]
    if "decoding" in raw:
        plain["decoding"] = _decoding(with_unset(raw["decoding"]), lines, place)
    if isinstance(raw.get("style"), list):
        plain["styles"] = raw["style"] if len(raw["style"]) > 1 else []
        plain["style"] = next(iter(raw["style"]), "")
    _add_models(plain, _list(raw, "models", lines, place), lines, place)
    return plain


def _decoding(table: Any, lines: Lines, place: str) -> dict[str, Any]:
    """Return the decoding of the study, checked before any model adds its own to it."""
    try:
        fault = from_plain(Decoding, table).fault()
    except DataError as error:
        message = f"decoding{str(error).removeprefix('Decoding')}"
        line = lines.of(_path_of_error(f"StudyConfig.{message}"))
        raise DataError(message, place=f"{place}:{line}") from error
    if fault is not None:
        raise DataError(fault[1], place=f"{place}:{lines.of(f'decoding.{fault[0]}')}")
    return dict(table)


def _add_models(plain: dict[str, Any], entries: list[Any], lines: Lines, place: str) -> None:
    """Set the names of the models, and what is said of each besides."""
    names: list[str] = []
    settings: list[dict[str, Any]] = []
    for index, entry in enumerate(entries):
        path = f"models[{index}]"
        try:
            found = read_model(entry, plain.get("decoding", {}))
        except DataError as error:
            message = str(error).replace("ModelSettings.", "").replace("ModelSettings has", "has")
            words = message.split(" ", maxsplit=1)[0].rstrip(":")
            raise DataError(message, place=f"{place}:{lines.of(f'{path}.{words}')}") from error
        name = found if isinstance(found, str) else found.name
        if name in names:
            raise DataError(
                f"model {name} stands twice; give one of them another name, with model = ...",
                place=f"{place}:{lines.of(path)}",
            )
        names.append(name)
        if isinstance(found, ModelSettings):
            settings.append(to_plain(found))
    if "models" in plain:
        plain["models"] = names
    plain["model_settings"] = settings


def _list(raw: Mapping[str, Any], key: str, lines: Lines, place: str) -> list[Any]:
    value = raw.get(key, [])
    if not isinstance(value, list):
        raise DataError(f"{key} is {value!r}; allowed: a list", place=f"{place}:{lines.of(key)}")
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
        if entry["name"] not in PLANNED:
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


def _check(config: StudyConfig, lines: Lines, place: str) -> None:
    """Refuse values that have the right type and no meaning."""

    def refuse(key: str, message: str) -> None:
        raise DataError(message, place=f"{place}:{lines.of(key)}")

    if not config.problems:
        refuse("problems", "problems is empty; name at least one set")
    if not config.perturbations and not config.unavailable:
        refuse("perturbations", "perturbations is empty; name at least clean")
    if config.samples < 1:
        refuse("samples", f"samples is {config.samples}; allowed: a whole number from 1")
    if config.limit is not None and config.limit < 1:
        refuse("limit", f"limit is {config.limit}; allowed: a whole number from 1")
    if not 0.5 <= config.level < 1.0:
        refuse("level", f"level is {config.level}; allowed: 0.5 to below 1")
    if not 0.1 <= config.grader.timeout <= 600:
        refuse("grader.timeout", f"timeout is {config.grader.timeout}; allowed: 0.1 to 600 seconds")
    try:
        check_sandbox_name(config.grader.sandbox)
    except UsageError as error:
        refuse("grader.sandbox", str(error))
    _check_money(config, refuse)
    _check_styles(config, refuse)
    specs = (*config.perturbations, *config.unavailable)
    if len(set(specs)) != len(specs):
        refuse("perturbations", "a perturbation stands twice; use count for more variants of it")
    if config.missing not in ("refuse", "skip"):
        refuse("missing", f"missing is {config.missing!r}; allowed: refuse, skip")


def _check_styles(config: StudyConfig, refuse: Callable[[str, str], None]) -> None:
    known = list(style_names())
    for index, template in enumerate(config.templates):
        path = f"templates[{index}]"
        if not template.name.isidentifier():
            refuse(f"{path}.name", f"name is {template.name!r}; allowed: letters, digits and _")
        if template.name in known:
            refuse(f"{path}.name", f"there is a style {template.name!r} already; choose a new name")
        known.append(template.name)
        try:
            check_template(template)
        except UsageError as error:
            refuse(f"{path}.{str(error).split(maxsplit=1)[0]}", str(error))
    asked = [("style", style) for style in config.styles or (config.style,)]
    asked += [
        (f"models[{config.models.index(item.name)}].style", item.style)
        for item in config.model_settings
        if item.style
    ]
    for path, style in asked:
        if style == "reduced" and style not in known:
            refuse(path, "style 'reduced' is not known; name it in perturbations instead")
        if style not in known:
            refuse(path, f"style is {style!r}; allowed: {', '.join(known)}")
    if len(set(config.styles)) != len(config.styles):
        refuse("style", "a style stands twice; use samples for more replies")


def _check_money(config: StudyConfig, refuse: Callable[[str, str], None]) -> None:
    for name, value in to_plain(config.budget).items():
        if value is not None and not 0 < value < math.inf:
            refuse(f"budget.{name}", f"budget.{name} is {value}; allowed: a number above 0")
    check_prices_given(config.prices, refuse)


def check_prices_given(prices: Sequence[Price], refuse: Callable[[str, str], None]) -> None:
    """Call ``refuse`` with the setting and a sentence where a price has no meaning."""
    seen: set[str] = set()
    for index, price in enumerate(prices):
        if price.model in seen:
            refuse(f"prices[{index}]", f"{price.model} has two prices; give it one")
        seen.add(price.model)
        for name, value in (("input", price.input), ("output", price.output)):
            if not 0 <= value < math.inf:
                message = f"price {name} of {price.model} is {value}; allowed: 0 or more"
                refuse(f"prices[{index}].{name}", message)


def _path_of_error(message: str) -> str:
    """Return the path of the setting that a codec message is about."""
    path = message.split(" ", maxsplit=1)[0].partition(".")[2]
    if "unknown field" in message:
        unknown = message.split("unknown field '")[1].split("'", maxsplit=1)[0]
        return f"{path}.{unknown}" if path else unknown
    return path
