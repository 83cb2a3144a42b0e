"""Any text is read or refused with the documented error, at a cost that grows with its length."""

from __future__ import annotations

import random
import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formula.random_trees import CONTRACT_NAMES, EXTENDED_NAMES, KINDS, trees

from codequake.formula import (
    PAPER_NAMES,
    FormulaError,
    Names,
    Node,
    format_contract,
    format_formula,
    format_latex,
    parse,
    parse_latex,
)

Reader = Callable[[str, Names], Node]
READERS: dict[str, tuple[Reader, Callable[[Node], str]]] = {
    "plain": (parse, format_formula),
    "latex": (parse_latex, format_latex),
}
PLAIN = (
    "ab xyz'sincotaglqmpi0123.9+-*/^()=_<>!&|[],:%\\{}\n\0\N{MIDDLE DOT}\N{ARABIC-INDIC DIGIT TWO}"
)


def read_or_refused(text: str, how: str, names: Names) -> Node | None:
    reader, writer = READERS[how]
    fault = ""
    try:
        tree = reader(text, names)
    except FormulaError as error:
        fault = str(error)
    assert len(fault) < 600
    if fault:
        return None
    if names.contract and how == "plain":
        assert parse(format_contract(tree), names) is tree
    else:
        assert reader(writer(tree), names) is tree
    return tree


@pytest.mark.parametrize("how", list(READERS))
@pytest.mark.parametrize("names", [PAPER_NAMES, CONTRACT_NAMES], ids=["paper", "contract"])
@settings(max_examples=250, deadline=None)
@given(text=st.one_of(st.text(alphabet=PLAIN, max_size=40), st.text(max_size=40)))
def test_any_text_is_read_or_refused(how: str, names: Names, text: str) -> None:
    read_or_refused(text, how, names)


PLAIN_WORDS = """
a b x y 2 0.5 ( ) [ ] + - * / ^ = == <= && || ==> <==> ! forall exists i :: , .. | sin( sum( in !in
if then else old( multiset( y'( log_2( .Length dy/dx true a[ s
"""
LATEX_WORDS = r"""
a b x y 2 { } ( ) \left( \right) + - \cdot \frac \sqrt ^ _ = \leq \land \lor \forall \exists : ,
\ldots \left| \right| \sin \log \sum \prod \mathrm i \frac{dy}{dx} ' \in [ ] \pi \Rightarrow \lnot
s n \alpha
"""
WORDS = {"plain": PLAIN_WORDS.split(), "latex": LATEX_WORDS.split()}


def bent(rng: random.Random, how: str, kind: str, tree: Node) -> str:
    """Pieces of the grammar in any order, a spoiled formula, or bytes."""
    draw = rng.random()
    if draw < 0.4:
        return " ".join(rng.choice(WORDS[how]) for _ in range(rng.randint(1, 14)))
    if draw < 0.85:
        write = format_contract if kind == "contract" and how == "plain" else READERS[how][1]
        text = write(tree)
        for _ in range(rng.randint(1, 3)):
            at = rng.randint(0, len(text))
            cut = rng.randint(0, 3)
            text = text[:at] + rng.choice(["", rng.choice(WORDS[how]), " "]) + text[at + cut :]
        return text
    return rng.randbytes(rng.randint(0, 60)).decode("utf-8", errors="replace")


def bend(how: str, kind: str, count: int, seed: int) -> int:
    names = KINDS[kind][0]
    rng = random.Random(f"bend {how} {kind} {seed}")
    read = 0
    for tree in trees(kind, count, seed, largest=12):
        read += read_or_refused(bent(rng, how, kind, tree), how, names) is not None
    return read


@pytest.mark.parametrize("how", list(READERS))
@pytest.mark.parametrize("kind", list(KINDS))
def test_bent_formulas_are_read_or_refused(how: str, kind: str) -> None:
    assert 10 < bend(how, kind, 400, 1) < 390


@pytest.mark.quality
@pytest.mark.parametrize("how", list(READERS))
@pytest.mark.parametrize("kind", list(KINDS))
def test_many_bent_formulas_are_read_or_refused(how: str, kind: str) -> None:
    assert 500 < bend(how, kind, 20_000, 2) < 19_900


LONG: dict[str, Callable[[int], str]] = {
    "opening": lambda n: "(" * n,
    "closing": lambda n: ")" * n,
    "nested": lambda n: "(" * (n // 2) + "a" + ")" * (n // 2),
    "pairs": lambda n: "()" * (n // 2),
    "minus": lambda n: "-" * n + "a",
    "calls": lambda n: "sin(" * (n // 4),
    "powers": lambda n: "a^" * (n // 2) + "a",
    "sum": lambda n: "a+" * (n // 2) + "a",
    "equations": lambda n: "a=" * (n // 2) + "a",
    "comparisons": lambda n: "a<" * (n // 2) + "a",
    "factors": lambda n: "2(" * (n // 2),
    "digits": lambda n: "1" * n,
    "name": lambda n: "a" * n,
    "primes": lambda n: "y" + "'" * n,
    "blanks": lambda n: "a" + " " * n + "+",
    "sums": lambda n: "sum(i=" * (n // 6),
    "squares": lambda n: "s[" * (n // 2),
    "bars": lambda n: "|" * n,
    "not": lambda n: "!" * n,
    "and": lambda n: "found&&" * (n // 7) + "found",
    "implies": lambda n: "found==>" * (n // 8) + "found",
    "quantifiers": lambda n: "forall i :: " * (n // 12),
    "choices": lambda n: "if found then " * (n // 14),
    "braces": lambda n: "{" * n,
    "fractions": lambda n: r"\frac{" * (n // 6),
    "roots": lambda n: r"\sqrt{" * (n // 6),
    "roots of fractions": lambda n: r"\sqrt\frac{" * (n // 11),
    "exponents": lambda n: "a^{" * (n // 3),
    "sum signs": lambda n: r"\sum_{i=1}^{n}" * (n // 14),
    "left": lambda n: r"\left(" * (n // 6),
    "wide fraction": lambda n: r"\frac" + " " * n,
    "backslashes": lambda n: "\\" * n,
    "subscripts": lambda n: "x_" * (n // 2),
    "minus and calls": lambda n: "a-(sin(-(" * (n // 9),
    "minus in products": lambda n: "a*(-" * (n // 4),
    "roots and sum signs": lambda n: r"\sqrt\frac{\sum_{i=1}^{2}" * (n // 24),
    "sines": lambda n: r"\sin^" * (n // 5),
}


LATEX_ONLY = {
    *("braces", "fractions", "roots", "roots of fractions", "exponents", "sum signs", "left"),
    *("wide fraction", "backslashes", "sines", "roots and sum signs"),
}
PLAIN_ONLY = {"sums", "squares", "not", "and", "implies", "quantifiers", "choices", "factors"}
LONG_CASES = [
    *(("plain", name) for name in LONG if name not in LATEX_ONLY),
    *(("latex", name) for name in LONG if name not in PLAIN_ONLY),
]


def cost(text: str, how: str, names: Names) -> tuple[int, int]:
    """Calls of functions that reading takes, and how many were open at a time.

    Neither depends on a clock.
    """
    count = depth = deepest = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count, depth, deepest
        count += event in ("call", "c_call")
        depth += (event == "call") - (event == "return")
        deepest = max(deepest, depth)

    sys.setprofile(note)
    try:
        READERS[how][0](text, names)
    except FormulaError:
        pass
    finally:
        sys.setprofile(None)
    return count, deepest


@pytest.mark.parametrize(("how", "name"), LONG_CASES)
def test_cost_grows_no_faster_than_the_text(how: str, name: str) -> None:
    names = EXTENDED_NAMES if name in ("factors", "sums") else CONTRACT_NAMES
    make = LONG[name]
    one, deepest = cost(make(5_000), how, names)
    two, deeper = cost(make(10_000), how, names)
    assert two <= 2.2 * one + 500
    # Python allows 1,000, and whoever calls this has some open already.
    assert max(deepest, deeper) < 650


def peak_memory(text: str, how: str, names: Names) -> int:
    tracemalloc.start()
    try:
        READERS[how][0](text, names)
    except FormulaError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


@pytest.mark.parametrize(("how", "name"), LONG_CASES)
def test_ten_kilobytes_take_little_memory(how: str, name: str) -> None:
    # A token takes some 200 bytes, so that 10,000 of them may take a few megabytes.
    assert peak_memory(LONG[name](10_000), how, CONTRACT_NAMES) < 8_000_000


@pytest.mark.parametrize("how", list(READERS))
@pytest.mark.parametrize("text", [LONG["opening"](20_001), "a" * 1_000_000])
def test_longer_texts_are_not_read_at_all(how: str, text: str) -> None:
    with pytest.raises(FormulaError, match="at most 20000"):
        READERS[how][0](text, PAPER_NAMES)
    assert cost(text, how, PAPER_NAMES)[0] < 100


def test_the_largest_sum_is_refused_in_one_sentence() -> None:
    with pytest.raises(FormulaError, match="nested deeper than 100 levels") as caught:
        parse(LONG["sum"](10_000))
    assert len(str(caught.value).splitlines()) == 3
