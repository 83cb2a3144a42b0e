"""Constants of a problem: values in its text and programs that can be drawn anew.

In a problem file they stand under their names::

    [constants]
    AGE = { role = "task", value = 60, others = [21, 65] }

In sentences ``{AGE}`` stands for the value.  Programs use the name; those that do begin with a
line ``AGE = 60``, after their imports.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence

from codequake.canonical import canonical_json, parse_json
from codequake.problems.fields import Fields
from codequake.records import Constant, ConstantRole, JsonText, Language
from codequake.statements import Span, SpanKind

__all__ = [
    "constant_fault",
    "constant_spans",
    "fill_template",
    "mentions",
    "read_constants",
    "read_program",
    "replace_constants",
    "with_constants",
]

_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_PLACE = re.compile(r"\{([A-Z][A-Z0-9_]*)\}")


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
    if isinstance(value, str) and (not value.isprintable() or "`" in value):
        raise part.fault(field, f"holds {value!r}; allowed: one line of text without backquotes")
    if isinstance(value, float) and not math.isfinite(value):
        raise part.fault(field, f"holds {value}; allowed: finite numbers")
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
    """Tell whether a Python program reads a name; strings and comments do not count."""
    tree = _tree(code)
    if tree is None:
        return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", code) is not None
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))


def constant_fault(code: str, language: Language, constants: Sequence[Constant]) -> str | None:
    """Return what keeps constants from being put into a program, ``None`` when nothing does.

    Only Python takes them, and no program gives one of their names another meaning.
    """
    for item in constants:
        if language is not Language.PYTHON and mentions(code, item.name):
            return f"uses the constant {item.name}; allowed: in Python programs only"
    tree = _tree(code) if language is Language.PYTHON else None
    bound = set() if tree is None else {name for node in ast.walk(tree) for name in _bound(node)}
    for item in constants:
        if item.name in bound:
            return f"gives {item.name} a meaning of its own; allowed: to read the constant"
    return None


def _bound(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.arg(arg=name):
            return (name,)
        case ast.alias(name=name, asname=other):
            return (other or name,)
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return tuple(names)
        case _:
            return ()


def _tree(code: str) -> ast.Module | None:
    """Parse a program; ``None`` for one that is no Python, as its check will say."""
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return None


def read_program(part: Fields, name: str, language: Language, constants: Sequence[Constant]) -> str:
    """Read a program, with the lines of its constants.  Raises ``DataError``."""
    code = part.text(name).lstrip("\n")
    fault = constant_fault(code, language, constants)
    if fault is not None:
        raise part.fault(name, fault)
    return with_constants(code, constants)


def with_constants(code: str, constants: Sequence[Constant]) -> str:
    """Return a Python program with a line for each constant that it reads."""
    lines = [_line(item) for item in constants if mentions(code, item.name)]
    if not lines:
        return code
    rows = code.split("\n")
    last = _imports_end(code)
    head, rest = rows[:last], "\n".join(rows[last:]).lstrip("\n")
    gap = "\n\n\n" if rest.startswith(("def ", "class ", "@")) else "\n\n"
    start = "\n".join(head) + "\n\n" if head else ""
    return f"{start}{chr(10).join(lines)}{gap}{rest}"


def _imports_end(code: str) -> int:
    """Return the number of lines up to the last import at the beginning of a program."""
    tree = _tree(code)
    ends = [0]
    for number, node in enumerate([] if tree is None else tree.body):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not isinstance(node, ast.Import | ast.ImportFrom) and (number or not is_text):
            # What shares a line with an import comes after the constants, and so does that import.
            return max(end for end in ends if end < node.lineno)
        if node.lineno == ends[-1]:
            ends.pop()
        ends.append(node.end_lineno or node.lineno)
    return ends[-1]


def replace_constants(code: str, constants: Sequence[Constant]) -> str:
    """Return a program of ``with_constants`` with the values that the constants have now."""
    lines = {item.name: _line(item) for item in constants}
    rows = code.split("\n")
    tree = _tree(code)
    for node in [] if tree is None else tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() | ast.UnaryOp()):
                if name in lines:
                    rows[node.lineno - 1] = lines[name]
            case _:
                pass
    return "\n".join(rows)


def _line(constant: Constant) -> str:
    return f"{constant.name} = {parse_json(constant.value)!r}"
