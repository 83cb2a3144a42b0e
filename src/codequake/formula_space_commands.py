"""``codequake formula mutate``, ``distance`` and ``reduce``: the space around a formula."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codequake.command_options import JsonOption
from codequake.errors import DataError, NothingToReturnError, UsageError, UserError
from codequake.formula import Names
from codequake.formula_commands import (
    WITH_MINUS,
    FormulaArgument,
    NamesOption,
    formula_app,
    formula_of,
    read_formula,
    written,
)
from codequake.terminal import emit, say

if TYPE_CHECKING:
    from codequake.formula import Assumption, Equivalence, Kind, Mutant, Mutations, Profile

# The functions under the commands are the commands; importing this module registers them.
__all__: list[str] = []

_WEIGHT_KEYS = frozenset({"equation", "expression", "k"})

AssumeOption = Annotated[
    list[str] | None,
    typer.Option("--assume", help="What is given about the names, as 'a != 0'; may be repeated."),
]
StrictOption = Annotated[
    bool,
    typer.Option("--strict", help="Divide and multiply by a name only where it is given not 0."),
]


def _assumptions(texts: list[str] | None, names: Names) -> tuple[Assumption, ...]:
    from codequake.formula import parse_assumption

    return tuple(parse_assumption(text, names) for text in texts or ())


def _certificate(equivalence: Equivalence) -> dict[str, object]:
    from codequake.codec import to_plain

    return {"verdict": equivalence.verdict.value, **to_plain(equivalence.certificate)}


def _choice(value: str, option: str, allowed: list[str]) -> str:
    if value not in allowed:
        raise UsageError(f"{option} is {value!r}; allowed: {', '.join(allowed)}")
    return value


@formula_app.command("mutate", context_settings=WITH_MINUS)
def _formula_mutate(
    formula: FormulaArgument,
    distance: Annotated[int, typer.Option("--distance", help="Steps from the formula, 0 to 12.")],
    count: Annotated[int, typer.Option("--count", help="How many at most.")] = 20,
    strategy: Annotated[
        str, typer.Option("--strategy", help="naive, uniform, weighted or top-k.")
    ] = "uniform",
    mode: Annotated[
        str,
        typer.Option("--mode", help="relation: every place; paper: one mutant of each type."),
    ] = "relation",
    weights: Annotated[
        Path | None,
        typer.Option("--weights", help="JSON file with the weights of the mutation types."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another seed gives other mutants.")] = 0,
    assume: AssumeOption = None,
    strict: StrictOption = False,
    text: Annotated[
        Path | None,
        typer.Option("--text", help="The prompt around the formula; allows other variable names."),
    ] = None,
    names: NamesOption = "",
    json: JsonOption = False,
) -> None:
    """Write equal formulas at an exact distance, each with its proof."""
    from codequake.formula import Mode, Strategy, free_names, kind_of, mutate
    from codequake.seeding import generator_for

    node, declared = read_formula(formula, names)
    _choice(strategy, "--strategy", [one.value for one in Strategy])
    _choice(mode, "--mode", [one.value for one in Mode])
    around = None if text is None else _text_of(text)
    shown, kind = written(node, declared), kind_of(node, declared)
    found = mutate(
        node,
        distance,
        count,
        generator_for(seed, "formula-mutate", shown, distance, mode, strategy),
        assumptions=_assumptions(assume, declared),
        strict=strict,
        mode=Mode(mode),
        strategy=Strategy(strategy),
        profile=None if weights is None else _profile(weights, kind),
        free=() if around is None else free_names(node, around, declared.variables),
        names=declared,
    )
    _show_mutations(found, declared, count, json=json)
    if not found.mutants and count:
        raise NothingToReturnError(
            f"no mutant of {shown[:60]!r} at distance {distance} could be "
            + ("confirmed to be equivalent" if found.unconfirmed else "found")
        )


def _show_mutations(found: Mutations, names: Names, count: int, *, json: bool) -> None:
    if json:
        emit(
            {
                "formula": written(found.formula, names),
                "mutants": [_mutant(one, names) for one in found.mutants],
                "exhausted": found.exhausted,
                "unconfirmed": found.unconfirmed,
                "unproved": found.unproved,
                "inapplicable": list(found.inapplicable),
            }
        )
        return
    for one in found.mutants:
        steps = ", ".join(step.rule for step in one.steps)
        say(f"{written(one.formula, names)}    {steps or 'the formula itself'}")
    if found.exhausted and len(found.mutants) < count:
        say(f"There are no more than {len(found.mutants)} at this distance.")


def _mutant(mutant: Mutant, names: Names) -> dict[str, object]:
    from codequake.formula import format_assumption

    return {
        "text": written(mutant.formula, names),
        "distance": mutant.distance,
        "proved": mutant.proved,
        "steps": [
            {
                "type": step.type,
                "rule": step.rule,
                "constant": step.constant,
                "renamed": step.renamed,
                "text": step.text,
            }
            for step in mutant.steps
        ],
        "assumptions": [format_assumption(one) for one in mutant.assumptions],
        "renamed": [list(pair) for pair in mutant.renamed],
        "certificate": _certificate(mutant.equivalence),
    }


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read as text: {error}", place=str(path)) from error


def _profile(path: Path, kind: Kind) -> Profile:
    """Read ``{"equation": {"M1": 0.2, "M5": null, ...}, "expression": {...}, "k": 9}``."""
    from codequake.canonical import parse_json
    from codequake.formula import Kind, profile_of_weights

    place = str(path)
    equations = kind is not Kind.EXPRESSION
    table_name = "equation" if equations else "expression"
    data = parse_json(_text_of(path), place=place)
    unknown = sorted(set(data) - _WEIGHT_KEYS) if isinstance(data, dict) else []
    if unknown:
        raise DataError(
            f"key {unknown[0][:60]!r} is not known; allowed: equation, expression, k", place=place
        )
    table = data.get(table_name) if isinstance(data, dict) else None
    if not isinstance(table, dict):
        raise DataError(f"has no object {table_name!r} with the weights of its types", place=place)
    weights = {name: _weight(name, value, place) for name, value in table.items()}
    k = data.get("k")
    if k is not None and (isinstance(k, bool) or not isinstance(k, int)):
        raise DataError(f"k is {k!r}; allowed: a whole number", place=place)
    try:
        return profile_of_weights(weights, equations=equations, k=k)
    except UserError as error:
        # It knows the types, and not where the weights come from.
        raise DataError(str(error), place=place) from error


def _weight(name: str, value: object, place: str) -> float | None:
    """Return a weight of a file; a number that no double holds is told as such."""
    if value is None:
        return None
    number = math.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        with contextlib.suppress(OverflowError):
            number = float(value)
    if not math.isfinite(number):
        raise DataError(
            f"weight of {name[:60]} is {str(value)[:60]!r}; "
            "allowed: a finite number, or null if unmeasured",
            place=place,
        )
    return number


@formula_app.command("distance", context_settings=WITH_MINUS)
def _formula_distance(
    formula: FormulaArgument,
    goal: Annotated[str, typer.Argument(help="The formula to reach.")],
    max_d: Annotated[int, typer.Option("--max", min=0, max=12, help="Steps to look for.")] = 5,
    mode: Annotated[str, typer.Option("--mode", help="relation or paper.")] = "relation",
    names: NamesOption = "",
    json: JsonOption = False,
) -> None:
    """Count the steps of the shortest chain of mutations from a formula to another."""
    from codequake.formula import Mode, distance

    node, declared = read_formula(formula, names)
    _choice(mode, "--mode", [one.value for one in Mode])
    found = distance(node, formula_of(goal, declared), max_d, mode=Mode(mode), names=declared)
    if json:
        emit({"distance": found.value, "proved": found.proved})
        return
    proof = "proved" if found.proved else "not proved: the search was too large"
    value = f"more than {max_d}, or none" if found.value is None else str(found.value)
    say(f"{value} ({proof})")


@formula_app.command("reduce", context_settings=WITH_MINUS)
def _formula_reduce(
    formula: FormulaArgument,
    form: Annotated[
        str,
        typer.Option("--form", help="best_split: the shortest; zero: all on the left side, = 0."),
    ] = "best_split",
    assume: AssumeOption = None,
    strict: StrictOption = False,
    names: NamesOption = "",
    json: JsonOption = False,
) -> None:
    """Take away from a formula what cancels, so that it is shorter and means the same."""
    from codequake.formula import Form, format_assumption, reduce_formula, size_of

    node, declared = read_formula(formula, names)
    _choice(form, "--form", [one.value for one in Form])
    made = reduce_formula(
        node,
        _assumptions(assume, declared),
        strict=strict,
        form=Form(form),
        names=declared,
    )
    if not json:
        say(written(made.formula, declared))
        for assumption in made.assumptions:
            say(f"  where {format_assumption(assumption)}")
        return
    emit(
        {
            "text": written(made.formula, declared),
            "steps": [{"rule": step.rule, "text": step.text} for step in made.steps],
            "size": {"before": size_of(node), "after": size_of(made.formula)},
            "assumptions": [format_assumption(one) for one in made.assumptions],
            "certificate": None if made.equivalence is None else _certificate(made.equivalence),
        }
    )
