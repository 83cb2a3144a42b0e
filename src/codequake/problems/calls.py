"""How the programs of a problem are called, and what its tests may therefore look like."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from codequake.canonical import canonical_json, parse_json
from codequake.errors import DataError
from codequake.problems.fields import Fields
from codequake.records import FormulaSlot, Interface, JsonText
from codequake.statements import Span, SpanKind

__all__ = ["Call", "checked_expected", "checked_input", "read_call", "read_json"]


@dataclass(frozen=True, slots=True)
class Call:
    """How a program is called: no entry point means standard input.

    ``insertions`` are the spans that ``{signature}``, ``{formula}`` and the names of constants put
    into sentences.
    """

    entry_point: str | None
    parameters: tuple[str, ...]
    insertions: Mapping[str, Span]

    @property
    def interface(self) -> Interface:
        """A function or a program on standard input."""
        return Interface.STDIN if self.entry_point is None else Interface.FUNCTION


def read_call(
    fields: Fields, formula: FormulaSlot | None, constants: Mapping[str, Span] | None = None
) -> Call:
    """Read the signature of a problem.  Raises ``DataError`` when it is not a plain one.

    ``constants`` are the spans of its constants.
    """
    insertions = dict(constants or {})
    if formula is not None:
        insertions["formula"] = Span(SpanKind.FORMULA, formula.text)
    if not fields.has("signature"):
        return Call(None, (), insertions)
    signature = fields.text("signature")
    try:
        node = ast.parse(f"def {signature}: ...").body[0]
    except (SyntaxError, ValueError) as error:
        raise fields.fault("signature", f"is {signature!r}, which is not Python") from error
    if (
        not isinstance(node, ast.FunctionDef)
        or node.args.posonlyargs
        or node.args.kwonlyargs
        or node.args.vararg
        or node.args.kwarg
        or node.args.defaults
        or not node.args.args
    ):
        raise fields.fault("signature", f"is {signature!r}; allowed: a function of plain arguments")
    insertions["signature"] = Span(SpanKind.PROTECTED, f"`{signature}`")
    return Call(node.name, tuple(item.arg for item in node.args.args), insertions)


def read_json(text: str, place: str, what: str) -> Any:
    """Parse JSON strictly; the error says ``what`` it should have been, and where."""
    try:
        return parse_json(text)
    except DataError as error:
        raise DataError(f"{what} is {error}", place=place) from error


def checked_input(value: Any, call: Call, place: str) -> JsonText:
    """Return the canonical text of a test input.  Raises ``DataError`` for a wrong shape."""
    match call.interface:
        case Interface.FUNCTION:
            if not isinstance(value, list) or len(value) != len(call.parameters):
                raise DataError(
                    f"an input is {canonical_json(value)}; allowed: a list of "
                    f"{len(call.parameters)} arguments ({', '.join(call.parameters)})",
                    place=place,
                )
        case Interface.STDIN:
            _refuse_other_than_text(value, "an input", place)
    return JsonText(canonical_json(value))


def checked_expected(value: Any, call: Call, place: str) -> JsonText:
    """Return the canonical text of an expected output.  Raises ``DataError``."""
    if call.interface is Interface.STDIN:
        _refuse_other_than_text(value, "an expected output", place)
    return JsonText(canonical_json(value))


def _refuse_other_than_text(value: Any, what: str, place: str) -> None:
    if not isinstance(value, str):
        raise DataError(
            f"{what} is {canonical_json(value)}; allowed: a JSON string of text", place=place
        )
