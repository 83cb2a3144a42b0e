"""Prompt styles that a user writes: words around the text of a variant, in one call or several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from codequake.errors import UsageError
from codequake.grading.readers import reader_of
from codequake.models.stages import Part, Stage, StageMessage
from codequake.records import Problem, Variant

__all__ = ["StageTemplate", "Template", "check_template", "render_template"]

_PLACE = re.compile(r"\{(prompt|language|fence|entry_point|reply_[1-9])\}")
_PROMPT = "{prompt}"
_REPLY = "reply_"
_MOST_STAGES = 9


@dataclass(frozen=True, slots=True)
class StageTemplate:
    """One call of a prompt style; see ``Template`` for what may stand in its words."""

    user: str = _PROMPT
    system: str | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt style of the user.

    ``user`` holds ``{prompt}`` once, where the text of the variant goes.  ``{language}`` (as people
    write it), ``{fence}`` (the tag of a code block) and ``{entry_point}`` (empty for programs) may
    stand in both; other braces are text.  Without ``system`` there is no system message.

    ``stages`` take the place of ``user`` and ``system`` in a style of two to nine calls.  Each is a
    conversation of its own; ``{reply_1}`` in a later one is the reply to the first, and so on.  The
    reply to the last one counts.
    """

    name: str
    user: str = _PROMPT
    system: str | None = None
    stages: tuple[StageTemplate, ...] = ()


def check_template(template: Template) -> None:
    """Raise ``UsageError`` for a template whose words have no place for the prompt, or a wrong one.

    The message begins with the setting that is wrong.
    """
    name = f"of template {template.name!r}"
    if not template.stages:
        _check_call(template.user, template.system, "", name, 0)
        return
    if (template.user, template.system) != (_PROMPT, None):
        raise UsageError(f"stages {name} stand beside user or system; allowed: one or the other")
    if not 2 <= len(template.stages) <= _MOST_STAGES:
        raise UsageError(
            f"stages {name} are {len(template.stages)}; allowed: 2 to {_MOST_STAGES}, or user and "
            "system alone"
        )
    for number, stage in enumerate(template.stages):
        _check_call(stage.user, stage.system, f"stages[{number}].", name, number)


def _check_call(user: str, system: str | None, path: str, name: str, before: int) -> None:
    """``before`` is the number of calls before this one, whose replies it may hold."""
    count = user.count(_PROMPT)
    if count != 1:
        raise UsageError(f"{path}user {name} holds {_PROMPT} {count} times; allowed: once")
    if system is not None and _PROMPT in system:
        raise UsageError(f"{path}system {name} holds {_PROMPT}; allowed: in user only")
    if system is not None and not system.strip():
        raise UsageError(f"{path}system {name} is empty; leave it out")
    for setting, text in (("user", user), ("system", system or "")):
        for match in _PLACE.finditer(text):
            if match[1].startswith(_REPLY) and int(match[1].removeprefix(_REPLY)) > before:
                allowed = "no reply, since none is there yet"
                if before:
                    allowed = "replies to the stages before it"
                raise UsageError(f"{path}{setting} {name} holds {match[0]}; allowed: {allowed}")


def render_template(template: Template, problem: Problem, variant: Variant) -> tuple[Stage, ...]:
    """Return the calls of a template; the variant's own braces stay as they are."""
    values = {
        "prompt": variant.text,
        "language": reader_of(problem.language).name,
        "fence": problem.language.value,
        "entry_point": variant.entry_point or "",
    }
    calls = template.stages or (StageTemplate(template.user, template.system),)
    return tuple(_stage(call, values) for call in calls)


def _stage(call: StageTemplate, values: dict[str, str]) -> Stage:
    messages = [StageMessage("user", tuple(_parts(call.user, values)))]
    if call.system is not None:
        messages.insert(0, StageMessage("system", tuple(_parts(call.system, values))))
    return Stage(tuple(messages))


def _parts(text: str, values: dict[str, str]) -> Iterator[Part]:
    """Yield text with its places filled, as one part up to each reply."""
    words = ""
    at = 0
    for match in _PLACE.finditer(text):
        words += text[at : match.start()]
        at = match.end()
        if match[1].startswith(_REPLY):
            yield Part(words)
            yield Part("", int(match[1].removeprefix(_REPLY)))
            words = ""
        else:
            words += values[match[1]]
    yield Part(words + text[at:])
