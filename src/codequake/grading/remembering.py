"""Whether a Python program may keep something from one call of a function to the next."""

from __future__ import annotations

import ast

__all__ = ["may_remember"]

_CACHES = ("cache", "lru_cache")


def may_remember(code: str) -> bool:
    """Tell whether a call may leave something behind that a later call can see.

    That is a module, a class or a default argument that holds what can change, a ``global`` name,
    and an attribute of a function or class.  When in doubt it is true, but caches of the standard
    library are taken for what they are, and modules that a program imports are not looked into.
    False for a program that does not parse, which answers nothing.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return False
    if not all(map(_is_fixed, tree.body)):
        return True
    named = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    return any(_leaves_something(node, named) for node in ast.walk(tree))


def _is_fixed(node: ast.stmt) -> bool:
    """Whether a statement of a module or of a class makes nothing that can change."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.FunctionDef():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.ClassDef():
            return all(map(_is_fixed, node.body))
        case ast.Assign(value=value):
            return _is_plain(value)
        case ast.AnnAssign(value=value):
            return value is None or _is_plain(value)
        case _:
            return False


def _is_plain(node: ast.expr) -> bool:
    """Whether the value of an expression cannot change."""
    match node:
        case ast.Constant() | ast.Name() | ast.Attribute() | ast.Lambda():
            return True
        case ast.UnaryOp(operand=one):
            return _is_plain(one)
        case ast.BinOp(left=one, right=two):
            return _is_plain(one) and _is_plain(two)
        case ast.Tuple(elts=items):
            return all(map(_is_plain, items))
        case _:
            return False


def _leaves_something(node: ast.AST, named: set[str]) -> bool:
    match node:
        case ast.Global():
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            defaults = (*node.args.defaults, *(one for one in node.args.kw_defaults if one))
            # Inside a function they are made anew by each call, which is not told apart here.
            plain = all(map(_is_plain, defaults))
            decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
            return not (plain and all(map(_is_cache, decorators)))
        case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()):
            return name in named
        case _:
            return False


def _is_cache(node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name in (*_CACHES, "staticmethod", "classmethod", "property", "dataclass")
