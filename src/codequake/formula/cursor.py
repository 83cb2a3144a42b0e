"""Tokens one after the other, and nodes made of what was read from them."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum

from codequake.formula.faults import FormulaError
from codequake.formula.layout import kid_slots, needs_brackets, opens_leading
from codequake.formula.names import RESERVED_WORDS, Names
from codequake.formula.nodes import MAX_DEPTH, Node, Op
from codequake.formula.sorts import Sort, misfit
from codequake.formula.tokens import Kind, Token

__all__ = ["ANY", "ARITHMETIC", "CONTRACT_SIGNS", "RELATION", "Cursor", "End", "Operand"]


ANY, RELATION, ARITHMETIC = 0, 7, 8
"""Binding powers: of anything, of a relation, and of the weakest operator below one."""

_OUTER = frozenset({"=", "==", "!=", "<", "<=", ">", ">=", "in", "!in"})


CONTRACT_SIGNS = frozenset({"<==>", "==>", "&&", "||", "==", "in", "!in", "%"})
"""Infix signs that only a contract may have."""


class End(Enum):
    """What an operand ends with, which decides whether a product sign may be left out after it."""

    NUMBER = "number"
    BRACKET = "bracket"
    COEFFICIENT = "coefficient"
    POWER = "power"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Operand:
    """A tree, the pairs of brackets around it, and whether a brace of LaTeX held it together."""

    node: Node
    end: End = End.OTHER
    pairs: int = 0
    group: bool = False


class Cursor(ABC):
    """A place in the tokens, with what every rule of the grammar needs there."""

    def __init__(
        self, text: str, tokens: list[Token], names: Names, *, latex: bool = False
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.names = names
        self.latex = latex
        self._at = 0
        # What may stand in brackets: any condition in a contract, else no relation.
        self.inside = ANY if names.contract else ARITHMETIC
        self.scope: dict[str, Op] = {}
        self.sorts: dict[Node, Sort] = {}
        self.functions = names.functions | {
            first.text
            for first, second in itertools.pairwise(tokens)
            if first.kind is Kind.NAME
            and second.kind is Kind.PRIME
            and first.text in names.variables
        }

    def peek(self) -> Token:
        """Return the next token and stay."""
        return self.tokens[self._at]

    def next(self) -> Token:
        """Return the next token and go behind it; ``END`` stays."""
        token = self.tokens[self._at]
        self._at += token.kind is not Kind.END
        return token

    def fault(self, token: Token, message: str) -> FormulaError:
        """Return an error at a token."""
        return FormulaError(message, text=self.text, column=token.column)

    def unexpected(self, token: Token) -> FormulaError:
        """Return the error for a token that nothing allows here."""
        if token.kind is Kind.END:
            return self.fault(token, "formula ends too early")
        if token.text in CONTRACT_SIGNS and not self.names.contract:
            return self.not_here(token)
        hint = {"[": "; write ( and )", "|": "; write abs(x) for a size"}.get(token.text, "")
        return self.fault(token, f"{token.text[:40]!r} is unexpected here{hint}")

    def not_here(self, token: Token) -> FormulaError:
        """Return the error for a sign that only a contract may have."""
        if token.text == "==":
            return self.fault(token, "'==' is for contracts; write = for an equation")
        return self.fault(token, f"{token.text!r} is for contracts, and no name here makes one")

    def leaf(self, op: Op, token: Token, end: End = End.OTHER) -> Operand:
        """Return the operand of one token."""
        return Operand(Node(op, (), token.text), end)

    def node(
        self,
        token: Token,
        op: Op,
        operands: tuple[Operand, ...],
        text: str = "",
        *,
        leading: bool = True,
    ) -> Node:
        """Make a node of its operands, with a ``PAREN`` for every pair that is not needed."""
        slots = kid_slots(op, text, len(operands))
        kids = []
        for index, (operand, slot) in enumerate(zip(operands, slots, strict=True)):
            pairs = operand.pairs
            opens = opens_leading(op, index, leading=leading)
            if pairs and needs_brackets(operand.node, slot, leading=opens, latex=self.latex):
                # A brace already holds the operand together, except that a base is not one.
                pairs -= not operand.group or (op is Op.POWER and index == 0)
            kids.append(self.bracketed(token, operand.node, pairs))
        if max((kid.depth for kid in kids), default=0) >= MAX_DEPTH:
            raise self.too_deep(token)
        node = Node(op, tuple(kids), text)
        if self.names.contract and (fault := misfit(node, self.names, self.sorts)):
            raise self.fault(token, fault)
        return node

    def bracketed(self, token: Token, node: Node, pairs: int) -> Node:
        """Return the node in so many pairs of brackets."""
        for _ in range(pairs):
            if node.depth >= MAX_DEPTH:
                raise self.too_deep(token)
            node = Node(Op.PAREN, (node,))
        return node

    def too_deep(self, token: Token) -> FormulaError:
        """Return the error for what is nested too deeply."""
        return self.fault(token, f"formula is nested deeper than {MAX_DEPTH} levels")

    @abstractmethod
    def expression(self, power: int, *, leading: bool = True, weight: int = 1) -> Operand:
        """Parse what binds at least as strongly as ``power``.

        The weight is what it costs of Python's stack, and 0 where that is counted elsewhere.
        """

    def argument(self) -> Operand:
        """Parse one argument, bound or index: no relation outside of brackets."""
        # A choice is no operand without brackets, but here it has them.
        choice = self.names.contract and self.peek().text == "if"
        return self.expression(ANY if choice else ARITHMETIC, weight=2)

    def close(self, opening: Token, sign: str) -> None:
        """Go behind a closing sign."""
        token = self.next()
        if token.text == sign:
            return
        if token.kind is Kind.END:
            raise self.fault(opening, "this bracket is never closed")
        if token.text in _OUTER:
            raise self.fault(token, f"{token.text!r} stands inside brackets; allowed: outside only")
        raise self.unexpected(token)

    def expect(self, sign: str, what: str) -> Token:
        """Go behind a sign of a construction; ``what`` says how it is written."""
        token = self.next()
        if token.text != sign:
            raise self.fault(token, f"{what}; {sign!r} is missing here")
        return token

    def bind(self, token: Token, op: Op) -> Operand:
        """Take a new name into scope."""
        names = self.names
        declared = names.coefficients | names.variables | names.functions | names.constants
        declared |= names.sequences | names.truths | RESERVED_WORDS
        if token.kind is not Kind.NAME or token.text.startswith("log_"):
            raise self.fault(token, "a name is missing here")
        if token.text in declared or token.text in self.scope:
            raise self.fault(
                token, f"name {token.text[:40]!r} is taken; a bound name must be a new one"
            )
        self.scope[token.text] = op
        return self.leaf(op, token)

    def undeclared(self, name: str) -> str:
        """Say what is wrong with a name that nothing declares."""
        if name in RESERVED_WORDS:
            return f"{name!r} is unexpected here; it is a word of contracts"
        names = self.names
        known = sorted(
            names.coefficients
            | names.variables
            | names.functions
            | names.constants
            | names.sequences
            | names.truths
        )
        product = "; write * between the factors of a product" if len(name) > 1 else ""
        return f"name {name[:40]!r} is not declared; declared: {', '.join(known[:30])}{product}"

    def call(self, token: Token, op: Op) -> Operand:
        """Parse a function with its argument."""
        opening = self.next()
        if opening.text != "(":
            raise self.fault(opening, f"{token.text!r} is a function; write {token.text}(...)")
        argument = self.argument()
        self.close(opening, ")")
        return Operand(self.node(token, op, (argument,), token.text))
