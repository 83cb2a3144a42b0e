"""Problems built by hand, and an oracle that knows their answers without a sandbox."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from codequake.canonical import canonical_json, parse_json
from codequake.ports import Answer
from codequake.records import (
    Comparison,
    Difficulty,
    FormulaKind,
    FormulaSlot,
    Interface,
    JsonText,
    Language,
    Problem,
    PromptClass,
    Reference,
    Symbol,
    Test,
)
from codequake.statements import (
    Domain,
    Pair,
    Section,
    SectionKind,
    Sentence,
    SlotKind,
    Span,
    SpanKind,
    Statement,
)


def plain(text: str) -> Span:
    return Span(SpanKind.TEXT, text)


def fixed(text: str) -> Span:
    return Span(SpanKind.PROTECTED, text)


def slot(kind: SlotKind, name: str, text: str) -> Span:
    return Span(SpanKind.SLOT, text, kind, name)


def line(*spans: Span) -> Sentence:
    return Sentence(spans)


def flat(structure: Statement) -> str:
    """The layout of flat statements, written down a second time."""
    sections = []
    for section in structure.sections:
        texts = ["".join(span.text for span in sentence.spans) for sentence in section.sentences]
        if section.kind is SectionKind.TASK:
            texts = [" ".join(texts)]
        if section.kind is SectionKind.CONSTRAINTS:
            texts = [f"- {text}" for text in texts]
        if section.kind is SectionKind.EXAMPLES:
            texts = [
                f"\n{text}" if number and text.startswith("Example ") else text
                for number, text in enumerate(texts)
            ]
        title = [f"{section.title}:"] if section.title else []
        sections.append("\n".join([*title, *texts]))
    return "\n\n".join(sections)


def test(value: Any, expected: Any, *, visible: bool) -> Test:
    return Test(JsonText(canonical_json(value)), JsonText(canonical_json(expected)), visible)


test.__test__ = False  # type: ignore[attr-defined]

COUNT_STRUCTURE = Statement(
    (
        Section(
            SectionKind.TASK,
            "",
            (
                line(
                    plain("Given "),
                    slot(SlotKind.OBJECT, "items", "a list of integers"),
                    plain(" "),
                    fixed("`nums`"),
                    plain(" and "),
                    slot(SlotKind.OBJECT, "wanted", "a number"),
                    plain(" "),
                    fixed("`target`"),
                    plain(", "),
                    slot(SlotKind.ACTOR, "solver", "you"),
                    plain(" must "),
                    slot(SlotKind.ACTION, "work", "count"),
                    plain(" the places where it stands."),
                ),
                line(
                    plain("Write a Python function "),
                    fixed("`count_target(nums: list[int], target: int) -> int`"),
                    plain(" that returns "),
                    slot(SlotKind.GOAL, "result", "how many there are"),
                    plain("."),
                ),
            ),
        ),
        Section(
            SectionKind.INPUT, "Input", (line(fixed("`nums`"), plain(": a list of integers.")),)
        ),
        Section(
            SectionKind.OUTPUT,
            "Output",
            (line(plain("An integer, "), fixed("0"), plain(" when there is none.")),),
        ),
        Section(
            SectionKind.EXAMPLES,
            "Examples",
            (
                line(plain("Example 1:")),
                line(plain("Input: "), fixed("nums = [1, 2, 1], target = 1")),
                line(plain("Output: "), fixed("2")),
                line(plain("Explanation: "), plain("It stands "), fixed("2"), plain(" times.")),
                line(plain("Example 2:")),
                line(plain("Input: "), fixed("nums = [], target = -7")),
                line(plain("Output: "), fixed("0")),
            ),
        ),
        Section(
            SectionKind.CONSTRAINTS,
            "Constraints",
            (line(fixed("`0 <= len(nums) <= 100`")), line(fixed("`-50 <= target <= 50`"))),
        ),
    ),
    (
        Domain(
            "shoes",
            (
                Pair("items", "a list of sold sizes"),
                Pair("wanted", "a size"),
                Pair("solver", "the salesperson"),
                Pair("work", "tally"),
                Pair("result", "how many sales there were"),
            ),
            (),
        ),
        Domain(
            "lottery",
            (
                Pair("items", "a list of drawn numbers"),
                Pair("wanted", "a lucky number"),
                Pair("solver", "the host"),
                Pair("work", "find"),
                Pair("result", "how often it was drawn"),
            ),
            (),
        ),
    ),
)

COUNT = Problem(
    problem_id="small/count",
    title="Count",
    language=Language.PYTHON,
    interface=Interface.FUNCTION,
    entry_point="count_target",
    parameters=("nums", "target"),
    statement=flat(COUNT_STRUCTURE),
    structure=COUNT_STRUCTURE,
    tests=(
        test([[1, 2, 1], 1], 2, visible=True),
        test([[], -7], 0, visible=True),
        test([[5, 5], 5], 2, visible=False),
    ),
    references=(Reference("count", Language.PYTHON, "def count_target(n, t): return n.count(t)"),),
    wrong=(),
    generator=None,
    comparison=Comparison(),
    formula=None,
    difficulty=Difficulty.EASY,
    topics=(),
    source="tests",
    licence="Apache-2.0",
)

FORMULA_STRUCTURE = Statement(
    (
        Section(
            SectionKind.TASK,
            "",
            (
                line(
                    plain("Write a C program that solves "),
                    Span(SpanKind.FORMULA, "a*x+b=0"),
                    plain(" for "),
                    fixed("x"),
                    plain("."),
                ),
            ),
        ),
        Section(
            SectionKind.INPUT,
            "Input",
            (line(plain("One line with "), fixed("a"), plain(" and "), fixed("b"), plain(".")),),
        ),
        Section(
            SectionKind.OUTPUT,
            "Output",
            (line(plain("Print it with "), fixed("6"), plain(" digits.")),),
        ),
        Section(
            SectionKind.EXAMPLES,
            "Examples",
            (
                line(plain("Example 1:")),
                line(plain("Input: "), fixed("2 -4")),
                line(plain("Output: "), fixed("2.000000")),
            ),
        ),
        Section(
            SectionKind.CONSTRAINTS,
            "Constraints",
            (line(fixed("-50 <= a <= 50")), line(fixed("a != 0"))),
        ),
    )
)

SOLVE = dataclasses.replace(
    COUNT,
    problem_id="small/solve",
    title="Solve",
    language=Language.C,
    interface=Interface.STDIN,
    entry_point=None,
    parameters=(),
    statement=flat(FORMULA_STRUCTURE),
    structure=FORMULA_STRUCTURE,
    tests=(test("2 -4\n", "2.000000\n", visible=True), test("4 2\n", "-0.5\n", visible=False)),
    references=(Reference("c", Language.C, "int main(void) { return 0; }"),),
    comparison=Comparison(digits=6),
    formula=FormulaSlot(
        "a*x+b=0",
        FormulaKind.EQUATION,
        PromptClass.REASONING,
        (
            Symbol("a", "slope", -50.0, 50.0),
            Symbol("b", "constant", -50.0, 50.0),
            Symbol("x", "unknown", None, None),
        ),
        ("a != 0",),
    ),
)


def count_target(nums: list[int], target: int) -> int:
    return nums.count(target)


def solve(text: str) -> str:
    a, b = map(float, text.split())
    return f"{-b / a:.6f}\n"


class KnownAnswers:
    """An oracle over functions written here; it counts what it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def answers(
        self, problem: Problem, reference: Reference, inputs: Sequence[JsonText]
    ) -> tuple[Answer, ...]:
        assert reference == problem.references[0]
        call: Callable[..., Any] = {"small/count": count_target, "small/solve": solve}[
            problem.problem_id
        ]
        self.asked += len(inputs)
        found = []
        for text in inputs:
            value = parse_json(text)
            arguments = value if problem.interface is Interface.FUNCTION else [value]
            found.append(Answer(JsonText(canonical_json(call(*arguments))), None))
        return tuple(found)

    def generate(self, problem: Problem, seed: int, count: int) -> tuple[JsonText, ...]:
        raise AssertionError("perturbations of kept tasks draw no inputs")
