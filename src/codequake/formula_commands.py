"""``codequake formula ...``: work with single formulas."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from codequake.formula import Names, Node, parse, parse_names
from codequake.terminal import emit, say

# The functions under the commands are the commands; nobody else calls them.
__all__ = ["formula_app"]

formula_app = typer.Typer(help="Work with single formulas.", no_args_is_help=True)

FormulaArgument = Annotated[str, typer.Argument(help="A formula, in plain text.")]
NamesOption = Annotated[
    str,
    typer.Option(
        "--names",
        help="More names: ROLE:NAME,NAME ...; roles: coefficients, variables, functions, "
        "constants, sequences, truths, integers.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def _read(text: str, names: str) -> tuple[Node, Names]:
    """Return the formula of an argument (``-``: standard input) and the names that it is over."""
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8-sig", errors="replace").strip()
    declared = parse_names(names)
    return parse(text, declared), declared


def _tree(node: Node) -> dict[str, object]:
    return {"op": node.op.value, "text": node.text, "kids": [_tree(kid) for kid in node.kids]}


@formula_app.command("parse")
def _formula_parse(
    formula: FormulaArgument, names: NamesOption = "", json: JsonOption = False
) -> None:
    """Read a formula and print it as this program writes it."""
    from codequake.formula import coefficients_of, format_formula, size_of, variables_of

    node, _ = _read(formula, names)
    if not json:
        say(format_formula(node))
        return
    emit(
        {
            "text": format_formula(node),
            "size": size_of(node),
            "coefficients": list(coefficients_of(node)),
            "variables": list(variables_of(node)),
            "tree": _tree(node),
        }
    )
