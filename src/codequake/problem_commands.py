"""``codequake problems ...``: list, show and check problem sets."""

from __future__ import annotations

from typing import Annotated

import typer

from codequake.command_options import JsonOption, SandboxOption
from codequake.terminal import Terminal, emit, say

# The functions under the commands are the commands; nobody else calls them.
__all__ = ["problems_app"]

problems_app = typer.Typer(help="List, show and check problem sets.", no_args_is_help=True)


@problems_app.command("list")
def problems_list(
    name: Annotated[str, typer.Argument(help="A set or a file; all bundled sets.")] = "",
    sandbox: SandboxOption = "bwrap",
    json: JsonOption = False,
) -> None:
    """List the problems of the bundled sets, or of one set or file."""
    from codequake.problems.listing import listing_of, listing_text
    from codequake.study.sandboxes import SandboxWhenAsked

    with Terminal() as notify:
        sets = listing_of(name or None, SandboxWhenAsked(sandbox, notify), notify.say)
    if json:
        emit([row for rows in sets.values() for row in rows])
    else:
        say(listing_text(sets))


@problems_app.command("show")
def problems_show(
    problem_id: str,
    problems: Annotated[
        str, typer.Option("--problems", help="A file or FORMAT:FILE that holds it.")
    ] = "",
    sandbox: SandboxOption = "bwrap",
    json: JsonOption = False,
) -> None:
    """Show one problem of a bundled set or of a file: statement, tests, references."""
    from codequake.codec import to_plain
    from codequake.problems import find_problem
    from codequake.problems.listing import problem_text
    from codequake.study.sandboxes import SandboxWhenAsked

    with Terminal() as notify:
        problem = find_problem(problem_id, problems or None, SandboxWhenAsked(sandbox, notify))
    if json:
        emit(to_plain(problem))
        return
    say(problem_text(problem))


@problems_app.command("check")
def problems_check(
    name: Annotated[str, typer.Argument(help="A bundled set or a file; all bundled sets.")] = "",
    inputs: Annotated[int, typer.Option("--inputs", min=1, help="For formula prompts.")] = 10_000,
    mutants: Annotated[
        int, typer.Option("--mutants", min=0, help="Mutants of each reference to test.")
    ] = 0,
    workers: Annotated[
        int, typer.Option("--workers", min=0, help="Problems at once; 0: one a processor.")
    ] = 0,
    sandbox: SandboxOption = "bwrap",
    json: JsonOption = False,
) -> None:
    """Check that references pass their tests and agree, and that wrong programs fail."""
    from codequake.study.checking import check_sets

    with Terminal() as notify:
        names = (name,) if name else None
        checked = check_sets(names, sandbox, notify, inputs, workers or None, mutants)
    if json:
        emit(checked.as_json())
    else:
        say(checked.as_text())
    checked.raise_for_findings()
