"""Random trees of every kind of node, drawn directly, so that no parser takes part."""

from __future__ import annotations

import random

from codequake.formula import PAPER_NAMES, Names, Node, Op, parse_names

EXTENDED_NAMES = parse_names("coefficients:m_1,alpha variables:t,x_ij functions:f,y constants:E")
CONTRACT_NAMES = Names(
    frozenset({"n", "k", "r"}),
    frozenset({"x"}),
    sequences=frozenset({"a", "s", "grid"}),
    truths=frozenset({"found"}),
    integers=frozenset({"n", "k"}),
)
NUMBERS = ("0", "1", "2", "10", "9.8", "0.50", "2.0")
FUNCTIONS = ("sin", "cos", "tan", "log", "ln", "sqrt", "exp", "abs")


def leaf(op: Op, text: str) -> Node:
    return Node(op, (), text)


class TreeMaker:
    """Draws trees over one set of names; ``extended`` adds what the paper does not have."""

    def __init__(self, rng: random.Random, names: Names, *, extended: bool) -> None:
        self.rng = rng
        self.names = names
        self.extended = extended
        self.bound: list[Node] = []

    def formula(self, size: int) -> Node:
        if self.names.contract:
            return self.condition(size)
        draw = self.rng.random()
        if draw < 0.4:
            return self.expression(size)
        if draw < 0.8 or not self.extended:
            return Node(Op.EQUATION, (self.expression(size // 2), self.expression(size // 2)))
        return self.relation(size)

    def relation(self, size: int) -> Node:
        if self.rng.random() < 0.6:
            sign = self.rng.choice(("!=", "<", "<=", ">", ">="))
            return Node(Op.RELATION, (self.expression(size // 2), self.expression(size // 2)), sign)
        up = self.rng.choice((("=", "<", "<="), ("=", ">", ">=")))
        count = self.rng.randint(3, 4)
        signs = " ".join(self.rng.choice(up) for _ in range(count - 1))
        return Node(Op.CHAIN, tuple(self.expression(size // count) for _ in range(count)), signs)

    def expression(self, size: int) -> Node:
        rng = self.rng
        if size <= 1:
            return self.atom()
        draw = rng.random()
        if draw < 0.6:
            ops = (Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.POWER)
            left = rng.randint(1, size - 1)
            kids = (self.expression(left), self.expression(size - left))
            return self.divided(Node(rng.choice(ops), kids))
        if draw < 0.72:
            return Node(Op.NEGATE, (self.expression(size - 1),))
        if draw < 0.82:
            return Node(Op.PAREN, (self.expression(size - 1),))
        if draw < 0.92 or not self.extended:
            return Node(Op.CALL, (self.expression(size - 1),), rng.choice(FUNCTIONS[:8]))
        return self.rare(size)

    def divided(self, node: Node) -> Node:
        """In a contract a quotient of integers is one of integers."""
        if node.op is not Op.DIVIDE or not self.names.contract:
            return node
        from codequake.formula.sorts import Sort, sort_of

        integers = all(sort_of(kid, self.names) is Sort.INTEGER for kid in node.kids)
        op = self.rng.choice((Op.INTEGER_DIVIDE, Op.MODULO)) if integers else Op.DIVIDE
        return Node(op, node.kids)

    def atom(self) -> Node:
        rng, names = self.rng, self.names
        choices = [leaf(Op.NUMBER, rng.choice(NUMBERS))]
        choices += [leaf(Op.COEFFICIENT, name) for name in sorted(names.coefficients)]
        choices += [leaf(Op.VARIABLE, name) for name in sorted(names.variables)]
        choices += self.bound
        if self.extended:
            choices += [leaf(Op.CONSTANT, name) for name in sorted(names.constants)]
        if names.functions:
            variable = leaf(Op.VARIABLE, rng.choice(sorted(names.variables - names.functions)))
            choices.append(Node(Op.DERIVATIVE, (variable,), rng.choice(sorted(names.functions))))
        return rng.choice(choices)

    def rare(self, size: int) -> Node:
        rng = self.rng
        if self.names.contract:
            return self.of_sequence(size)
        draw = rng.randrange(4)
        if draw == 0:
            base = rng.choice((leaf(Op.NUMBER, "2"), leaf(Op.COEFFICIENT, "a")))
            return Node(Op.LOGARITHM, (base, self.expression(size - 1)))
        if draw == 1 and self.names.functions:
            name = rng.choice(sorted(self.names.functions))
            return Node(Op.CALL, (self.expression(size - 1),), name)
        if draw == 2 and self.names.functions:
            return Node(Op.SECOND_DERIVATIVE, (leaf(Op.VARIABLE, "x"),), "y")
        low, high = self.expression(1), self.expression(2)
        name = leaf(Op.BOUND, f"i{len(self.bound)}")
        self.bound.append(name)
        body = self.expression(max(1, size - 3))
        self.bound.pop()
        return Node(Op.AGGREGATE, (name, low, high, body), rng.choice(("sum", "product")))

    def sequence(self, size: int) -> Node:
        rng = self.rng
        draw = rng.random()
        if size <= 1 or draw < 0.5:
            return leaf(Op.SEQUENCE, rng.choice(sorted(self.names.sequences)))
        if draw < 0.7:
            base = self.sequence(size - 1)
            if base.text == "multiset":
                return base
            text, count = rng.choice((("all", 0), ("from", 1), ("to", 1), ("between", 2)))
            return Node(Op.SLICE, (base, *(self.integer() for _ in range(count))), text)
        return Node(Op.VIEW, (self.sequence(size - 1),), rng.choice(("old", "multiset")))

    def integer(self) -> Node:
        rng = self.rng
        leaves = [leaf(Op.NUMBER, "1"), leaf(Op.COEFFICIENT, "n"), *self.bound]
        one, two = rng.choice(leaves), rng.choice(leaves)
        return rng.choice((one, Node(Op.ADD, (one, two)), Node(Op.NEGATE, (one,))))

    def of_sequence(self, size: int) -> Node:
        rng = self.rng
        base = self.sequence(size - 1)
        draw = rng.randrange(5)
        if draw == 0:
            return Node(Op.LENGTH, (base,), rng.choice(("bars", "Length", "Length0", "Length1")))
        if draw == 1:
            return Node(Op.INDEX, (base, self.integer(), self.integer()))
        if draw == 2:
            return Node(Op.INDEX, (Node(Op.INDEX, (base, self.integer())), self.integer()))
        if draw == 3:
            return Node(Op.VIEW, (Node(Op.INDEX, (base, self.integer())),), "old")
        kids = (self.condition(size // 3), self.expression(size // 3), self.expression(size // 3))
        return Node(Op.CONDITIONAL, kids)

    def condition(self, size: int) -> Node:
        rng = self.rng
        if size <= 1:
            return leaf(Op.BOOLEAN, rng.choice(("true", "false", "found")))
        draw = rng.random()
        if draw < 0.3:
            return self.relation(size) if rng.random() < 0.5 else self.equality(size)
        if draw < 0.7:
            op = rng.choice((Op.AND, Op.OR, Op.IMPLIES, Op.IFF))
            left = rng.randint(1, size - 1)
            return Node(op, (self.condition(left), self.condition(size - left)))
        if draw < 0.8:
            return Node(rng.choice((Op.NOT, Op.PAREN)), (self.condition(size - 1),))
        if draw < 0.88:
            kids = (self.integer(), self.sequence(size - 1))
            return Node(Op.MEMBER, kids, rng.choice(("in", "!in")))
        names = tuple(
            leaf(Op.VARIABLE, f"i{len(self.bound) + at}") for at in range(rng.choice((1, 2)))
        )
        self.bound += names
        body = self.condition(size - 1)
        del self.bound[-len(names) :]
        return Node(Op.QUANTIFIER, (*names, body), rng.choice(("forall", "exists")))

    def equality(self, size: int) -> Node:
        half = size // 2
        make = self.rng.choice((self.expression, self.condition, self.sequence))
        return Node(Op.EQUATION, (make(half), make(half)))


KINDS = {
    "paper": (PAPER_NAMES, False),
    "extended": (EXTENDED_NAMES, True),
    "contract": (CONTRACT_NAMES, True),
}


def trees(kind: str, count: int, seed: int, largest: int = 24) -> list[Node]:
    """Draw trees of 1 to ``largest`` leaves, about."""
    names, extended = KINDS[kind]
    rng = random.Random(f"{kind} {seed}")
    maker = TreeMaker(rng, names, extended=extended)
    return [maker.formula(rng.randint(1, largest)) for _ in range(count)]
