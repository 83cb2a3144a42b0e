"""What only contracts have: sequences, choices and quantifiers."""

from __future__ import annotations

from codequake.formula.cursor import ANY, RELATION, Cursor, Operand
from codequake.formula.nodes import Op
from codequake.formula.tokens import Token

__all__ = ["ContractParser"]


class ContractParser(Cursor):
    """The part of the grammar that is for contracts only."""

    def contract_word(self, token: Token, power: int) -> Operand:
        """Parse what starts with a name that only a contract has, or refuse the name."""
        name, names = token.text, self.names
        if name in names.truths or name in ("true", "false"):
            return self.leaf(Op.BOOLEAN, token)
        if name in ("old", "multiset"):
            return self.indexed(self.call(token, Op.VIEW))
        if name in ("forall", "exists", "if"):
            if power > RELATION - 1:
                raise self.fault(token, f"{name!r} needs brackets around it here")
            return self._quantifier(token) if name != "if" else self._conditional(token)
        raise self.fault(token, self.undeclared(name))

    def _quantifier(self, token: Token) -> Operand:
        """Parse ``forall i, j :: condition``."""
        bound = [self.bind(self.next(), Op.VARIABLE)]
        while self.peek().text == ",":
            self.next()
            bound.append(self.bind(self.next(), Op.VARIABLE))
        self.expect("::", f"a quantifier is written {token.text} i, j :: condition")
        body = self.expression(ANY, weight=2)
        for one in bound:
            del self.scope[one.node.text]
        return Operand(self.node(token, Op.QUANTIFIER, (*bound, body), token.text))

    def _conditional(self, token: Token) -> Operand:
        """Parse ``if condition then value else value``."""
        how = "a choice is written if c then x else y"
        condition = self.expression(ANY, weight=2)
        self.expect("then", how)
        one = self.expression(ANY, weight=2)
        self.expect("else", how)
        other = self.expression(ANY, weight=2)
        return Operand(self.node(token, Op.CONDITIONAL, (condition, one, other)))

    def indexed(self, base: Operand) -> Operand:
        """Parse what may follow a sequence: ``[i]``, ``[i, j]``, ``[i..j]``, ``.Length``."""
        while True:
            token = self.peek()
            if token.text == "[":
                self.next()
                base = self._in_square_brackets(token, base)
            elif token.text.startswith(".Length"):
                self.next()
                base = Operand(self.node(token, Op.LENGTH, (base,), token.text[1:]))
            else:
                return base

    def _in_square_brackets(self, opening: Token, base: Operand) -> Operand:
        if self.peek().text == "..":
            self.next()
            kids, text = [base], "all"
            if self.peek().text != "]":
                kids, text = [base, self.argument()], "to"
            self.close(opening, "]")
            return Operand(self.node(opening, Op.SLICE, tuple(kids), text))
        first = self.argument()
        if self.peek().text == "..":
            self.next()
            kids, text = [base, first], "from"
            if self.peek().text != "]":
                kids, text = [base, first, self.argument()], "between"
            self.close(opening, "]")
            return Operand(self.node(opening, Op.SLICE, tuple(kids), text))
        kids = [base, first]
        if self.peek().text == ",":
            self.next()
            kids.append(self.argument())
        self.close(opening, "]")
        return Operand(self.node(opening, Op.INDEX, tuple(kids)))
