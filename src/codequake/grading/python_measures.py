"""Measures of a Python program, from its syntax tree and its tokens.

Decisions, each adding one to the complexity: ``if``, ``elif``, ``for``, ``while``, a conditional
expression, ``except``, ``assert``, each ``for`` and each ``if`` of a comprehension, each ``and``
and ``or``, each ``case`` that can fail to match, and each guard of one.  ``else``, ``finally``,
``with`` and ``case _`` decide nothing.
"""

from __future__ import annotations

import ast
import io
import tokenize

from codequake.grading.counts import (
    SHOWN_LITERAL,
    Measures,
    Unmeasured,
    filled_lines,
    one_line_end,
)
from codequake.grading.python_text import Unparsed, parse_python

__all__ = ["measure_python"]

_LAYOUT = frozenset(
    {
        tokenize.NEWLINE,
        tokenize.NL,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
        tokenize.ENCODING,
    }
)
_LARGEST_SHOWN = 256  # bits; a longer whole number may be too long to be written out
_Rows = set[int]


def measure_python(program: str) -> Measures | Unmeasured:
    """Return the measures of a Python program, or why it has none."""
    text = one_line_end(program)
    tree = parse_python(text)
    if isinstance(tree, Unparsed):
        return Unmeasured(f"it does not parse: {tree.why}")
    nodes = list(ast.walk(tree))
    docstrings = _docstrings(nodes)
    spans = [(node.lineno, node.end_lineno or node.lineno) for node in docstrings]
    try:
        lexed = _lex(text, {row for low, high in spans for row in range(low, high + 1)})
    except (tokenize.TokenError, SyntaxError, ValueError):
        return Unmeasured("it does not parse: its tokens cannot be told apart")
    kept = {id(node) for node in docstrings}
    return Measures(
        lines=filled_lines(text),
        code_lines=len(lexed.code),
        comment_lines=len(lexed.comments),
        docstring_lines=len({row for low, high in spans for row in range(low, high + 1)}),
        tokens=lexed.tokens,
        nodes=len(nodes),
        complexity=1 + sum(map(_decisions, nodes)),
        approximate=False,
        names=tuple(sorted({name for node in nodes for name in _names(node)})),
        literals=tuple(
            sorted(
                {
                    _literal(node.value)
                    for node in nodes
                    if isinstance(node, ast.Constant)
                    and id(node) not in kept
                    and isinstance(node.value, int | float | complex | str | bytes)
                    and not isinstance(node.value, bool)
                }
            )
        ),
    )


def _docstrings(nodes: list[ast.AST]) -> list[ast.Constant]:
    found = []
    for node in nodes:
        if not isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        match node.body:
            case [ast.Expr(value=ast.Constant(value=str()) as text), *_]:
                found.append(text)
            case _:
                pass
    return found


class _Lexed:
    """Tokens of code, and the rows that hold code and comments."""

    def __init__(self) -> None:
        self.tokens = 0
        self.code: _Rows = set()
        self.comments: _Rows = set()


def _lex(text: str, documented: _Rows) -> _Lexed:
    found = _Lexed()
    start_of = getattr(tokenize, "FSTRING_START", -1)  # one token each before Python 3.12
    end_of = getattr(tokenize, "FSTRING_END", -1)
    depth, opened = 0, 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            found.comments.add(token.start[0])
        elif token.type == start_of:
            opened = token.start[0] if depth == 0 else opened
            depth += 1
        elif token.type == end_of:
            depth -= 1
            if depth == 0:
                found.tokens += 1
                found.code.update(range(opened, token.end[0] + 1))
        elif depth == 0 and token.type not in _LAYOUT and token.string:
            found.tokens += 1
            if token.type != tokenize.STRING or token.start[0] not in documented:
                found.code.update(range(token.start[0], token.end[0] + 1))
    return found


def _decisions(node: ast.AST) -> int:
    match node:
        case (
            ast.If()
            | ast.IfExp()
            | ast.For()
            | ast.AsyncFor()
            | ast.While()
            | ast.ExceptHandler()
            | ast.Assert()
        ):
            return 1
        case ast.comprehension(ifs=conditions):
            return 1 + len(conditions)
        case ast.BoolOp(values=values):
            return len(values) - 1
        case ast.match_case(pattern=pattern, guard=guard):
            return (not _always_matches(pattern)) + (guard is not None)
        case _:
            return 0


def _always_matches(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def _names(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case _:
            return ()


def _literal(value: int | float | complex | str | bytes) -> str:
    """A literal as Python writes it; of a long one the beginning, and of a huge number its size."""
    if isinstance(value, int) and value.bit_length() > _LARGEST_SHOWN:
        return f"a whole number of {value.bit_length()} bits"
    if isinstance(value, str | bytes):
        return repr(value[:SHOWN_LITERAL])
    return repr(value)
