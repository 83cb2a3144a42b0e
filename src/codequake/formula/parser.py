"""Text to trees: a parser by binding powers, written by hand, that evaluates nothing.

Binding, weakest first: ``=``; ``+ -``; ``* /`` and a product without a sign; minus in front of an
operand; ``^`` (which groups to the right).  So ``-x^2`` is ``-(x^2)``, ``2^-3`` is legal and
``a/b/c`` is ``(a/b)/c``.  What could be read in two ways is refused, with the way to write it.
"""

from __future__ import annotations

from codequake.formula.faults import FormulaError
from codequake.formula.layout import kid_slots, needs_brackets, opens_leading, strip_brackets
from codequake.formula.names import PAPER_NAMES, Names
from codequake.formula.nodes import MAX_DEPTH, UNARY_FUNCTIONS, Node, Op
from codequake.formula.tokens import Kind, Token, tokenise

__all__ = ["parse"]


def parse(text: str, names: Names = PAPER_NAMES) -> Node:
    """Return the tree of a formula (an expression, or two of them around one ``=``).

    A variable before ``(`` is a function if it is declared as one or stands with a prime
    somewhere in the text; a coefficient or a number before ``(`` is a factor.  Raises
    ``FormulaError``, with the place, for everything that is not a formula over these names, is
    nested deeper than ``MAX_DEPTH`` or longer than ``MAX_TEXT``.
    Source: grammar of the syntactic-robustness paper, Figure 3.
    """
    return _arranged(_Parser(text, names).formula(), leading=True)


_SUM, _PRODUCT, _NEGATION, _POWER = 10, 20, 30, 40
_INFIX = {
    "+": (_SUM, Op.ADD),
    "-": (_SUM, Op.SUBTRACT),
    "*": (_PRODUCT, Op.MULTIPLY),
    "/": (_PRODUCT, Op.DIVIDE),
    "^": (_POWER, Op.POWER),
}


class _Parser:
    """One pass over the tokens; every written pair of brackets becomes a ``PAREN`` node."""

    def __init__(self, text: str, names: Names) -> None:
        self._text = text
        self._tokens = tokenise(text)
        self._at = 0
        self._nesting = 0
        self._names = names
        self._functions = names.functions | {
            first.text
            for first, second in zip(self._tokens, self._tokens[1:], strict=False)
            if first.kind is Kind.NAME
            and second.kind is Kind.PRIME
            and first.text in names.variables
        }

    def formula(self) -> Node:
        left = self._expression(0)
        if self._peek().text == "=":
            sign = self._next()
            left = self._node(sign, Op.EQUATION, (left, self._expression(0)))
        token = self._peek()
        if token.text == "=":
            raise self._fault(token, "a second '=' stands here; allowed: one")
        if token.kind is not Kind.END:
            raise self._unexpected(token)
        return left

    def _peek(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        token = self._tokens[self._at]
        self._at += token.kind is not Kind.END
        return token

    def _fault(self, token: Token, message: str) -> FormulaError:
        return FormulaError(message, text=self._text, column=token.column)

    def _unexpected(self, token: Token) -> FormulaError:
        if token.kind is Kind.END:
            return self._fault(token, "formula ends too early")
        return self._fault(token, f"{token.text[:40]!r} is unexpected here")

    def _node(self, token: Token, op: Op, kids: tuple[Node, ...], text: str = "") -> Node:
        if max((kid.depth for kid in kids), default=0) >= MAX_DEPTH:
            raise self._too_deep(token)
        return Node(op, kids, text)

    def _too_deep(self, token: Token) -> FormulaError:
        return self._fault(token, f"formula is nested deeper than {MAX_DEPTH} levels")

    def _expression(self, power: int) -> Node:
        """Parse what binds at least as strongly as ``power``."""
        self._nesting += 1
        if self._nesting > MAX_DEPTH:
            raise self._too_deep(self._peek())
        left = self._operand()
        while True:
            token = self._peek()
            if token.text in _INFIX:
                strength, op = _INFIX[token.text]
                if strength < power:
                    break
                self._next()
                # A power groups to the right and takes a minus: 2^-3.
                right = self._expression(_NEGATION if op is Op.POWER else strength + 1)
                left = self._node(token, op, (left, right))
            elif self._opens_factor(left, token):
                if power > _PRODUCT:
                    break
                if left.op is Op.DIVIDE:
                    raise self._fault(token, "a factor without '*' after a division; write '*'")
                left = self._node(token, Op.MULTIPLY, (left, self._expression(_PRODUCT + 1)))
            else:
                break
        self._nesting -= 1
        return left

    def _opens_factor(self, left: Node, token: Token) -> bool:
        """Say whether a product sign is left out before ``token``, and refuse guesses."""
        if token.kind is Kind.NAME or token.text == "(":
            last = left
            while last.op in (Op.MULTIPLY, Op.DIVIDE, Op.NEGATE):
                last = last.kids[-1]
            return last.op in (Op.NUMBER, Op.PAREN) or (
                token.text == "(" and last.op is Op.COEFFICIENT
            )
        return False

    def _operand(self) -> Node:
        token = self._next()
        if token.kind is Kind.NUMBER:
            return self._node(token, Op.NUMBER, (), token.text)
        if token.kind is Kind.NAME:
            return self._named(token)
        if token.text == "(":
            inner = self._expression(0)
            self._close(token)
            return self._node(token, Op.PAREN, (inner,))
        if token.text == "-":
            return self._node(token, Op.NEGATE, (self._expression(_NEGATION),))
        if token.text == "+":
            raise self._fault(token, "a plus before an operand is not allowed; leave it out")
        raise self._unexpected(token)

    def _close(self, opening: Token) -> None:
        token = self._next()
        if token.text == ")":
            return
        if token.kind is Kind.END:
            raise self._fault(opening, "this bracket is never closed")
        if token.text == "=":
            raise self._fault(token, "'=' stands inside brackets; allowed: outside only")
        raise self._unexpected(token)

    def _named(self, token: Token) -> Node:
        name, names = token.text, self._names
        follows = self._peek()
        if follows.kind is Kind.PRIME:
            return self._derivative(token)
        if name in UNARY_FUNCTIONS or (name in self._functions and follows.text == "("):
            return self._call(token)
        if name in names.coefficients:
            return self._node(token, Op.COEFFICIENT, (), name)
        if name in names.constants:
            return self._node(token, Op.CONSTANT, (), name)
        if name in names.variables:
            if follows.text == "(":
                raise self._fault(
                    follows,
                    f"{name!r} is a variable before a bracket; write {name}*( for a product",
                )
            return self._node(token, Op.VARIABLE, (), name)
        if name in names.functions:
            raise self._fault(token, f"{name!r} is a function; write {name}(...)")
        raise self._fault(token, self._undeclared(name))

    def _undeclared(self, name: str) -> str:
        names = self._names
        known = sorted(names.coefficients | names.variables | names.functions | names.constants)
        product = "; write * between the factors of a product" if len(name) > 1 else ""
        return f"name {name[:40]!r} is not declared; declared: {', '.join(known[:30])}{product}"

    def _call(self, token: Token) -> Node:
        opening = self._next()
        if opening.text != "(":
            raise self._fault(opening, f"{token.text!r} is a function; write {token.text}(...)")
        argument = self._expression(0)
        self._close(opening)
        return self._node(token, Op.CALL, (argument,), token.text)

    def _derivative(self, token: Token) -> Node:
        if token.text not in self._functions:
            raise self._fault(
                token, f"{token.text[:40]!r} is no variable or function; it has no prime"
            )
        self._next()
        opening, argument, closing = self._next(), self._next(), self._next()
        if opening.text != "(" or argument.text not in self._names.variables or closing.text != ")":
            raise self._fault(
                opening, f"a derivative is written {token.text}'(x) with one variable in brackets"
            )
        kid = self._node(argument, Op.VARIABLE, (), argument.text)
        return self._node(token, Op.DERIVATIVE, (kid,), token.text)


def _arranged(node: Node, *, leading: bool) -> Node:
    """Return the tree without the brackets that its text needs anyway."""
    if not node.kids:
        return node
    kids = []
    for index, (kid, slot) in enumerate(zip(node.kids, kid_slots(node), strict=True)):
        inner, pairs = strip_brackets(kid)
        opens = opens_leading(node.op, index, leading=leading)
        extra = pairs - 1 if pairs and needs_brackets(inner, slot, leading=opens) else pairs
        arranged = _arranged(inner, leading=opens or pairs > 0)
        for _ in range(extra):
            arranged = Node(Op.PAREN, (arranged,))
        kids.append(arranged)
    return Node(node.op, tuple(kids), node.text)
