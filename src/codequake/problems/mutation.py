"""Mechanical mutants of a Python program: would the hidden tests notice a small mistake?

Each mutant differs from the program in one place: an operator, a comparison, a number, a bound, a
condition, or a statement that is left out.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codequake.records import Language, Reference

__all__ = ["Mutant", "mutants_of"]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed program, and in words what was changed: line, old text, new text."""

    what: str
    code: str


_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.FloorDiv: (ast.Mult, ast.Mod),
    ast.Div: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitOr,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
}
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
_LEFT_OUT = (ast.AugAssign, ast.Break, ast.Continue, ast.Expr)


def mutants_of(program: Reference, rng: random.Random, count: int) -> tuple[Mutant, ...]:
    """Return ``count`` different mutants in the order of the program, or all when there are fewer.

    Empty for other languages than Python, and for a program that does not parse.
    """
    if program.language is not Language.PYTHON:
        return ()
    try:
        tree = ast.parse(program.code)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    same = ast.unparse(tree)
    found: dict[str, str] = {}
    names = _variables(tree)
    for index, node in enumerate(ast.walk(tree)):
        for old, new in _changes(node, names):
            code = ast.unparse(_changed(tree, index, new))
            if code != same:
                line = getattr(node, "lineno", 0)
                found.setdefault(code, f"line {line}: {_short(old)} became {_short(new)}")
    everything = [Mutant(what, code) for code, what in found.items()]
    if len(everything) <= count:
        return tuple(everything)
    chosen = sorted(rng.sample(range(len(everything)), count))
    return tuple(everything[index] for index in chosen)


def _variables(tree: ast.Module) -> list[str]:
    """Return the names that a program gives values to, in the order of their first use."""
    found = [
        node.arg if isinstance(node, ast.arg) else node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.arg)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    ]
    return list(dict.fromkeys(found))


def _short(node: ast.AST) -> str:
    """Return the first line of a node's text."""
    first, *more = ast.unparse(node).split("\n")
    return "nothing" if isinstance(node, ast.Pass) else first + (" ..." if more else "")


def _changed(tree: ast.Module, index: int, new: ast.AST) -> ast.Module:
    """Return a copy of a tree in which the node of a number, in walking order, is another one."""
    copied = copy.deepcopy(tree)
    target = list(ast.walk(copied))[index]
    for parent in ast.walk(copied):
        for field, value in ast.iter_fields(parent):
            if value is target:
                setattr(parent, field, new)
            elif isinstance(value, list) and any(item is target for item in value):
                setattr(parent, field, [new if item is target else item for item in value])
    return ast.fix_missing_locations(copied)


Change = tuple[ast.AST, ast.AST]
"""A node, and what may stand in its place."""


def _changes(node: ast.AST, names: Sequence[str]) -> Iterator[Change]:
    """Yield the changes of one node; ``names`` are the variables of the program."""
    yield from _of_operators(node)
    yield from _of_values(node, names)
    yield from _of_statements(node)


def _of_operators(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare(left=left, ops=[operator, *rest], comparators=others):
            for kind in _COMPARISONS[type(operator)]:
                yield node, ast.Compare(left, [kind(), *rest], others)
        case ast.BinOp(left=left, op=operator, right=right):
            for swapped in _OPERATORS.get(type(operator), ()):
                yield node, ast.BinOp(left, swapped(), right)
        case ast.AugAssign(target=target, op=operator, value=value):
            for swapped in _OPERATORS.get(type(operator), ()):
                yield node, ast.AugAssign(target, swapped(), value)
        case ast.BoolOp(op=operator, values=values):
            yield node, ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield node, operand
        case _:
            pass


def _of_values(node: ast.AST, names: Sequence[str]) -> Iterator[Change]:
    match node:
        case ast.Constant(value=bool() as value):
            yield node, ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield node, ast.Constant(value + 1)
            yield node, ast.Constant(value - 1)
        case ast.Name(id=name, ctx=ast.Load()) if name in _NAMES:
            yield node, ast.Name(_NAMES[name], ast.Load())
        case ast.Name(id=name, ctx=ast.Load()) if name in names and len(names) > 1:
            yield node, ast.Name(names[names.index(name) - 1], ast.Load())
        case ast.Slice(lower=lower, upper=upper, step=step):
            if lower is not None:
                yield node, ast.Slice(None, upper, step)
            if upper is not None:
                yield node, ast.Slice(lower, None, step)
        case ast.Call(func=function, args=[first], keywords=[]) if isinstance(function, ast.Name):
            yield node, first
        case ast.Call(func=function, args=[first, second, *rest], keywords=keywords):
            yield node, ast.Call(function, [second, first, *rest], keywords)
        case _:
            pass


def _of_statements(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            yield node, ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield node, ast.IfExp(test, orelse, body)
        case _:
            pass
    if isinstance(node, _LEFT_OUT) and not _is_docstring(node):
        yield node, ast.Pass()


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
