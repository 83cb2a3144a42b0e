"""Text to trees: a parser by binding powers, written by hand, that evaluates nothing.

Binding, weakest first: relations; ``+ -``; ``* / %`` and a product without a sign; minus in front
of an operand; ``^`` (which groups to the right).  So ``-x^2`` is ``-(x^2)``, ``2^-3`` is legal and
``a/b/c`` is ``(a/b)/c``.  In a contract, weaker than relations: ``&& ||`` (never mixed), ``==>``
(groups to the right), ``<==>``; a quantifier and ``if`` reach as far right as they can.  What
could be read in two ways is refused, with the way to write it.
"""

from __future__ import annotations

from dataclasses import replace

from codequake.formula.contract_parser import ContractParser
from codequake.formula.cursor import ANY, ARITHMETIC, CONTRACT_SIGNS, RELATION, End, Operand
from codequake.formula.layout import Slot, needs_brackets
from codequake.formula.names import PAPER_NAMES, Names
from codequake.formula.nodes import MAX_DEPTH, UNARY_FUNCTIONS, Node, Op
from codequake.formula.sorts import Sort, sort_of
from codequake.formula.tokens import MAX_DIGITS, Kind, Token, tokenise

__all__ = ["TokenParser", "parse"]


def parse(text: str, names: Names = PAPER_NAMES) -> Node:
    """Return the tree of a formula: an expression, a relation or chain of them, or a contract.

    A contract is read where the names say so (see ``Names``).  A variable before ``(`` is a
    function if it is declared as one or stands with a prime somewhere in the text; a coefficient
    or a number before ``(`` is a factor.  Raises ``FormulaError``, with the place, for everything
    that is not a formula over these names, is nested deeper than ``MAX_DEPTH`` or longer than
    ``MAX_TEXT``.  Source: grammar of the syntactic-robustness paper, Figure 3, extended.
    """
    return TokenParser(text, tokenise(text), names).formula()


# Those of relations stand in `cursor`: 7, and 8 for what stands on their sides.
_IFF, _IMPLIES, _AND_OR = 1, 3, 5
_SUM, _PRODUCT, _NEGATION, _POWER = 10, 20, 30, 40
_INFIX = {
    "<==>": (_IFF, Op.IFF),
    "==>": (_IMPLIES, Op.IMPLIES),
    "&&": (_AND_OR, Op.AND),
    "||": (_AND_OR, Op.OR),
    **dict.fromkeys(("=", "==", "!=", "<", "<=", ">", ">="), (RELATION, Op.RELATION)),
    **dict.fromkeys(("in", "!in"), (RELATION, Op.MEMBER)),
    "+": (_SUM, Op.ADD),
    "-": (_SUM, Op.SUBTRACT),
    "*": (_PRODUCT, Op.MULTIPLY),
    "/": (_PRODUCT, Op.DIVIDE),
    "%": (_PRODUCT, Op.MODULO),
    "^": (_POWER, Op.POWER),
}
# The weakest operator that the right side of one may hold without brackets.
_RIGHT = {Op.POWER: _NEGATION, Op.IMPLIES: _IMPLIES}
_UPWARD, _DOWNWARD = frozenset({"=", "<", "<="}), frozenset({"=", ">", ">="})


class TokenParser(ContractParser):
    """One pass over tokens; ``latex`` allows what only LaTeX leaves out, such as ``ax``."""

    def __init__(
        self, text: str, tokens: list[Token], names: Names, *, latex: bool = False
    ) -> None:
        super().__init__(text, tokens, names, latex=latex)
        self._opened = self._rights = 0

    def formula(self) -> Node:
        """Return the tree of all tokens.  Raises ``FormulaError`` with the place."""
        first = self.peek()
        whole = self.expression(ANY if self.names.contract else RELATION, leading=True)
        token = self.peek()
        if token.kind is not Kind.END:
            raise self.unexpected(token)
        return self.bracketed(first, whole.node, whole.pairs)

    def expression(self, power: int, *, leading: bool = True, weight: int = 1) -> Operand:
        """Parse what binds at least as strongly as ``power``."""
        self._opened += weight
        if self._opened > 2 * MAX_DEPTH:
            raise self.too_deep(self.peek())
        left = self._operand(power, leading=leading)
        while True:
            token = self.peek()
            if token.text in _INFIX and token.kind in (Kind.SIGN, Kind.NAME):
                strength, op = _INFIX[token.text]
                if strength < power:
                    break
                if not self.names.contract and token.text in CONTRACT_SIGNS:
                    raise self.not_here(token)
                if op is Op.RELATION:
                    left = self._relations(left)
                else:
                    left = self._infix(token, left, leading=leading)
            elif self._opens_factor(left, token):
                if power > _PRODUCT:
                    break
                left = self._factor(token, left, leading=leading)
            else:
                break
        self._opened -= weight
        return left

    def _right(self, power: int, *, leading: bool) -> Operand:
        self._rights += 1
        if self._rights > MAX_DEPTH:
            raise self.too_deep(self.peek())
        right = self.expression(power, leading=leading, weight=0)
        self._rights -= 1
        return right

    def _infix(self, token: Token, left: Operand, *, leading: bool) -> Operand:
        self.next()
        strength, op = _INFIX[token.text]
        if (
            op in (Op.AND, Op.OR)
            and left.node.op in (Op.AND, Op.OR)
            and left.node.op is not op
            and not left.pairs
        ):
            raise self.fault(token, "'&&' and '||' stand side by side; put brackets around one")
        # A comparison starts afresh on its right; nothing arithmetic does.
        opens = strength <= RELATION
        right = self._right(_RIGHT.get(op, strength + 1), leading=opens)
        if op is Op.DIVIDE and self.names.contract and self._are_integers(left, right):
            op = Op.INTEGER_DIVIDE
        text = token.text if op is Op.MEMBER else ""
        node = self.node(token, op, (left, right), text, leading=leading)
        return Operand(node, End.POWER if op is Op.POWER else right.end)

    def _are_integers(self, *operands: Operand) -> bool:
        return all(sort_of(one.node, self.names, self.sorts) is Sort.INTEGER for one in operands)

    def _is_number(self, node: Node) -> bool:
        """Say whether bars around it are a size; an element may be a row, which has a length."""
        sort = sort_of(node, self.names, self.sorts)
        return sort in (Sort.INTEGER, Sort.REAL) and node.op is not Op.INDEX

    def _relations(self, left: Operand) -> Operand:
        """Parse one relation, or several that make a chain."""
        first = self.peek()
        sides, signs, ways = [left], list[str](), [_UPWARD, _DOWNWARD]
        while (token := self.peek()).text in _INFIX and _INFIX[token.text][1] is Op.RELATION:
            self.next()
            if token.text == "==" and not self.names.contract:
                raise self.not_here(token)
            if token.text == "=" and self.names.contract:
                raise self.fault(token, "'=' is for equations; write == in a contract")
            sign = "=" if token.text == "==" else token.text
            signs.append(sign)
            ways = [way for way in ways if sign in way]
            if len(signs) > 1 and not ways:
                raise self.fault(
                    token, f"{token.text!r} does not go on the chain; allowed: = < <= or = > >="
                )
            sides.append(self._right(ARITHMETIC, leading=True))
        if len(signs) > 1:
            node = self.node(first, Op.CHAIN, tuple(sides), " ".join(signs))
        elif signs == ["="]:
            node = self.node(first, Op.EQUATION, tuple(sides))
        else:
            node = self.node(first, Op.RELATION, tuple(sides), signs[0])
        return Operand(node)

    def _opens_factor(self, left: Operand, token: Token) -> bool:
        """Say whether a product sign is left out before ``token``, and refuse guesses."""
        if self.names.contract:
            return False
        if token.kind is Kind.NAME and token.text != "in":
            return self.latex or left.end in (End.NUMBER, End.BRACKET)
        if token.text == "(":
            ends = (End.NUMBER, End.BRACKET, End.COEFFICIENT)
            return left.end in ends or (self.latex and left.end is End.POWER)
        return token.kind is Kind.GROUP and token.text == "{"

    def _factor(self, token: Token, left: Operand, *, leading: bool) -> Operand:
        if left.node.op is Op.DIVIDE and not left.pairs and not left.group:
            raise self.fault(token, "a factor without '*' after a division; write '*'")
        right = self._right(_PRODUCT + 1, leading=False)
        node = self.node(token, Op.MULTIPLY, (left, right), leading=leading)
        return Operand(node, right.end)

    def _operand(self, power: int, *, leading: bool) -> Operand:
        token = self.next()
        if token.kind is Kind.NUMBER:
            return self.leaf(Op.NUMBER, token, End.NUMBER)
        if token.kind is Kind.NAME:
            return self._named(token, power)
        if token.text == "(":
            inner = self.expression(self.inside)
            self.close(token, ")")
            whole = Operand(inner.node, End.BRACKET, inner.pairs + 1, inner.group)
            return self.indexed(whole) if self.names.contract else whole
        if token.kind is Kind.GROUP and token.text == "{":
            inner = self.expression(self.inside)
            self.close(token, "}")
            return Operand(inner.node, End.BRACKET, inner.pairs, group=True)
        if token.text == "-":
            inner = self.expression(_NEGATION, leading=False)
            return Operand(self.node(token, Op.NEGATE, (inner,)), inner.end)
        if token.text == "+":
            raise self.fault(token, "a plus before an operand is not allowed; leave it out")
        if self.names.contract and token.text == "!":
            return Operand(self.node(token, Op.NOT, (self.expression(_NEGATION, leading=False),)))
        if self.names.contract and token.text == "|":
            inner = self.argument()
            self.close(token, "|")
            if self.latex and self._is_number(inner.node):
                return Operand(self.node(token, Op.CALL, (inner,), "abs"))
            return Operand(self.node(token, Op.LENGTH, (inner,), "bars"))
        raise self.unexpected(token)

    def _named(self, token: Token, power: int) -> Operand:
        name, names = token.text, self.names
        follows = self.peek()
        if follows.kind is Kind.PRIME:
            return self._derivative(token)
        if name in self.scope:
            return self.leaf(self.scope[name], token)
        if name in UNARY_FUNCTIONS or (name in self.functions and follows.text == "("):
            return self.call(token, Op.CALL)
        if name in ("sum", "product"):
            return self._aggregate(token)
        if name.startswith("log_"):
            return self._logarithm(token)
        if name in names.coefficients:
            return self.leaf(Op.COEFFICIENT, token, End.COEFFICIENT)
        if name in names.constants:
            return self.leaf(Op.CONSTANT, token)
        if name in names.variables or name in names.functions:
            return self._variable(token)
        if name in names.sequences:
            return self.indexed(self.leaf(Op.SEQUENCE, token))
        if names.contract:
            return self.contract_word(token, power)
        return self._leibniz(token)

    def _variable(self, token: Token) -> Operand:
        name, follows = token.text, self.peek()
        if name not in self.names.variables:
            raise self.fault(token, f"{name!r} is a function; write {name}(...)")
        if follows.text == "(":
            raise self.fault(
                follows, f"{name!r} is a variable before a bracket; write {name}*( for a product"
            )
        return self.leaf(Op.VARIABLE, token)

    def _logarithm(self, token: Token) -> Operand:
        """Parse ``log_2(x)``; the base is a whole number, a coefficient or a constant."""
        base = token.text.removeprefix("log_")
        if base.isdigit() and len(base) <= MAX_DIGITS:
            op = Op.NUMBER
        elif base in self.names.coefficients:
            op = Op.COEFFICIENT
        elif base in self.names.constants:
            op = Op.CONSTANT
        else:
            raise self.fault(
                token, f"{base[:40]!r} is no base; allowed: a whole number or a declared name"
            )
        opening = self.expect("(", "a logarithm is written log_2(x)")
        argument = self.argument()
        self.close(opening, ")")
        kids = (Operand(Node(op, (), base)), argument)
        return Operand(self.node(token, Op.LOGARITHM, kids))

    def _derivative(self, token: Token) -> Operand:
        if token.text not in self.functions:
            raise self.fault(
                token, f"{token.text[:40]!r} is no variable or function; it has no prime"
            )
        self.next()
        op = Op.DERIVATIVE
        if self.peek().kind is Kind.PRIME:
            self.next()
            op = Op.SECOND_DERIVATIVE
        opening, argument, closing = self.next(), self.next(), self.next()
        if opening.text != "(" or argument.text not in self.names.variables or closing.text != ")":
            prime = "'" if op is Op.DERIVATIVE else "''"
            raise self.fault(
                opening,
                f"a derivative is written {token.text}{prime}(x) with one variable in brackets",
            )
        return Operand(self.node(token, op, (self.leaf(Op.VARIABLE, argument),), token.text))

    def _leibniz(self, token: Token) -> Operand:
        """Parse ``dy/dx``, where ``dy`` is no name of its own, or refuse the name."""
        sign, below = (*self.tokens[self._at : self._at + 2], token)[:2]
        of, by = token.text[1:], below.text[1:]
        known = self.names.variables | self.functions
        if token.text[0] != "d" or of not in known or sign.text != "/" or below.text[:1] != "d":
            raise self.fault(token, self.undeclared(token.text))
        if by not in self.names.variables:
            raise self.fault(below, f"{by[:40]!r} is no variable, so nothing changes with it")
        self._at += 2
        variable = Operand(Node(Op.VARIABLE, (), by))
        return Operand(self.node(token, Op.DERIVATIVE, (variable,), of))

    def _aggregate(self, token: Token) -> Operand:
        """Parse ``sum(i=1..n, body)``; the bounds lie outside the scope of the name."""
        how = f"a {token.text} is written {token.text}(i=1..n, i^2)"
        opening = self.expect("(", how)
        name = self.next()
        self.expect("=", how)
        low = self.argument()
        self.expect("..", how)
        high = self.argument()
        self.expect(",", how)
        bound = self.bind(name, Op.BOUND)
        body = self.argument()
        if self.latex and needs_brackets(body.node, Slot.SUM_RIGHT, leading=False, latex=True):
            body = replace(body, pairs=max(0, body.pairs - 1))
        del self.scope[name.text]
        self.close(opening, ")")
        return Operand(self.node(token, Op.AGGREGATE, (bound, low, high, body), token.text))
