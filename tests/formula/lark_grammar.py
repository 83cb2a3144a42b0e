"""A second reader of the grammar, made with Lark: an oracle that shares no code with ours.

It reads formulas over declared names, without contracts.  A tree is given as nested tuples in
which ``("()", kid)`` is a written pair of brackets.
"""

from __future__ import annotations

import re
from typing import Any

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import LarkError, VisitError

from codequake.formula import Names

GRAMMAR = r"""
start: expr ((REL | EQUAL) expr)*
?expr: term
    | expr "+" term -> add
    | expr "-" term -> subtract
?term: unary
    | term "*" unary -> multiply
    | term "/" unary -> divide
    | term started -> implicit
?unary: power
    | "-" unary -> negate
?power: atom
    | atom "^" unary -> power
?started: head
    | head "^" unary -> power
_equal: EQUAL
?atom: NUMBER -> number
    | head
?head: NAME -> name
    | "(" expr ")" -> bracket
    | FUNCTION "(" expr ")" -> call
    | LOGARITHM "(" expr ")" -> logarithm
    | TOTAL "(" NAME _equal expr ".." expr "," expr ")" -> total
    | PRIMED "'" "(" NAME ")" -> first
    | PRIMED "'" "'" "(" NAME ")" -> second
    | CHANGE "/" CHANGE -> leibniz
NUMBER: /[0-9]+(\.[0-9]+)?/
REL: "!=" | "<=" | ">=" | "<" | ">"
EQUAL: "="
PRIMED.3: /[A-Za-z][A-Za-z0-9]*(_([A-Za-z0-9]+|\{[A-Za-z0-9]+\}))?(?=[ \t\r\n]*')/
FUNCTION.2: /[A-Za-z][A-Za-z0-9]*(_([A-Za-z0-9]+|\{[A-Za-z0-9]+\}))?(?=[ \t\r\n]*\()/
NAME.1: /[A-Za-z][A-Za-z0-9]*(_([A-Za-z0-9]+|\{[A-Za-z0-9]+\}))?/
%declare LOGARITHM TOTAL CHANGE
%ignore /[ \t\r\n]+/
"""

KNOWN = {"sin", "cos", "tan", "log", "ln", "sqrt", "exp", "abs"}
WORDS = KNOWN | {"sum", "product", "forall", "exists", "if", "then", "else", "in", "old"}
WORDS |= {"multiset", "true", "false"}


class RefusedError(Exception):
    """The oracle does not take a text for a formula."""


class Oracle:
    """Reads texts over one set of names."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.functions: set[str] = set()
        callbacks = {"NAME": self.classify, "FUNCTION": self.classify, "PRIMED": clean}
        self.lark = Lark(GRAMMAR, parser="lalr", lexer="basic", lexer_callbacks=callbacks)

    def declared(self) -> set[str]:
        names = self.names
        return {*names.coefficients, *names.variables, *names.functions, *names.constants}

    def classify(self, token: Token) -> Token:
        name = clean(token)
        called = token.type == "FUNCTION"
        kind = "NAME"
        if called and (name in KNOWN or name in self.functions):
            kind = "FUNCTION"
        elif called and name in ("sum", "product"):
            kind = "TOTAL"
        elif called and name.startswith("log_"):
            kind = "LOGARITHM"
        elif (
            name[0] == "d"
            and name not in self.declared()
            and name[1:] in (self.names.variables | self.functions)
        ):
            kind = "CHANGE"
        return Token.new_borrow_pos(kind, name, token)

    def read(self, text: str) -> Any:
        primed = re.findall(
            r"([A-Za-z][A-Za-z0-9]*(?:_(?:[A-Za-z0-9]+|\{[A-Za-z0-9]+\}))?)\s*'", text
        )
        names = {name.replace("{", "").replace("}", "") for name in primed}
        self.functions = set(self.names.functions) | (names & self.names.variables)
        try:
            return Reading(self).transform(self.lark.parse(text))[0]
        except VisitError as error:
            raise RefusedError(str(error.orig_exc)) from error
        except LarkError as error:
            raise RefusedError(str(error)) from error


def clean(token: Token) -> Token:
    return Token.new_borrow_pos(token.type, token.replace("{", "").replace("}", ""), token)


@v_args(inline=True)
class Reading(Transformer[Any, Any]):
    """Turns Lark's tree into ``(tree, what the text ends with, names used in it)``."""

    def __init__(self, oracle: Oracle) -> None:
        super().__init__()
        self.oracle = oracle

    def start(self, first: Any, *rest: Any) -> Any:
        sides = [first, *rest[1::2]]
        signs = [str(sign) for sign in rest[::2]]
        if len(signs) > 1 and not (
            set(signs) <= {"=", "<", "<="} or set(signs) <= {"=", ">", ">="}
        ):
            raise RefusedError("chain in two directions")
        self.check(set().union(*(side[2] for side in sides)))
        trees = tuple(side[0] for side in sides)
        return (trees[0] if not signs else ("relation", tuple(signs), *trees), "", set())

    def check(self, used: set[str]) -> None:
        allowed = self.oracle.names.coefficients | self.oracle.names.variables
        if not used <= (allowed | self.oracle.names.constants):
            raise RefusedError("undeclared name")

    def number(self, token: Token) -> Any:
        if len(token) > 60:
            raise RefusedError("long number")
        return (("number", str(token)), "number", set())

    def name(self, token: Token) -> Any:
        end = "coefficient" if str(token) in self.oracle.names.coefficients else ""
        return (("name", str(token)), end, {str(token)})

    def bracket(self, inner: Any) -> Any:
        return (("()", inner[0]), "bracket", inner[2])

    def binary(self, op: str, left: Any, right: Any, end: str | None = None) -> Any:
        return ((op, left[0], right[0]), right[1] if end is None else end, left[2] | right[2])

    def add(self, left: Any, right: Any) -> Any:
        return self.binary("+", left, right)

    def subtract(self, left: Any, right: Any) -> Any:
        return self.binary("-", left, right)

    def multiply(self, left: Any, right: Any) -> Any:
        return self.binary("*", left, right)

    def divide(self, left: Any, right: Any) -> Any:
        return self.binary("/", left, right)

    def power(self, left: Any, right: Any) -> Any:
        return self.binary("^", left, right, "power")

    def negate(self, inner: Any) -> Any:
        return (("neg", inner[0]), inner[1], inner[2])

    def implicit(self, left: Any, right: Any) -> Any:
        tree = right[0]
        while tree[0] == "^":
            tree = tree[1]
        opens = tree[0] == "()"
        if left[1] not in (
            {"number", "bracket", "coefficient"} if opens else {"number", "bracket"}
        ):
            raise RefusedError("missing product sign")
        if left[0][0] == "/":
            raise RefusedError("product after a division")
        return self.binary("*", left, right)

    def call(self, name: Token, inner: Any) -> Any:
        return (("call", str(name), inner[0]), "", inner[2])

    def logarithm(self, name: Token, inner: Any) -> Any:
        base = name.removeprefix("log_")
        names = self.oracle.names
        number = base.isdigit() and len(base) <= 60
        if not number and base not in names.coefficients | names.constants:
            raise RefusedError("base")
        return (("log", base, inner[0]), "", inner[2])

    def total(self, word: Token, name: Token, _: Token, low: Any, high: Any, body: Any) -> Any:
        bound = str(name)
        if bound in self.oracle.declared() | WORDS or bound.startswith("log_"):
            raise RefusedError("bound name")
        if bound in low[2] | high[2]:
            # Only an enclosing sum could bind it, and that name would be taken.
            raise RefusedError("bound name")
        self.inner_bound(body[0], bound)
        tree = ("total", str(word), bound, low[0], high[0], body[0])
        return (tree, "", low[2] | high[2] | (body[2] - {bound}))

    def inner_bound(self, tree: Any, bound: str) -> None:
        if isinstance(tree, tuple):
            if tree and tree[0] == "total" and tree[2] == bound:
                raise RefusedError("bound twice")
            for part in tree:
                self.inner_bound(part, bound)

    def derivative(self, order: int, of: Token, by: Token) -> Any:
        names = self.oracle.names
        if str(of) not in self.oracle.functions or str(by) not in names.variables:
            raise RefusedError("derivative")
        return (("derivative", order, str(of), str(by)), "", set())

    def first(self, of: Token, by: Token) -> Any:
        return self.derivative(1, of, by)

    def second(self, of: Token, by: Token) -> Any:
        return self.derivative(2, of, by)

    def leibniz(self, above: Token, below: Token) -> Any:
        if below[1:] not in self.oracle.names.variables:
            raise RefusedError("derivative")
        return (("derivative", 1, above[1:], below[1:]), "", set())
