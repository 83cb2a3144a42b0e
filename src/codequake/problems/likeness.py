"""Programs that are the same but for names, constants and layout."""

from __future__ import annotations

import ast
import copy
import re

from codequake.records import Language, Reference

__all__ = ["outline", "shared_functions"]

_C_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"|[A-Za-z_]\w*|\d[\w.]*|[^\s\w]", re.DOTALL
)
_C_WORD = re.compile(
    "break|case|char|const|continue|default|define|do|double|else|float|for|goto|if|include|int|"
    "long|return|short|signed|sizeof|static|struct|switch|unsigned|void|while"
)


def outline(program: Reference) -> str:
    """Return a text that two programs share when they differ in names and numbers only.

    Names are numbered in the order of their first use, numbers become one mark, comments and
    docstrings go.  Python that does not parse is returned as it stands; every other language is
    read by the tokens of C.
    """
    if program.language is Language.PYTHON:
        return _python_outline(program.code)
    return _c_outline(program.code)


def shared_functions(one: Reference, two: Reference) -> list[str]:
    """Return the names of the functions in one program that another one has too.

    They are compared as ``outline`` compares programs.  Empty for other languages than Python.
    """
    if {one.language, two.language} != {Language.PYTHON}:
        return []
    other = {text for _, text in _functions(two.code)}
    return [name for name, text in _functions(one.code) if text in other]


def _functions(code: str) -> list[tuple[str, str]]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return []
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [(node.name, _outline_of(ast.Module([node], []))) for node in found]


def _python_outline(code: str) -> str:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return code
    return _outline_of(tree)


def _outline_of(tree: ast.AST) -> str:
    tree = copy.deepcopy(tree)
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name):
                node.id = _numbered(names, name)
            case ast.arg(arg=name):
                node.arg = _numbered(names, name)
                node.annotation = None
            case ast.FunctionDef(name=name):
                node.name = _numbered(names, name)
                node.returns = None
                if ast.get_docstring(node) is not None:
                    node.body = node.body[1:]
            case ast.Constant(value=int() | float()):
                node.value = 0
            case _:
                pass
    return ast.dump(tree)


def _c_outline(code: str) -> str:
    names: dict[str, str] = {}
    tokens = []
    for token in _C_TOKEN.findall(code):
        if token.startswith(("//", "/*")):
            continue
        if token[0].isdigit():
            tokens.append("0")
        elif (token[0].isalpha() or token[0] == "_") and not _C_WORD.fullmatch(token):
            tokens.append(_numbered(names, token))
        else:
            tokens.append(token)
    return " ".join(tokens)


def _numbered(names: dict[str, str], name: str) -> str:
    return names.setdefault(name, f"n{len(names)}")
