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
    """List the bundled problem sets and their problems, or those of one set or file."""
    from codequake.problems import set_names, whole_set
    from codequake.study.sandboxes import SandboxWhenAsked

    sets = {}
    with Terminal() as notify:
        for one in (name,) if name else set_names():
            found = whole_set(one, SandboxWhenAsked(sandbox, notify))
            sets[one] = found.problems
            for text in found.told():
                notify.say(text)
    if json:
        emit(
            [
                {"set": title, "problem_id": item.problem_id, "title": item.title}
                for title, items in sets.items()
                for item in items
            ]
        )
        return
    for title, items in sets.items():
        say(f"{title}: {len(items)} problems")
        for item in items:
            say(f"  {item.problem_id}  {item.title}")


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
    from codequake.study.sandboxes import SandboxWhenAsked

    with Terminal() as notify:
        problem = find_problem(problem_id, problems or None, SandboxWhenAsked(sandbox, notify))
    if json:
        emit(to_plain(problem))
        return
    say(f"{problem.problem_id}: {problem.title} ({problem.language}, {problem.licence})\n")
    say(problem.statement)
    visible = sum(test.visible for test in problem.tests)
    say(f"\nTests: {visible} visible, {len(problem.tests) - visible} hidden")
    for reference in problem.references:
        say(f"\nReference {reference.name} ({reference.language}):\n{reference.code.rstrip()}")


@problems_app.command("check")
def problems_check(
    name: Annotated[str, typer.Argument(help="A bundled set or a file; all bundled sets.")] = "",
    inputs: Annotated[int, typer.Option("--inputs", min=1, help="For formula prompts.")] = 10_000,
    sandbox: SandboxOption = "bwrap",
    json: JsonOption = False,
) -> None:
    """Check that references pass their tests and agree, and that wrong programs fail."""
    from codequake.study.checking import check_sets

    with Terminal() as notify:
        checked = check_sets((name,) if name else None, sandbox, notify, inputs)
    if json:
        emit(checked.as_json())
    else:
        say(checked.as_text())
    checked.raise_for_findings()
