"""The sections of an authored statement, and how examples stand in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codequake.errors import DataError
from codequake.problems.calls import Call, checked_expected, checked_input, read_json
from codequake.problems.constraints import formula_constraints
from codequake.problems.fields import Fields
from codequake.problems.markup import check_slots, parse_sentence
from codequake.problems.rendering import show_arguments, show_value
from codequake.records import FormulaSlot, Interface, Test
from codequake.statements import Section, SectionKind, Sentence, Span, SpanKind

__all__ = [
    "Line",
    "example_lines",
    "examples_title",
    "read_examples",
    "read_sections",
    "read_world",
]

Line = tuple[str, Sentence]
"""``file:line`` of a sentence, and the sentence."""


def read_examples(
    fields: Fields, call: Call, *, at_least: int = 1
) -> tuple[tuple[Test, ...], tuple[Line, ...]]:
    """Return the visible tests, and the sentences that show them.  Raises ``DataError``."""
    tests: list[Test] = []
    lines: list[Line] = []
    parts = tuple(fields.tables("examples", at_least=at_least))
    for number, part in enumerate(parts, start=1):
        given = read_json(part.text("input"), part.place("input"), "the input of an example")
        output = read_json(part.text("output"), part.place("output"), "the output of an example")
        test = Test(
            checked_input(given, call, part.place("input")),
            checked_expected(output, call, part.place("output")),
            visible=True,
        )
        tests.append(test)
        shown = example_lines(call.parameters, call.interface, given, output)
        places = (part.place("input"), part.place("output"))
        if len(parts) > 1:
            lines.append((part.place(), _plain(f"Example {number}:", "")))
        lines += zip(places, shown, strict=True)
        if part.has("explanation"):
            place = part.place("explanation")
            told = parse_sentence(part.text("explanation"), call.insertions, place=place)
            lead = Span(SpanKind.TEXT, "Explanation: ")
            lines.append((place, Sentence((lead, *told.spans))))
        part.close()
    return tuple(tests), tuple(lines)


def example_lines(
    parameters: Sequence[str], interface: Interface, given: Any, output: Any
) -> tuple[Sentence, Sentence]:
    """Return the two lines that show an input and its output."""
    match interface:
        case Interface.FUNCTION:
            shown = show_arguments(parameters, given), show_value(output)
        case Interface.STDIN:
            shown = given.strip("\n"), output.strip("\n")
    return _shown("Input:", shown[0]), _shown("Output:", shown[1])


def examples_title(count: int) -> str:
    """Return the title of the section with so many examples."""
    return "Examples" if count > 1 else "Example"


def _plain(text: str, protected: str) -> Sentence:
    spans = [Span(SpanKind.TEXT, text)]
    if protected:
        spans.append(Span(SpanKind.PROTECTED, protected))
    return Sentence(tuple(spans))


def _shown(lead: str, value: str) -> Sentence:
    """Return a line of an example; a value of several lines begins on a line of its own."""
    return _plain(f"{lead}\n" if "\n" in value else f"{lead} ", value)


def read_sections(
    part: Fields,
    call: Call,
    formula: FormulaSlot | None,
    examples: tuple[Line, ...],
    *,
    numbered: bool,
    inherited: Fields | None = None,
) -> tuple[Section, ...]:
    """Return the sections in their fixed order; those left out are the inherited ones.

    Raises ``DataError``.
    """
    found: list[tuple[SectionKind, str, list[Line]]] = []
    needed = {SectionKind.TASK}
    if formula is None:
        needed |= {SectionKind.INPUT, SectionKind.OUTPUT}
    for kind, title in (
        (SectionKind.TASK, ""),
        (SectionKind.INPUT, "Input"),
        (SectionKind.OUTPUT, "Output"),
        (SectionKind.EXAMPLES, "Examples" if numbered else "Example"),
        (SectionKind.CONSTRAINTS, "Constraints"),
    ):
        if kind is SectionKind.EXAMPLES:
            lines = list(examples)
        else:
            source = part if inherited is None or part.has(kind.value) else inherited
            lines = [
                (place, parse_sentence(line, call.insertions, place=place))
                for place, line in source.text_lines(kind.value, needed=kind in needed)
            ]
        if kind is SectionKind.CONSTRAINTS and not lines and formula is not None:
            lines = [
                (part.place(), Sentence((Span(SpanKind.PROTECTED, line),)))
                for line in formula_constraints(formula)
            ]
        if lines:
            found.append((kind, title, lines))
    part.close()
    everything = [line for _, _, lines in found for line in lines]
    check_slots(everything)
    spans = [span for _, sentence in everything for span in sentence.spans]
    for name, wanted in call.insertions.items():
        count = sum(span == wanted for span in spans)
        if count != 1 and wanted.template is None:
            raise DataError(f"{{{name}}} stands {count} times; allowed: once", place=part.place())
    return tuple(
        Section(kind, title, tuple(sentence for _, sentence in lines))
        for kind, title, lines in found
    )


def read_world(part: Fields, call: Call) -> tuple[tuple[Section, ...], tuple[Sentence, ...]]:
    """Return the sections and the explanations that a world has of its own.

    Raises ``DataError``.
    """
    sections = []
    for kind, title in (
        (SectionKind.TASK, ""),
        (SectionKind.INPUT, "Input"),
        (SectionKind.OUTPUT, "Output"),
        (SectionKind.CONSTRAINTS, "Constraints"),
    ):
        sentences = _sentences(part, kind.value, call)
        if sentences:
            sections.append(Section(kind, title, sentences))
    lead = Span(SpanKind.TEXT, "Explanation: ")
    told = _sentences(part, "explanations", call)
    return tuple(sections), tuple(Sentence((lead, *sentence.spans)) for sentence in told)


def _sentences(part: Fields, key: str, call: Call) -> tuple[Sentence, ...]:
    return tuple(
        parse_sentence(line, call.insertions, place=place)
        for place, line in part.text_lines(key, needed=False)
    )
