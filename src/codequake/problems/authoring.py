"""Problems as their authors write them: one TOML file a problem.

A file holds, in this order::

    id = "<set>/<slug>"           # the file is called <slug>.toml
    title = "..."
    language = "python"           # or "c" or "cpp"; Python when left out
    signature = "f(a: int) -> int"   # only where a program is a function; else it reads stdin
    difficulty = "easy"           # may be left out
    topics = ["list"]
    source = "..."                # where the idea comes from
    licence = "Apache-2.0"
    comparison = { digits = 6 }   # also relative, order; may be left out

    [formula]                     # formula prompts only
    text, kind, class, assumptions, symbols = [{ name, meaning, low, high, integer }, ...]
    results                       # expressions of what is printed, where it is not the formula

    [statement]                   # sentences in the markup of ``codequake.problems.markup``
    task, input, output           # one sentence a line; of a formula prompt, whose task can say
                                  # what is read and printed, only the task is needed
    constraints                   # may be left out; of a formula prompt they follow from the
                                  # symbols and the assumptions

    [[examples]]                  # the visible tests; one that stands alone has no number
    input, output                 # JSON in a string, as in ``codequake.records.Test``
    explanation                   # markup; may be left out

    [[domains]]                   # other worlds to tell the problem in
    name, glossary = { slot = "words" }, renames = { identifier = "identifier" }

    [[references]]                # the first is the oracle
    name, language, code          # language as the problem's when left out

    [[wrong]]                     # plausible mistakes that the tests must reject
    name, language, code

    [inputs]
    edges                         # one input in JSON a line: the edge cases, tested first
    generator                     # Python source of ``generate(rng, size)``; formula prompts have
                                  # none, since their symbols say what to draw

    [tests]                       # written by ``codequake.problems.building``, always last
    hidden                        # one ``[input, expected]`` in JSON a line

``generate(rng, size)`` gets a ``random.Random`` and the number of the input, from 0 on, and
returns one input (a list of arguments, or a text): the smaller the number, the smaller the input.
"""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass
from pathlib import Path

from codequake.errors import DataError
from codequake.files import read_text
from codequake.problems.calls import (
    Call,
    checked_expected,
    checked_input,
    read_call,
    read_json,
)
from codequake.problems.constraints import formula_constraints
from codequake.problems.fields import Fields
from codequake.problems.lines import KeyLines
from codequake.problems.markup import check_slots, parse_sentence
from codequake.problems.rendering import render_statement, show_arguments, show_value
from codequake.records import (
    Comparison,
    Difficulty,
    FormulaKind,
    FormulaSlot,
    Interface,
    JsonText,
    Language,
    OutputOrder,
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
    Span,
    SpanKind,
    Statement,
)

__all__ = ["Authored", "read_authored"]


@dataclass(frozen=True, slots=True)
class Authored:
    """A problem with the edge cases that its tests are built from, and where it was read."""

    problem: Problem
    edges: tuple[JsonText, ...]
    path: Path


def read_authored(path: Path) -> Authored:
    """Read a problem file.

    Raises ``DataError``, one sentence with file and line, for the first thing that is wrong.
    """
    text = read_text(path)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(path, error) from error
    fields = Fields(values, KeyLines(path, text), ())
    authored = _read(fields, path)
    fields.close()
    return authored


def _syntax_error(path: Path, error: tomllib.TOMLDecodeError) -> DataError:
    """Move the line of the standard message to where ours stand."""
    message, _, where = str(error).rpartition(" (at line ")
    line, _, column = where.rstrip(")").partition(", column ")
    if message and line.isdigit():
        return DataError(
            f"not TOML: {message[:1].lower()}{message[1:]} at column {column}",
            place=f"{path}:{line}",
        )
    return DataError(f"not TOML: {error}", place=str(path))


def _read(fields: Fields, path: Path) -> Authored:
    problem_id = fields.text("id")
    name, _, slug = problem_id.partition("/")
    if not name or slug != path.stem:
        raise fields.fault("id", f"is {problem_id!r}; allowed: <set>/{path.stem}")
    language = fields.choice("language", Language, Language.PYTHON)
    formula = _formula(fields.table("formula")) if fields.has("formula") else None
    call = read_call(fields, formula)
    visible, example_lines = _examples(fields, call)
    statement = Statement(
        _sections(
            fields.table("statement"), call, formula, example_lines, numbered=len(visible) > 1
        ),
        _domains(fields),
    )
    edges, generator, hidden = _tests(fields, call)
    if formula is not None:
        formula = dataclasses.replace(formula, edges=edges)
    problem = Problem(
        problem_id=problem_id,
        title=fields.text("title"),
        language=language,
        interface=call.interface,
        entry_point=call.entry_point,
        parameters=call.parameters,
        statement=render_statement(statement),
        structure=statement,
        tests=(*visible, *hidden),
        references=_programs(fields, "references", language, at_least=1),
        wrong=_programs(fields, "wrong", language),
        generator=generator,
        comparison=_comparison(fields),
        formula=formula,
        difficulty=fields.choice("difficulty", Difficulty) if fields.has("difficulty") else None,
        topics=fields.texts("topics"),
        source=fields.text("source"),
        licence=fields.text("licence"),
    )
    return Authored(problem, edges, path)


def _comparison(fields: Fields) -> Comparison:
    if not fields.has("comparison"):
        return Comparison()
    part = fields.table("comparison")
    digits = part.integer("digits")
    if digits is not None and not 0 <= digits <= 15:
        raise part.fault("digits", f"is {digits}; allowed: 0 to 15")
    relative = part.number("relative")
    if relative is not None and not 0 <= relative < 1:
        raise part.fault("relative", f"is {relative}; allowed: 0 up to below 1")
    order = part.choice("order", OutputOrder, OutputOrder.ORDERED)
    part.close()
    return (
        Comparison(digits, order=order) if relative is None else Comparison(digits, relative, order)
    )


def _formula(part: Fields) -> FormulaSlot:
    formula = FormulaSlot(
        text=part.text("text"),
        kind=part.choice("kind", FormulaKind),
        prompt_class=part.choice("class", PromptClass),
        symbols=tuple(_symbol(item) for item in part.tables("symbols", at_least=1)),
        assumptions=part.texts("assumptions"),
        results=part.texts("results"),
    )
    part.close()
    return formula


def _symbol(part: Fields) -> Symbol:
    symbol = Symbol(
        name=part.text("name"),
        meaning=part.text("meaning"),
        low=part.number("low"),
        high=part.number("high"),
        integer=part.flag("integer"),
    )
    part.close()
    if (symbol.low is None) != (symbol.high is None):
        raise part.fault("low", "and high are given together, or neither for an unknown")
    if symbol.low is not None and symbol.high is not None and symbol.low > symbol.high:
        raise part.fault("low", f"is {symbol.low}; allowed: at most high, which is {symbol.high}")
    return symbol


def _examples(
    fields: Fields, call: Call
) -> tuple[tuple[Test, ...], tuple[tuple[str, Sentence], ...]]:
    """Return the visible tests, and the sentences that show them."""
    tests: list[Test] = []
    lines: list[tuple[str, Sentence]] = []
    parts = tuple(fields.tables("examples", at_least=1))
    for number, part in enumerate(parts, start=1):
        given = read_json(part.text("input"), part.place("input"), "the input of an example")
        output = read_json(part.text("output"), part.place("output"), "the output of an example")
        test = Test(
            checked_input(given, call, part.place("input")),
            checked_expected(output, call, part.place("output")),
            visible=True,
        )
        tests.append(test)
        if len(parts) > 1:
            lines.append((part.place(), _plain(f"Example {number}:", "")))
        match call.interface:
            case Interface.FUNCTION:
                shown_input = show_arguments(call.parameters, given)
                shown_output = show_value(output)
            case Interface.STDIN:
                shown_input, shown_output = given.strip("\n"), output.strip("\n")
        lines.append((part.place("input"), _shown("Input:", shown_input)))
        lines.append((part.place("output"), _shown("Output:", shown_output)))
        if part.has("explanation"):
            place = part.place("explanation")
            told = parse_sentence(part.text("explanation"), call.insertions, place=place)
            lead = Span(SpanKind.TEXT, "Explanation: ")
            lines.append((place, Sentence((lead, *told.spans))))
        part.close()
    return tuple(tests), tuple(lines)


def _plain(text: str, protected: str) -> Sentence:
    spans = [Span(SpanKind.TEXT, text)]
    if protected:
        spans.append(Span(SpanKind.PROTECTED, protected))
    return Sentence(tuple(spans))


def _shown(lead: str, value: str) -> Sentence:
    """Return a line of an example; a value of several lines begins on a line of its own."""
    return _plain(f"{lead}\n" if "\n" in value else f"{lead} ", value)


def _sections(
    part: Fields,
    call: Call,
    formula: FormulaSlot | None,
    examples: tuple[tuple[str, Sentence], ...],
    *,
    numbered: bool,
) -> tuple[Section, ...]:
    """Return the sections in their fixed order.  Raises ``DataError``."""
    found: list[tuple[SectionKind, str, list[tuple[str, Sentence]]]] = []
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
            marked = part.text_lines(kind.value, needed=kind in needed)
            lines = [
                (place, parse_sentence(line, call.insertions, place=place))
                for place, line in marked
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
        if count != 1:
            raise DataError(f"{{{name}}} stands {count} times; allowed: once", place=part.place())
    return tuple(
        Section(kind, title, tuple(sentence for _, sentence in lines))
        for kind, title, lines in found
    )


def _domains(fields: Fields) -> tuple[Domain, ...]:
    domains = []
    for part in fields.tables("domains"):
        domains.append(
            Domain(
                part.text("name"),
                tuple(Pair(old, new) for old, new in part.pairs("glossary")),
                tuple(Pair(old, new) for old, new in part.pairs("renames")),
            )
        )
        part.close()
    return tuple(domains)


def _programs(
    fields: Fields, name: str, language: Language, *, at_least: int = 0
) -> tuple[Reference, ...]:
    programs = []
    for part in fields.tables(name, at_least=at_least):
        code = part.text("code").lstrip("\n")
        programs.append(
            Reference(part.text("name"), part.choice("language", Language, language), code)
        )
        part.close()
    return tuple(programs)


def _tests(fields: Fields, call: Call) -> tuple[tuple[JsonText, ...], str | None, tuple[Test, ...]]:
    """Return the edge cases, the generator and the hidden tests."""
    edges: list[JsonText] = []
    generator = None
    if fields.has("inputs"):
        part = fields.table("inputs")
        for place, line in part.text_lines("edges", needed=False):
            edges.append(checked_input(read_json(line, place, "an edge case"), call, place))
        if part.has("generator"):
            generator = part.text("generator").lstrip("\n")
        part.close()
    hidden: list[Test] = []
    if fields.has("tests"):
        part = fields.table("tests")
        for place, line in part.text_lines("hidden", needed=False):
            pair = read_json(line, place, "a test")
            if not isinstance(pair, list) or len(pair) != 2:
                raise DataError("a test is not [input, expected]", place=place)
            hidden.append(
                Test(
                    checked_input(pair[0], call, place),
                    checked_expected(pair[1], call, place),
                    visible=False,
                )
            )
        part.close()
    return tuple(edges), generator, tuple(hidden)
