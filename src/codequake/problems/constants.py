"""Constants of a problem: values in its text and programs that can be drawn anew.

In a problem file they stand under their names::

    [constants]
    AGE = { role = "task", value = 60, others = [21, 65] }

In sentences ``{AGE}`` stands for the value.  Programs use the name; those that do begin with a
line ``AGE = 60``, after their imports.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from codequake.canonical import canonical_json, parse_json
from codequake.problems.fields import Fields
from codequake.records import Constant, ConstantRole, JsonText
from codequake.statements import Span, SpanKind

__all__ = [
    "constant_spans",
    "fill_template",
    "mentions",
    "read_constants",
    "replace_constants",
    "with_constants",
]

_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_PLACE = re.compile(r"\{([A-Z][A-Z0-9_]*)\}")
_LINE = re.compile(r"^([A-Z][A-Z0-9_]*) = .*$", re.MULTILINE)
_IMPORT = re.compile(r"(?:from [\w.]+ )?import ")


def read_constants(fields: Fields) -> tuple[Constant, ...]:
    """Read the table ``constants``; empty when it was left out.  Raises ``DataError``."""
    if not fields.has("constants"):
        return ()
    table = fields.table("constants")
    found = []
    for name in table.names():
        if not _NAME.fullmatch(name):
            raise table.fault(name, "is no name of a constant; allowed: upper-case letters")
        part = table.table(name)
        value = _value(part, "value", part.anything("value"))
        others = tuple(_value(part, "others", item) for item in part.sequence("others"))
        if not others or len({value, *others}) <= len(others):
            raise part.fault("others", "holds no other value, or one twice; allowed: new values")
        found.append(Constant(name, part.choice("role", ConstantRole), value, others))
        part.close()
    table.close()
    return tuple(found)


def _value(part: Fields, field: str, value: object) -> JsonText:
    if isinstance(value, bool) or not isinstance(value, int | float | str) or value == "":
        raise part.fault(field, f"holds {value!r}; allowed: numbers and texts")
    return JsonText(canonical_json(value))


def constant_spans(constants: Sequence[Constant]) -> dict[str, Span]:
    """Return name -> the protected span that ``{NAME}`` stands for."""
    return {
        item.name: Span(SpanKind.PROTECTED, _shown(item), template=f"{{{item.name}}}")
        for item in constants
    }


def _shown(constant: Constant) -> str:
    return str(parse_json(constant.value))


def fill_template(template: str, shown: Mapping[str, str]) -> str:
    """Put values in the place of the ``{NAME}`` that are known; all other braces stay."""
    return _PLACE.sub(lambda match: shown.get(match[1], match[0]), template)


def mentions(code: str, name: str) -> bool:
    """Tell whether a text uses a name as a whole word."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", code) is not None


def with_constants(code: str, constants: Sequence[Constant]) -> str:
    """Return a Python program with a line for each constant that it mentions."""
    lines = [_line(item) for item in constants if mentions(code, item.name)]
    if not lines:
        return code
    rows = code.split("\n")
    last = max((at for at, row in enumerate(rows) if _IMPORT.match(row)), default=-1)
    head, rest = rows[: last + 1], "\n".join(rows[last + 1 :]).lstrip("\n")
    gap = "\n\n\n" if rest.startswith(("def ", "class ", "@")) else "\n\n"
    start = "\n".join(head) + "\n\n" if head else ""
    return f"{start}{chr(10).join(lines)}{gap}{rest}"


def replace_constants(code: str, constants: Sequence[Constant]) -> str:
    """Return a program of ``with_constants`` with the values that the constants have now."""
    lines = {item.name: _line(item) for item in constants}
    return _LINE.sub(lambda match: lines.get(match[1], match[0]), code)


def _line(constant: Constant) -> str:
    return f"{constant.name} = {parse_json(constant.value)!r}"
