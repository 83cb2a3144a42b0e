"""Prompt styles that a user writes: words around the text of a variant."""

from __future__ import annotations

import re
from dataclasses import dataclass

from codequake.errors import UsageError
from codequake.grading.readers import reader_of
from codequake.records import Message, Problem, Variant

__all__ = ["Template", "check_template", "render_template"]

_PLACE = re.compile(r"\{(prompt|language|fence|entry_point)\}")
_PROMPT = "{prompt}"


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt style of the user.

    ``user`` holds ``{prompt}`` once, where the text of the variant goes.  ``{language}`` (as people
    write it), ``{fence}`` (the tag of a code block) and ``{entry_point}`` (empty for programs) may
    stand in both; other braces are text.  Without ``system`` there is no system message.
    """

    name: str
    user: str = _PROMPT
    system: str | None = None


def check_template(template: Template) -> None:
    """Raise ``UsageError`` for a template without exactly one place for the prompt."""
    count = template.user.count(_PROMPT)
    if count != 1:
        raise UsageError(
            f"user of template {template.name!r} holds {_PROMPT} {count} times; allowed: once"
        )
    if template.system is not None and _PROMPT in template.system:
        raise UsageError(
            f"system of template {template.name!r} holds {_PROMPT}; allowed: in user only"
        )
    if template.system is not None and not template.system.strip():
        raise UsageError(f"system of template {template.name!r} is empty; leave it out")


def render_template(template: Template, problem: Problem, variant: Variant) -> tuple[Message, ...]:
    """Return the messages of a template; the variant's own braces stay as they are."""
    values = {
        "prompt": variant.text,
        "language": reader_of(problem.language).name,
        "fence": problem.language.value,
        "entry_point": variant.entry_point or "",
    }

    def fill(text: str) -> str:
        return _PLACE.sub(lambda match: values[match[1]], text)

    messages = [Message("user", fill(template.user))]
    if template.system is not None:
        messages.insert(0, Message("system", fill(template.system)))
    return tuple(messages)
