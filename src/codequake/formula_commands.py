"""``codequake formula ...``: work with single formulas."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from codequake.command_options import JsonOption
from codequake.errors import NothingToReturnError, UsageError
from codequake.formula import (
    Equivalence,
    Names,
    Node,
    Op,
    format_contract,
    format_formula,
    parse,
    parse_latex,
    parse_names,
)
from codequake.terminal import emit, say

# The functions under the commands are the commands; nobody else calls them.
__all__ = [
    "WITH_MINUS",
    "FormulaArgument",
    "NamesOption",
    "formula_app",
    "formula_of",
    "read_formula",
    "written",
]

formula_app = typer.Typer(help="Work with single formulas.", no_args_is_help=True)

FormulaArgument = Annotated[
    str, typer.Argument(help="A formula, in plain text or LaTeX; - reads standard input.")
]
# A formula may begin with a minus.
WITH_MINUS = {"ignore_unknown_options": True}
NamesOption = Annotated[
    str,
    typer.Option(
        "--names",
        help="More names: ROLE:NAME,NAME ...; roles: coefficients, variables, functions, "
        "constants, sequences, truths, integers.",
    ),
]


def read_formula(text: str, names: str) -> tuple[Node, Names]:
    """Return the formula of an argument (``-``: standard input) and the names that it is over."""
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8-sig", errors="replace").strip()
    declared = parse_names(names)
    return formula_of(text, declared), declared


def formula_of(text: str, names: Names) -> Node:
    """Read a text: with a backslash it is LaTeX, since plain text has none."""
    return parse_latex(text, names) if "\\" in text else parse(text, names)


def written(node: Node, names: Names) -> str:
    """Write a formula as the grammar of its names has it."""
    return format_contract(node) if names.contract else format_formula(node)


def _tree(node: Node) -> dict[str, object]:
    return {"op": node.op.value, "text": node.text, "kids": [_tree(kid) for kid in node.kids]}


@formula_app.command("parse", context_settings=WITH_MINUS)
def _formula_parse(
    formula: FormulaArgument,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    names: NamesOption = "",
    json: JsonOption = False,
) -> None:
    """Read a formula and print it as this program writes it."""
    from codequake.formula import (
        Sort,
        atoms_of,
        coefficients_of,
        format_latex,
        size_of,
        sort_of,
        variables_of,
    )

    node, declared = read_formula(formula, names)
    if not json:
        say(format_latex(node) if latex else written(node, declared))
        return
    truth = sort_of(node, declared) is Sort.TRUTH
    emit(
        {
            "text": written(node, declared),
            "latex": format_latex(node),
            "kind": "contract" if declared.contract else "equation" if truth else "expression",
            "size": size_of(node),
            "depth": node.depth,
            "coefficients": list(coefficients_of(node)),
            "variables": list(variables_of(node)),
            "atoms": [
                {
                    "text": written(atom.formula, declared),
                    "sort": atom.sort.value,
                    "path": list(atom.path),
                }
                for atom in atoms_of(node, declared)
            ],
            "tree": _tree(node),
        }
    )


@formula_app.command("eval", context_settings=WITH_MINUS)
def _formula_eval(
    formula: FormulaArgument,
    at: Annotated[
        list[str] | None,
        typer.Option("--at", help="Values: a=1,b=-0.5,c=2/3; also true, false, [1,2]. Repeatable."),
    ] = None,
    names: NamesOption = "",
    json: JsonOption = False,
) -> None:
    """Compute the value of a formula at a point; of an equation the left side minus the right."""
    from codequake.formula import Sort, evaluate, exact_value, holds, parse_point, sort_of

    node, declared = read_formula(formula, names)
    point = parse_point(at or (), declared)
    truth = holds(node, point) if sort_of(node, declared) is Sort.TRUTH else None
    value = exact = None
    if not declared.contract and node.op not in (Op.RELATION, Op.CHAIN):
        value = evaluate(node, {name: float(number) for name, number in point.items()})
        exact = exact_value(node, point)
    if json:
        emit(
            {
                "text": written(node, declared),
                "value": value,
                "exact": None if exact is None else str(exact),
                "holds": truth,
            }
        )
    if value is None and truth is None:
        raise NothingToReturnError("formula has no value at this point")
    if not json:
        said = [] if value is None else [repr(value)]
        if exact is not None and str(exact) != str(value).removesuffix(".0"):
            said.append(f"(exactly {exact})")
        if truth is not None:
            said.append("holds" if truth else "does not hold")
        say(" ".join(said))


@formula_app.command("equal", context_settings=WITH_MINUS)
def _formula_equal(
    first: FormulaArgument,
    second: FormulaArgument,
    assume: Annotated[
        list[str] | None,
        typer.Option("--assume", help="What holds of the names, such as a!=0. Repeatable."),
    ] = None,
    rename: Annotated[
        list[str] | None,
        typer.Option("--rename", help="x=t: what is x in the first is t in the second."),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0, help="Time for the referee; 0: do not ask it.")
    ] = 10.0,
    names: NamesOption = "",
    json: JsonOption = False,
) -> None:
    """Say whether two formulas mean the same; the exit code is 1 unless they do."""
    from codequake.formula import Verdict, equivalent, parse_assumption

    if first == second == "-":
        raise UsageError("argument SECOND is '-'; allowed: '-' for one of the two formulas")
    one, declared = read_formula(first, names)
    two, _ = read_formula(second, names)
    answer = equivalent(
        one,
        two,
        tuple(parse_assumption(text, declared) for text in assume or ()),
        names=declared,
        renamed=_renamed(rename or []),
        referee_seconds=seconds,
    )
    if json:
        emit(_as_json(answer))
    else:
        say(_as_text(answer))
    if answer.verdict is not Verdict.EQUIVALENT:
        raise typer.Exit(1)


def _renamed(pairs: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        old, sign, new = (part.strip() for part in pair.partition("="))
        if not (old and sign and new) or old in found:
            raise UsageError(f"option --rename is {pair!r}; allowed: OLD=NEW, once for each name")
        found[old] = new
    return found


def _as_json(answer: Equivalence) -> dict[str, object]:
    """Return the answer as JSON; ``witness`` stands in it when the formulas differ."""
    found: dict[str, object] = {
        "verdict": answer.verdict.value,
        "method": answer.certificate.method,
        "assumptions": list(answer.conditions),
        "reason": answer.reason,
        "certificate": asdict(answer.certificate),
    }
    if answer.witness is not None:
        found["witness"] = {
            "point": dict(answer.witness.point),
            "meanings": dict(answer.witness.meanings),
            "detail": answer.witness.detail,
        }
    return found


def _as_text(answer: Equivalence) -> str:
    lines = [answer.verdict.value]
    if answer.conditions:
        lines[0] += f", where {' and '.join(answer.conditions)}"
    if answer.reason:
        lines.append(answer.reason)
    if answer.witness is not None:
        point = ", ".join(f"{name} = {value}" for name, value in answer.witness.point)
        lines.append(f"{answer.witness.detail}{' at ' if point else ''}{point}")
        lines += [f"with {name}(t) = {text}" for name, text in answer.witness.meanings]
    lines.append(f"by {answer.certificate.method}; {', '.join(answer.certificate.versions)}")
    return "\n".join(lines)
