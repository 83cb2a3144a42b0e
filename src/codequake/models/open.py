"""A model by name, ready to be asked, or one sentence that says what it lacks."""

from __future__ import annotations

import difflib
import json
import logging
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from codequake.canonical import canonical_json
from codequake.errors import (
    CodequakeError,
    ToolMissingError,
    UnknownNameError,
    UsageError,
)
from codequake.models.simulate import SimContext

if TYPE_CHECKING:
    from inspect_ai.model import Model

__all__ = ["OpenModel", "Retries", "is_local", "open_model"]

_ARGUMENTS = "arguments:"


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a failed request is asked again, and how long to wait before.

    The n-th wait is ``first_wait * 2**(n-1)`` seconds, at most ``longest_wait``, times a factor
    of 0.5 to 1 that depends on the request.  ``count`` 0 asks once.
    """

    count: int = 4
    first_wait: float = 2.0
    longest_wait: float = 60.0


@dataclass(frozen=True, slots=True)
class OpenModel:
    """A model that can be asked.

    ``engine`` names weights, engine build and settings of a model inside this process; of a
    remote one we know only what its replies report, and it names the arguments that its provider
    was given, or is empty.  ``concurrency`` is the
    number of requests that are open at once.  ``attempt_timeout`` is in seconds.  ``connect``
    makes a fresh connection; each run of requests needs its own, bound to its event loop.
    """

    name: str
    engine: str
    concurrency: int
    retries: Retries
    attempt_timeout: int | None
    connect: Callable[[], Model]


def is_local(engine: str) -> bool:
    """Whether an engine is one inside this process, whose weights and settings are known."""
    return bool(engine) and not engine.startswith(_ARGUMENTS)


def open_model(
    name: str,
    *,
    arguments: Mapping[str, str] | None = None,
    context: SimContext | None = None,
    label: str = "",
) -> OpenModel:
    """Open ``codequake/smollm2``, ``codequake/sim``, ``codequake/replay`` or any Inspect model.

    ``arguments``: ``base_url``, ``max_connections``, ``max_retries``, ``retry_wait`` (seconds
    before the first retry), ``attempt_timeout`` (seconds) are ours, every other one goes to the
    provider, read as JSON where it is JSON and as text otherwise.  ``context`` is what a simulated
    coder knows.  ``label`` is the name that its requests carry, where that is another than its own.
    Nothing is asked yet.  Raises ``ToolMissingError`` when a package, weights or a
    key is missing, ``UnknownNameError`` for a provider nobody has, ``UsageError`` for a wrong
    argument.
    """
    own, theirs = _split(name, arguments or {})
    remote = _asked_with(name, theirs, label)
    _import_inspect()
    if name.startswith("codequake/sim"):
        if context is None:
            raise UsageError(f"{name} needs the problems and variants of a study (a SimContext)")
        theirs["context"] = context

    def connect() -> Model:
        model = _connect(name, own.base_url, theirs)
        _ask_once(model)
        # Inspect keeps one queue a provider for as long as the process lives, with the width that
        # its first user wanted; a key of our own gives each connection the width that it asks for.
        scope = uuid.uuid4().hex
        model.api.connection_key = lambda: scope  # type: ignore[method-assign]
        return model

    first = connect()
    declared = first.api.max_connections()
    local = getattr(first.api, "local", None)
    if local is not None and own.max_connections not in (None, declared):
        raise UsageError(
            f"{name} answers {declared} request at a time; max_connections is {own.max_connections}"
        )
    return OpenModel(
        name=label or name,
        engine=local.engine if local is not None else remote,
        concurrency=own.max_connections or declared,
        retries=own.retries,
        attempt_timeout=own.attempt_timeout,
        connect=connect,
    )


def _asked_with(name: str, arguments: Mapping[str, Any], label: str) -> str:
    """Return the engine of a remote model: what besides its name decides what it answers."""
    known: dict[str, Any] = {"arguments": dict(arguments)} if arguments else {}
    if label not in ("", name):
        known["model"] = name
    return _ARGUMENTS + canonical_json(known) if known else ""


@dataclass(frozen=True, slots=True)
class _Own:
    base_url: str | None
    max_connections: int | None
    retries: Retries
    attempt_timeout: int | None


def _split(name: str, arguments: Mapping[str, str]) -> tuple[_Own, dict[str, Any]]:
    """Separate our own arguments from those of the provider."""
    rest = dict(arguments)
    if "api_key" in rest:
        raise UsageError(f"{name}: api_key is not taken as an argument; set the key's variable")
    usual = Retries()
    first_wait = _number(rest.pop("retry_wait", None), "retry_wait", 0.0)
    count = _whole(rest.pop("max_retries", None), "max_retries", 0)
    own = _Own(
        base_url=rest.pop("base_url", None),
        max_connections=_whole(rest.pop("max_connections", None), "max_connections", 1),
        retries=Retries(
            usual.count if count is None else count,
            usual.first_wait if first_wait is None else first_wait,
            usual.longest_wait,
        ),
        attempt_timeout=_whole(rest.pop("attempt_timeout", None), "attempt_timeout", 1),
    )
    return own, {key: _value(text) for key, text in rest.items()}


def _whole(text: str | None, key: str, least: int) -> int | None:
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < least:
        raise UsageError(f"argument {key} is {text!r}; allowed: a whole number from {least}")
    return int(text)


def _number(text: str | None, key: str, least: float) -> float | None:
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text) or float(text) < least:
        raise UsageError(f"argument {key} is {text!r}; allowed: a number from {least}")
    return float(text)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _import_inspect() -> None:
    """Load Inspect and our own providers, and keep its log lines off the user's terminal."""
    try:
        import inspect_ai.model  # noqa: F401 - heavy, and optional
    except ImportError as error:
        raise ToolMissingError(
            f"models are asked through Inspect AI, which is not installed ({error}); "
            "run `pip install 'codequake[models]'`"
        ) from error
    import codequake.models.providers  # noqa: F401 - registers our models

    logger = logging.getLogger("inspect_ai")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def _connect(name: str, base_url: str | None, arguments: Mapping[str, Any]) -> Model:
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai.model import get_model

    if "/" not in name:
        raise UnknownNameError(f"model {name!r} has no provider; write PROVIDER/MODEL")
    provider = name.partition("/")[0]
    if provider not in _providers():
        near = difflib.get_close_matches(provider, _providers(), n=3, cutoff=0.5)
        raise UnknownNameError(
            f"model {name!r}: provider {provider!r} is not known; "
            f"{'near names' if near else 'allowed'}: {', '.join(near or _providers())}"
        )
    try:
        return get_model(name, base_url=base_url, memoize=False, **arguments)
    except CodequakeError:
        raise
    except PrerequisiteError as error:
        raise ToolMissingError(f"model {name!r} cannot be used: {_one_sentence(error)}") from error
    except (ImportError, OSError) as error:
        raise ToolMissingError(f"model {name!r} cannot be used: {error}") from error
    except Exception as error:
        raise UsageError(f"model {name!r} cannot be opened: {_one_line(str(error))}") from error


def _ask_once(model: Model) -> None:
    """Stop the client of a provider from asking again by itself, under our own retries.

    The clients of OpenAI, Anthropic and what is built on them ask three times unless told not to,
    so that one request of ours would be up to three of theirs for each of our attempts.
    """
    client: Any = getattr(model.api, "client", None)
    if isinstance(getattr(client, "max_retries", None), int):
        client.max_retries = 0


def _providers() -> list[str]:
    from inspect_ai._util.registry import (
        registry_find,
        registry_info,
        registry_unqualified_name,
    )

    found = registry_find(lambda info: info.type == "modelapi")
    return sorted({registry_unqualified_name(registry_info(item)) for item in found})


def _one_sentence(error: Any) -> str:
    """Return Inspect's message without mark-up, prefix and line breaks."""
    text = re.sub(r"\[/?[a-z_ ]*\]", "", str(error.message))
    return _one_line(re.sub(r"^ERROR:\s*", "", text.strip()))


def _one_line(text: str) -> str:
    return " ".join(text.split()) or "no reason given"
