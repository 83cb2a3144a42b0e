"""Our parser against a second one, made with Lark from a grammar: same trees, same refusals."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.formula.lark_grammar import Oracle, RefusedError
from tests.formula.random_trees import KINDS, trees

from codequake.formula import FormulaError, Names, Node, Op, Spacing, format_formula, parse

SIGNS = {Op.ADD: "+", Op.SUBTRACT: "-", Op.MULTIPLY: "*", Op.DIVIDE: "/", Op.POWER: "^"}
NAMES = (Op.COEFFICIENT, Op.VARIABLE, Op.CONSTANT, Op.BOUND)


def shape(node: Node) -> Any:
    """Our tree in the words of the oracle, with the brackets that are nodes."""
    kids = [shape(kid) for kid in node.kids]
    if node.op is Op.NUMBER:
        return ("number", node.text)
    if node.op in NAMES:
        return ("name", node.text)
    if node.op in SIGNS:
        return (SIGNS[node.op], *kids)
    if node.op is Op.NEGATE:
        return ("neg", *kids)
    if node.op is Op.PAREN:
        return ("()", *kids)
    if node.op is Op.CALL:
        return ("call", node.text, *kids)
    if node.op is Op.LOGARITHM:
        return ("log", node.kids[0].text, kids[1])
    if node.op is Op.AGGREGATE:
        return ("total", node.text, node.kids[0].text, *kids[1:])
    if node.op in (Op.DERIVATIVE, Op.SECOND_DERIVATIVE):
        order = 1 if node.op is Op.DERIVATIVE else 2
        return ("derivative", order, node.text, node.kids[0].text)
    signs = tuple(node.text.split()) or ("=",)
    return ("relation", signs, *kids)


def agree(written: Any, ours: Any) -> bool:
    """Same shapes, and as many pairs in ours as were written, or one fewer where one was needed."""
    pairs = kept = 0
    while isinstance(written, tuple) and written[0] == "()":
        written, pairs = written[1], pairs + 1
    while isinstance(ours, tuple) and ours[0] == "()":
        ours, kept = ours[1], kept + 1
    if not isinstance(written, tuple) or not isinstance(ours, tuple):
        return bool(written == ours)
    needed = written[0] in ("+", "-", "*", "/", "^", "neg")
    if kept != pairs and not (needed and kept == pairs - 1):
        return False
    return len(written) == len(ours) and all(map(agree, written, ours))


def spoiled(text: str, rng: random.Random, alphabet: str) -> str:
    """A text with one to three small slips."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(text))
        slip = rng.randrange(4)
        if slip == 0:
            text = text[:at] + text[at + 1 :]
        elif slip == 1:
            text = text[:at] + rng.choice(alphabet) + text[at:]
        elif slip == 2:
            text = text[:at] + rng.choice(alphabet) + text[at + 1 :]
        else:
            other = rng.randint(0, len(text))
            low, high = sorted((at, other))
            text = text[:low] + text[high : high + 4] + text[low:]
    return text


PIECES = (
    *("a", "b", "d", "e", "x", "y", "2", "0.5", "10", "pi", "i", "t", "alpha", "m_1", "x_{ij}"),
    *("+", "-", "*", "/", "^", "(", ")", "(", ")", "=", "<", "<=", "!=", "'", "..", ",", " "),
    *(
        "sin(",
        "ln(",
        "y(",
        "y'(x)",
        "y''(x)",
        "dy/dx",
        "sum(i=1..",
        "log_2(",
        "log_a(",
        "f(",
        "sqrt",
    ),
)


def texts(kind: str, count: int, seed: int) -> list[str]:
    rng = random.Random(f"grammar {kind} {seed}")
    alphabet = "abxy z'nsiLlog02.9+-*/^()=<>!_{},Ej\\"
    made = []
    for tree in trees(kind, count, seed, largest=10):
        text = format_formula(tree, rng.choice(list(Spacing)))
        made += [text, spoiled(text, rng, alphabet)]
        made.append("".join(rng.choice(PIECES) for _ in range(rng.randint(1, 12))))
    return made


def is_refused(text: str, names: Names) -> bool:
    try:
        parse(text, names)
    except FormulaError:
        return True
    return False


def compare(kind: str, count: int, seed: int) -> tuple[int, int]:
    names = KINDS[kind][0]
    oracle = Oracle(names)
    accepted = refused = 0
    for text in texts(kind, count, seed):
        try:
            written = oracle.read(text)
        except RefusedError:
            assert is_refused(text, names), f"only ours reads {text!r}"
            refused += 1
            continue
        try:
            ours = parse(text, names)
        except FormulaError as error:
            pytest.fail(f"only the oracle reads {text!r}: {error}")
        assert agree(written, shape(ours)), text
        assert parse(format_formula(ours), names) is ours
        accepted += 1
    return accepted, refused


@pytest.mark.parametrize("kind", ["paper", "extended"])
def test_the_oracle_agrees(kind: str) -> None:
    accepted, refused = compare(kind, 1_000, 1)
    assert accepted >= 1_000
    assert refused >= 1_000


@pytest.mark.quality
@pytest.mark.parametrize("kind", ["paper", "extended"])
def test_the_oracle_agrees_on_many(kind: str) -> None:
    accepted, refused = compare(kind, 20_000, 2)
    assert accepted >= 20_000
    assert refused >= 20_000


def test_the_comparison_can_fail() -> None:
    oracle = Oracle(KINDS["paper"][0])
    assert not agree(oracle.read("a+b*c"), shape(parse("(a+b)*c")))
    assert not agree(oracle.read("a*(b)"), shape(parse("a*b")))
    assert not agree(oracle.read("a-b-c"), shape(parse("a-(b-c)")))
    with pytest.raises(RefusedError):
        oracle.read("a(")
