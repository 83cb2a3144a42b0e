"""The mitigation: the formula of a variant is reduced before the model sees it."""

from __future__ import annotations

from collections.abc import Iterator

from codequake.canonical import canonical_json
from codequake.errors import UsageError
from codequake.formula import format_assumption, format_formula, parse, reduce_formula
from codequake.perturb.formula import PromptFormula, formula, read_formula
from codequake.perturb.layout import replace_formula
from codequake.perturb.spec import (
    Draft,
    PerturbationSpec,
    Request,
    arguments_of,
    perturbation,
    step_of,
)
from codequake.records import JsonText, Problem, Step, TaskKind

__all__ = ["reduced"]


@perturbation("reduced", task=TaskKind.KEPT, may_repeat=True)
def reduced(problem: Problem, request: Request) -> Iterator[Draft]:
    """Yield the variants of ``formula`` with the arguments in ``of``, each reduced.

    They are the very variants that ``formula`` makes with the same seed and count.  A formula
    that reduces to the clean one is written as in the clean prompt.
    """
    wanted = arguments_of(request.spec, of="the arguments of formula").get("of")
    if not isinstance(wanted, dict):
        raise UsageError(
            f"argument of of 'reduced' is {wanted!r}; allowed: an object such as {{'distance': 1}}"
        )
    spec = PerturbationSpec("formula", JsonText(canonical_json(wanted)), request.spec.count)
    bases = formula(problem, Request(spec, request.seed))
    for base in bases:
        assert problem.formula is not None
        yield _reduced(problem, request, read_formula(problem.formula), base)


def _reduced(problem: Problem, request: Request, read: PromptFormula, base: Draft) -> Draft:
    assert problem.formula is not None
    assert base.formula is not None
    made = reduce_formula(parse(base.formula, read.names), read.given, strict=True)
    same = made.formula == read.node
    text = problem.formula.text if same else format_formula(made.formula, read.spacing)
    steps = tuple(
        Step(step.rule, JsonText(canonical_json({"text": step.text}))) for step in made.steps
    )
    added = [format_assumption(one) for one in made.assumptions if one not in read.given]
    return Draft(
        replace_formula(problem, text),
        (*base.chain, step_of(request), *steps),
        text,
        base.distance,
        base.distance_proved,
        tuple(dict.fromkeys((*base.assumptions, *added))),
        base=base,
    )
