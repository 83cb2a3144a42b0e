"""The formula of a prompt in other words: a mutant at an exact distance, everything else kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from codequake.canonical import canonical_json
from codequake.errors import UsageError
from codequake.formula import (
    Assumption,
    FormulaError,
    Mutant,
    Names,
    Node,
    Spacing,
    format_assumption,
    format_formula,
    mutate,
    parse,
    parse_assumption,
)
from codequake.perturb.layout import formula_places, replace_formula
from codequake.perturb.spec import (
    Draft,
    NotApplicableError,
    Request,
    arguments_of,
    perturbation,
    rng_of,
    step_of,
)
from codequake.records import FormulaSlot, JsonText, Problem, Step, TaskKind

__all__ = ["PromptFormula", "formula", "mutants_of", "read_formula"]

_UNKNOWNS = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class PromptFormula:
    """The formula of a prompt as the engine sees it.

    ``given`` holds the prompt's assumptions and the signs that follow from the bounds of its
    symbols; ``spacing`` is how the prompt sets blanks.
    """

    node: Node
    names: Names
    spacing: Spacing
    given: tuple[Assumption, ...]


def read_formula(slot: FormulaSlot) -> PromptFormula:
    """Read the formula of a prompt.

    Symbols with bounds are coefficients, except ``x``, ``y``, ``z``, which are variables like the
    symbols without bounds.  Raises ``NotApplicableError`` when the engine cannot read it.
    """
    variables = frozenset(
        symbol.name
        for symbol in slot.symbols
        if symbol.low is None or symbol.name.split("_")[0] in _UNKNOWNS
    )
    coefficients = frozenset(symbol.name for symbol in slot.symbols) - variables
    try:
        constants = frozenset({"pi"}) - coefficients - variables
        names = Names(coefficients, variables, constants=constants)
        node = parse(slot.text, names)
        signs = [
            f"{symbol.name} {relation} 0"
            for symbol in slot.symbols
            if (relation := _sign(symbol.low, symbol.high)) is not None
        ]
        given = tuple(
            dict.fromkeys(parse_assumption(text, names) for text in (*slot.assumptions, *signs))
        )
    except FormulaError as error:
        reason = str(error).splitlines()[0]
        raise NotApplicableError(f"the formula cannot be read: {reason}") from error
    spacing = next((one for one in Spacing if format_formula(node, one) == slot.text), None)
    return PromptFormula(node, names, spacing or Spacing.TIGHT, given)


def _sign(low: float | None, high: float | None) -> str | None:
    """Return the relation to 0 that bounds prove."""
    if low is not None and low >= 0:
        return ">" if low > 0 else ">="
    if high is not None and high <= 0:
        return "<" if high < 0 else "<="
    return None


@perturbation("formula", task=TaskKind.KEPT)
def formula(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield the prompt with its formula replaced by mutants at argument ``distance`` (1 to 12).

    A coefficient is multiplied or divided by only where the prompt keeps it from 0, so that the
    tests stay those of the clean prompt.
    """
    distance = arguments_of(request.spec, distance="1 to 12").get("distance")
    if not isinstance(distance, int) or isinstance(distance, bool) or not 1 <= distance <= 12:
        raise UsageError(f"argument distance of 'formula' is {distance!r}; allowed: 1 to 12")
    formula_places(problem)
    assert problem.formula is not None
    read = read_formula(problem.formula)
    for mutant in mutants_of(problem, request, read, distance):
        yield _draft(problem, request, read, mutant)


def mutants_of(
    problem: Problem, request: Request, read: PromptFormula, distance: int
) -> tuple[Mutant, ...]:
    """Return the mutants of a request.  Raises ``NotApplicableError`` when none exists."""
    rng = rng_of(problem, request, 0)
    try:
        found = mutate(
            read.node, distance, request.spec.count, rng, assumptions=read.given, strict=True
        )
    except FormulaError as error:
        raise NotApplicableError(f"the formula cannot be mutated: {error}") from error
    if not found.mutants:
        raise NotApplicableError(
            f"no mutant at distance {distance} could be confirmed as equivalent"
        )
    return found.mutants


def _draft(problem: Problem, request: Request, read: PromptFormula, mutant: Mutant) -> Draft:
    assert problem.formula is not None
    text = format_formula(mutant.formula, read.spacing)
    steps = tuple(
        Step(step.rule, JsonText(canonical_json({"constant": step.constant, "text": step.text})))
        for step in mutant.steps
    )
    # Signs that follow from the bounds are no assumption of the chain: the prompt prints them.
    added = [format_assumption(one) for one in mutant.assumptions if one not in read.given]
    return Draft(
        replace_formula(problem, text),
        (step_of(request), *steps),
        text,
        mutant.distance,
        mutant.proved,
        tuple(dict.fromkeys((*problem.formula.assumptions, *added))),
    )
