"""What a formula prompt declares about itself, held against its tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from codequake.canonical import canonical_json
from codequake.errors import DataError
from codequake.problems.arithmetic import evaluate, names_in, parse_relation
from codequake.problems.conditioning import Judge
from codequake.problems.constraints import input_symbols
from codequake.problems.sampling import input_values, input_words
from codequake.records import (
    FormulaKind,
    FormulaSlot,
    Interface,
    JsonText,
    Language,
    Problem,
    PromptClass,
)

__all__ = ["direct_output", "formula_findings"]

Agrees = Callable[[JsonText, JsonText], bool]


def direct_output(problem: Problem, formula: FormulaSlot, test_input: JsonText) -> JsonText | None:
    """Return what a program prints that evaluates the formula as it stands.

    An expression gives its value with the digits of the comparison, an equation ``1`` or ``0``.
    ``None`` when the input does not give every symbol a value, or there is no finite value.
    """
    values = input_values(formula, test_input)
    if len(values) < len(formula.symbols):
        return None
    try:
        match formula.kind:
            case FormulaKind.EXPRESSION:
                digits = problem.comparison.digits
                value = evaluate(formula.text, values)
                text = repr(value) if digits is None else f"{value:.{digits}f}"
            case FormulaKind.EQUATION:
                text = "1" if parse_relation(formula.text).holds(values) else "0"
    except (ArithmeticError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        return None
    return JsonText(canonical_json(text + "\n"))


def formula_findings(problem: Problem, agrees: Agrees) -> Iterator[str]:
    """Yield one sentence for each declaration that does not hold; none without a formula.

    The names of the formula are its symbols; its kind fits its text; there are references in C
    and in Python; the test inputs are in the ranges, satisfy the assumptions and are fair to
    right programs (``codequake.problems.conditioning``); the class is translation exactly when
    evaluating the formula as it stands passes every test; the declared results are those of every
    test.  ``agrees`` compares an expected output with another.
    """
    formula = problem.formula
    if formula is None:
        return
    if problem.interface is not Interface.STDIN:
        yield "a formula prompt reads standard input; allowed interface: stdin"
        return
    try:
        yield from _declared(formula)
        unread = list(_unread(formula))
        yield from unread
        if unread:
            return  # nothing can be computed from them
        yield from _languages(problem)
        yield from _domain(problem, formula)
        yield from _class(problem, formula, agrees)
        yield from _results(problem, formula, agrees)
    except DataError as error:
        yield str(error)


def _declared(formula: FormulaSlot) -> Iterator[str]:
    symbols = [symbol.name for symbol in formula.symbols]
    if len(set(symbols)) != len(symbols):
        yield "a symbol is declared twice"
    used = names_in(formula.text)
    for assumption in formula.assumptions:
        used |= names_in(assumption)
    extra = sorted(used - set(symbols))
    if extra:
        yield f"{', '.join(extra)} stands in the formula or an assumption and is not declared"
    if formula.prompt_class is PromptClass.TRANSLATION:
        unused = sorted(set(symbols) - names_in(formula.text))
        if unused:
            yield f"{', '.join(unused)} is declared and does not stand in the formula"
    has_sign = "=" in formula.text
    if has_sign != (formula.kind is FormulaKind.EQUATION):
        yield f"{formula.text!r} is not of the kind {formula.kind.value}"
    if not input_symbols(formula):
        yield "no symbol has a range, so a program reads nothing"


def _languages(problem: Problem) -> Iterator[str]:
    written = {reference.language for reference in problem.references}
    missing = [item.value for item in (Language.C, Language.PYTHON) if item not in written]
    if missing:
        yield f"there is no reference in {' and in '.join(missing)}; allowed: one in each"


def _unread(formula: FormulaSlot) -> Iterator[str]:
    given = {symbol.name for symbol in input_symbols(formula)}
    for text in formula.results:
        names = sorted(names_in(text) - given)
        if names:
            yield f"the result {text!r} uses {', '.join(names)}, which a program does not read"


def _results(problem: Problem, formula: FormulaSlot, agrees: Agrees) -> Iterator[str]:
    """Hold the declared results against the tests; they decide which inputs are fair."""
    if formula.prompt_class is PromptClass.TRANSLATION:
        if formula.results:
            yield "results are declared, but a translation prompt prints its formula"
        return
    if not formula.results:
        yield "no results are declared, so inputs cannot be kept from ill-conditioned points"
        return
    digits = problem.comparison.digits
    for number, test in enumerate(problem.tests, start=1):
        values = input_values(formula, test.input)
        try:
            found = [evaluate(text, values) for text in formula.results]
        except (ArithmeticError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            yield f"the declared results have no value for test {number}"
            return
        shown = [f"{value:.{12 if digits is None else digits}f}" for value in found]
        if not agrees(test.expected, JsonText(canonical_json(" ".join(shown) + "\n"))):
            yield (
                f"the declared results are {' '.join(shown)} for test {number}, which expects "
                f"{test.expected}"
            )
            return


def _domain(problem: Problem, formula: FormulaSlot) -> Iterator[str]:
    judge = Judge(formula, problem.comparison)
    for number, test in enumerate(problem.tests, start=1):
        values = input_values(formula, test.input)
        for symbol in input_symbols(formula):
            assert symbol.low is not None
            assert symbol.high is not None
            value = values[symbol.name]
            if not symbol.low <= value <= symbol.high:
                yield f"test {number} gives {symbol.name} the value {value}, outside its range"
            if symbol.integer and value != int(value):
                yield f"test {number} gives {symbol.name} the value {value}, not an integer"
        for assumption in formula.assumptions:
            if not _holds(assumption, values):
                yield f"test {number} breaks the assumption {assumption}"
        why = judge.refusal(input_words(formula, test.input))
        if why is not None:
            yield f"test {number}, input {test.input}, is not fair to right programs: {why}"


def _holds(assumption: str, values: dict[str, float]) -> bool:
    try:
        return parse_relation(assumption).holds(values)
    except (ArithmeticError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        return False


def _class(problem: Problem, formula: FormulaSlot, agrees: Agrees) -> Iterator[str]:
    """Compare the declared class with what evaluating the formula gives."""
    differing = None
    for number, test in enumerate(problem.tests, start=1):
        output = direct_output(problem, formula, test.input)
        if output is None or not agrees(test.expected, output):
            differing = number
            break
    match formula.prompt_class:
        case PromptClass.TRANSLATION if differing is not None:
            yield (
                f"the class is translation, but evaluating {formula.text!r} does not give the "
                f"expected output of test {differing}"
            )
        case PromptClass.REASONING if differing is None:
            yield f"the class is reasoning, but evaluating {formula.text!r} passes every test"
        case _:
            pass
