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
    task, input, output, constraints   # markup: what that world says in sentences of its own,
                                  # with the names and numbers of the statement; may be left out
    explanations                  # of the examples, one line each, where there is a task

    [[references]]                # the first is the oracle
    name, language, code          # language as the problem's when left out

    [[wrong]]                     # plausible mistakes that the tests must reject
    name, language, code

    [[relaxed]]                   # programs of a simpler task; the tests must reject them too
    name, language, code

    [hard], [soft]                # changed versions: a hard and a soft negation, see
    nature                        # ``codequake.records.ChangeNature``; what such a version does
                                  # not say is as above.  It has statement, examples, references,
                                  # wrong, inputs, and may have title, comparison, checker

    [inputs]
    edges                         # one input in JSON a line: the edge cases, tested first
    generator                     # Python source of ``generate(rng, size)``; formula prompts have
                                  # none, since their symbols say what to draw
    validator                     # Python source of ``valid`` with the parameters of the function
    large                         # a second generator, of inputs for good algorithms only
    hidden                        # number of hidden tests, 30 when left out

    [tests]                       # written by ``codequake.problems.building``, always last
    hidden, hard, soft            # one ``[input, expected]`` in JSON a line

``generate(rng, size)`` gets a ``random.Random`` and the number of the input, from 0 on, and
returns one input (a list of arguments, or a text): the smaller the number, the smaller the input.
A reference with ``slow = true`` may run out of time on the large ones.  All but the formula stands
for any problem; ``constants`` (see ``codequake.problems.constants``) and ``checker`` (see
``codequake.records.Problem``) come before the statement and may be left out.
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
from codequake.problems.constants import constant_spans, read_constants, read_program
from codequake.problems.fields import Fields
from codequake.problems.lines import KeyLines
from codequake.problems.rendering import render_statement
from codequake.problems.sections import read_examples, read_sections, read_world
from codequake.records import (
    Change,
    ChangeKind,
    ChangeNature,
    Comparison,
    Constant,
    Difficulty,
    FormulaKind,
    FormulaSlot,
    JsonText,
    Language,
    OutputOrder,
    Problem,
    PromptClass,
    Reference,
    Symbol,
    Test,
)
from codequake.statements import Domain, Pair, Statement

__all__ = ["HIDDEN_TESTS", "VERSIONS", "Authored", "read_authored"]

HIDDEN_TESTS = 30
"""Hidden tests of a problem that is no formula prompt, the large ones not counted."""

VERSIONS = {"hard": ChangeKind.HARD_NEGATION, "soft": ChangeKind.SOFT_NEGATION}
"""Table of a problem file -> the kind of changed version that it describes."""


@dataclass(frozen=True, slots=True)
class Authored:
    """A problem with what its tests are built from, its changed versions, and where it was read.

    ``hidden`` is the number of hidden tests that are built of edge cases and generator.
    """

    problem: Problem
    edges: tuple[JsonText, ...]
    path: Path
    hidden: int = HIDDEN_TESTS
    versions: tuple[Authored, ...] = ()


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
    constants = read_constants(fields)
    call = read_call(fields, formula, constant_spans(constants))
    visible, lines = read_examples(fields, call)
    written = fields.table("statement")
    statement = Statement(
        read_sections(written, call, formula, lines, numbered=len(visible) > 1),
        _domains(fields, call),
    )
    inputs = _inputs(fields, call, constants)
    hidden = _hidden(fields, call)
    if formula is not None:
        formula = dataclasses.replace(formula, edges=inputs.edges)
    problem = Problem(
        problem_id=problem_id,
        title=fields.text("title"),
        language=language,
        interface=call.interface,
        entry_point=call.entry_point,
        parameters=call.parameters,
        statement=render_statement(statement),
        structure=statement,
        tests=(*visible, *hidden["hidden"]),
        references=_programs(fields, "references", language, constants, at_least=1),
        wrong=_programs(fields, "wrong", language, constants),
        generator=inputs.generator,
        comparison=_comparison(fields),
        formula=formula,
        difficulty=fields.choice("difficulty", Difficulty) if fields.has("difficulty") else None,
        topics=fields.texts("topics"),
        source=fields.text("source"),
        licence=fields.text("licence"),
        checker=_checker(fields, constants, None),
        relaxed=_programs(fields, "relaxed", language, constants),
        constants=constants,
        validator=inputs.validator,
        large=inputs.large,
    )
    authored = Authored(problem, inputs.edges, path, inputs.count)
    versions = tuple(
        _version(fields.table(key), kind, authored, call, written, hidden[key])
        for key, kind in VERSIONS.items()
        if fields.has(key)
    )
    return dataclasses.replace(authored, versions=versions)


def _version(
    part: Fields,
    kind: ChangeKind,
    original: Authored,
    call: Call,
    written: Fields,
    hidden: tuple[Test, ...],
) -> Authored:
    """Read a changed version: what it does not say is as in the original."""
    base = original.problem
    visible, lines = read_examples(part, call)
    statement = Statement(
        read_sections(
            part.table("statement"),
            call,
            None,
            lines,
            numbered=len(visible) > 1,
            inherited=written,
        )
    )
    inputs = _inputs(part, call, base.constants, original)
    key = next(name for name, known in VERSIONS.items() if known is kind)
    problem = dataclasses.replace(
        base,
        problem_id=f"{base.problem_id}~{key}",
        title=part.text("title", base.title),
        statement=render_statement(statement),
        structure=statement,
        tests=(*visible, *hidden),
        references=_programs(part, "references", base.language, base.constants, at_least=1),
        wrong=_programs(part, "wrong", base.language, base.constants),
        generator=inputs.generator,
        validator=inputs.validator,
        large=inputs.large,
        comparison=_comparison(part) if part.has("comparison") else base.comparison,
        checker=_checker(part, base.constants, base.checker),
        relaxed=(),
        change=Change(kind, base.problem_id, part.choice("nature", ChangeNature)),
    )
    part.close()
    return Authored(problem, inputs.edges, original.path, original.hidden)


def _checker(fields: Fields, constants: tuple[Constant, ...], inherited: str | None) -> str | None:
    if not fields.has("checker"):
        return inherited
    return read_program(fields, "checker", Language.PYTHON, constants)


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


def _domains(fields: Fields, call: Call) -> tuple[Domain, ...]:
    domains = []
    for part in fields.tables("domains"):
        domains.append(
            Domain(
                part.text("name"),
                tuple(Pair(old, new) for old, new in part.pairs("glossary")),
                tuple(Pair(old, new) for old, new in part.pairs("renames")),
                *read_world(part, call),
            )
        )
        part.close()
    return tuple(domains)


def _programs(
    fields: Fields,
    name: str,
    language: Language,
    constants: tuple[Constant, ...],
    *,
    at_least: int = 0,
) -> tuple[Reference, ...]:
    programs = []
    for part in fields.tables(name, at_least=at_least):
        own = part.choice("language", Language, language)
        code = read_program(part, "code", own, constants)
        programs.append(Reference(part.text("name"), own, code, part.flag("slow")))
        part.close()
    return tuple(programs)


@dataclass(frozen=True, slots=True)
class _Inputs:
    edges: tuple[JsonText, ...]
    generator: str | None
    validator: str | None
    large: str | None
    count: int


def _inputs(
    fields: Fields, call: Call, constants: tuple[Constant, ...], original: Authored | None = None
) -> _Inputs:
    """Read the table ``inputs``; a changed version has what its original has, unless it says."""
    found = _Inputs((), None, None, None, HIDDEN_TESTS)
    if original is not None:
        base = original.problem
        found = _Inputs(original.edges, base.generator, base.validator, base.large, original.hidden)
    if not fields.has("inputs"):
        return found
    part = fields.table("inputs")
    if part.has("edges"):
        edges = [
            checked_input(read_json(line, place, "an edge case"), call, place)
            for place, line in part.text_lines("edges")
        ]
        found = dataclasses.replace(found, edges=tuple(edges))

    def code(name: str, inherited: str | None) -> str | None:
        return read_program(part, name, Language.PYTHON, constants) if part.has(name) else inherited

    count = part.integer("hidden")
    if count is not None and count < 1:
        raise part.fault("hidden", f"is {count}; allowed: 1 or more")
    found = _Inputs(
        found.edges,
        code("generator", found.generator),
        code("validator", found.validator),
        code("large", found.large),
        count or found.count,
    )
    part.close()
    return found


def _hidden(fields: Fields, call: Call) -> dict[str, tuple[Test, ...]]:
    """Return the hidden tests of the problem and of its changed versions."""
    found: dict[str, tuple[Test, ...]] = dict.fromkeys(("hidden", *VERSIONS), ())
    if not fields.has("tests"):
        return found
    part = fields.table("tests")
    for name in found:
        tests = []
        for place, line in part.text_lines(name, needed=False):
            pair = read_json(line, place, "a test")
            if not isinstance(pair, list) or len(pair) != 2:
                raise DataError("a test is not [input, expected]", place=place)
            given = checked_input(pair[0], call, place)
            tests.append(Test(given, checked_expected(pair[1], call, place), visible=False))
        found[name] = tuple(tests)
    part.close()
    return found
