"""How one model is reached and asked: what ``[[models]]`` of a study file may say besides a name.

What decides a reply (the model, the arguments of its provider, its decoding) belongs to the study.
Where a model is reached, and how patiently, may change between two runs.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from codequake.canonical import canonical_json, parse_json
from codequake.codec import field_types, from_plain
from codequake.errors import DataError
from codequake.records import JsonText

__all__ = ["Decoding", "ModelSettings", "open_arguments", "read_model", "same_model", "with_unset"]

UNSET = "unset"
"""In a study file: leave a decoding parameter to the provider."""
_NO_ARGUMENTS = JsonText("{}")
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_SECRET = re.compile(r"(^|_)(api_?key|token|secret|password|authorization)($|_)", re.IGNORECASE)
_WAYS = ("base_url", "max_connections", "max_retries", "retry_wait", "attempt_timeout")


@dataclass(frozen=True, slots=True)
class Decoding:
    """Decoding parameters; ``None`` leaves the provider's own default, and says so.

    The names are those of Inspect.  Not every provider takes every one.
    """

    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = 1024
    seed: int | None = None
    top_k: int | None = None
    stop_seqs: tuple[str, ...] | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    reasoning_effort: str | None = None
    reasoning_tokens: int | None = None

    def fault(self) -> tuple[str, str] | None:
        """Return a parameter whose value has no meaning, and what is allowed for it."""
        checks: tuple[tuple[str, bool, str], ...] = (
            ("temperature", _within(self.temperature, 0, 2), "0 to 2"),
            (
                "top_p",
                _within(self.top_p, 0, 1) and self.top_p != 0,
                "above 0 to 1",
            ),
            ("max_tokens", _at_least(self.max_tokens, 1), "a whole number from 1"),
            ("top_k", _at_least(self.top_k, 1), "a whole number from 1"),
            ("seed", _at_least(self.seed, 0), "a whole number from 0"),
            (
                "stop_seqs",
                self.stop_seqs is None or (bool(self.stop_seqs) and all(self.stop_seqs)),
                "a list of texts that are not empty",
            ),
            ("frequency_penalty", _within(self.frequency_penalty, -2, 2), "-2 to 2"),
            ("presence_penalty", _within(self.presence_penalty, -2, 2), "-2 to 2"),
            (
                "reasoning_effort",
                self.reasoning_effort is None or self.reasoning_effort in _EFFORTS,
                ", ".join(_EFFORTS),
            ),
            ("reasoning_tokens", _at_least(self.reasoning_tokens, 0), "a whole number from 0"),
        )
        for name, good, allowed in checks:
            if not good:
                value = getattr(self, name)
                shown = list(value) if isinstance(value, tuple) else value
                text = repr(shown) if isinstance(shown, str) else str(shown)
                return name, f"{name} is {text}; allowed: {allowed}"
        return None


def _within(value: float | None, low: float, high: float) -> bool:
    return value is None or low <= value <= high


def _at_least(value: int | None, least: int) -> bool:
    return value is None or value >= least


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How one model of a study is reached and asked.

    ``name`` stands in tables; ``model`` is its name for Inspect.  ``arguments`` is the canonical
    JSON of what its provider is given.  ``decoding`` is whole: that of the study with the model's
    own parameters in it, or ``None`` where the study's holds.  ``style`` takes the place of the
    styles of the study.  ``group`` puts models together.
    ``retry_wait`` and ``attempt_timeout`` are in seconds.
    """

    name: str
    model: str
    group: str = ""
    arguments: JsonText = _NO_ARGUMENTS
    decoding: Decoding | None = None
    style: str = ""
    base_url: str | None = None
    max_connections: int | None = None
    max_retries: int | None = None
    retry_wait: float | None = None
    attempt_timeout: int | None = None


def open_arguments(settings: ModelSettings) -> dict[str, str]:
    """Return the arguments for ``open_model``: those of the provider as JSON, ours as text."""
    found = {key: canonical_json(value) for key, value in parse_json(settings.arguments).items()}
    for name in _WAYS:
        value = getattr(settings, name)
        if value is not None:
            found[name] = f"{value:.6f}" if isinstance(value, float) else str(value)
    return found


def same_model(first: ModelSettings, second: ModelSettings) -> bool:
    """Whether two settings give equal replies, wherever and however patiently they are asked."""
    alike = dataclasses.replace(second, **{name: getattr(first, name) for name in _WAYS})
    return alike == first


def with_unset(value: Any) -> Any:
    """Return a decoding table with ``"unset"`` turned into no value."""
    if not isinstance(value, Mapping):
        return value
    return {key: None if item == UNSET else item for key, item in value.items()}


def read_model(entry: Any, decoding: Mapping[str, Any]) -> ModelSettings | str:
    """Return a model of the study file: its name, or its settings where it has any.

    ``decoding`` is the table of the study, checked already.  Raises ``DataError`` whose message
    begins with the key that is wrong.
    """
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise DataError(f"model {entry!r} has no name; allowed: a name, or a table with one")
    given = dict(entry)
    given.setdefault("model", given["name"])
    arguments = given.pop("args", {})
    _refuse_keys(given, arguments)
    try:
        given["arguments"] = canonical_json(arguments)
    except DataError as error:
        raise DataError(f"args: {error}") from error
    if "decoding" in given:
        own = with_unset(given["decoding"])
        given["decoding"] = {**decoding, **own} if isinstance(own, dict) else own
    settings = from_plain(ModelSettings, given)
    _check(settings)
    if settings == ModelSettings(settings.name, settings.name):
        return settings.name
    return settings


def _refuse_keys(given: Mapping[str, Any], arguments: Any) -> None:
    """Refuse what must not stand in a study file, and what stands in the wrong place."""
    if not isinstance(arguments, dict):
        raise DataError(f"args is {arguments!r}; allowed: a table")
    for key in (*arguments, *given):
        if _SECRET.search(key):
            raise DataError(
                f"{'args.' if key in arguments else ''}{key} is no setting, since study files are "
                "shared; set the variable in which the provider looks for its key"
            )
    for key in arguments:
        if key in _WAYS:
            raise DataError(f"args.{key} belongs beside name; write {key} = ... without args")
    allowed = [key if key != "arguments" else "args" for key in field_types(ModelSettings)]
    for key in given:
        if key not in allowed:
            raise DataError(f"{key} is not known; allowed: {', '.join(allowed)}")


def _check(settings: ModelSettings) -> None:
    for name, least in (("max_connections", 1), ("max_retries", 0), ("attempt_timeout", 1)):
        value = getattr(settings, name)
        if value is not None and not least <= value < 10**9:
            raise DataError(f"{name} is {value}; allowed: a whole number from {least}")
    wait = settings.retry_wait
    if wait is not None and not 0 <= wait < 10**6:
        raise DataError(f"retry_wait is {wait}; allowed: 0 or more seconds")
    for name in ("name", "model"):
        text = getattr(settings, name)
        if not text.strip() or not text.isprintable():
            raise DataError(f"{name} is {text!r}; allowed: a text of printable characters")
    if settings.base_url is not None:
        _check_url(settings.base_url)
    if settings.decoding is not None and (fault := settings.decoding.fault()) is not None:
        raise DataError(f"decoding.{fault[1]}")


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise DataError(f"base_url is {url!r}: {error}") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DataError(f"base_url is {url!r}; allowed: http://HOST/... or https://HOST/...")
    if "@" in parts.netloc:
        raise DataError(
            "base_url holds a user or a password; study files are shared, so set the variable in "
            "which the provider looks for its key"
        )
