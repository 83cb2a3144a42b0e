"""The command line: one thin sub-command per stage; everything else happens in the packages."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from codequake import formula_space_commands  # noqa: F401 - it registers its commands
from codequake.audit_commands import audit as audit_table
from codequake.command_options import JsonOption, OutOption, SandboxOption, WorkersOption
from codequake.errors import (
    CheckFailedError,
    CodequakeError,
    NotAvailableError,
    NothingToReturnError,
    UsageError,
)
from codequake.formula.faults import FormulaError
from codequake.formula_commands import formula_app
from codequake.plain import plain_text
from codequake.problem_commands import problems_app
from codequake.study_commands import merge
from codequake.terminal import Terminal, emit, flush, say
from codequake.transfer_commands import export, import_

if TYPE_CHECKING:  # the stages are heavy; each command imports what it needs
    from codequake.study.config import Study

# The functions under the commands are the commands; nobody else calls them.
__all__ = ["app", "main"]

app = typer.Typer(
    name="codequake",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

# typer carries its own copy of click or uses the installed one, by version; this is the parent of
# all errors of use in either.
_WRONG_USE: Any = typer.BadParameter.__base__
_INTERRUPTED = 130
_GO_ON = frozenset({"demo", "run", "import"})  # commands that do what is left when given again


def _workers(count: int) -> int:
    return count or os.cpu_count() or 1


def _show_version(wanted: bool) -> None:
    if wanted:
        import codequake

        say(f"codequake {codequake.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version."),
    ] = False,
) -> None:
    """Does a code-generating model still write working code when only the words change?"""


@app.command()
def doctor(json: JsonOption = False) -> None:
    """Say what this machine can do: sandbox, compilers, model; each problem with its remedy."""
    from codequake.study.health import diagnose_machine

    findings = diagnose_machine()
    usable = all(item.ok for item in findings if item.required)
    if json:
        from codequake.codec import to_plain

        emit({"findings": [to_plain(item) for item in findings], "can_grade": usable})
    else:
        for item in findings:
            mark = "ok     " if item.ok else "MISSING" if item.required else "absent "
            say(f"{mark}  {item.name}: {item.detail}")
            if not item.ok and item.remedy:
                say(f"         {item.remedy}")
    if not usable:
        raise CheckFailedError("programs cannot be graded on this machine; see the lines above")


@app.command()
def demo(
    out: OutOption = Path("codequake-demo"),
    model: Annotated[str, typer.Option("--model", help="Another model than the bundled.")] = "",
    workers: WorkersOption = 0,
    json: JsonOption = False,
) -> None:
    """Run the main job: bundled problems, bundled model; prints where the report is."""
    from codequake.study.run import configure, refuse_more_models

    models = (model,) if model else ()
    study = configure("preset:demo", models, 0)
    refuse_more_models(study, out)
    _run_study(study, out, workers, json)


app.add_typer(problems_app, name="problems")
app.add_typer(formula_app, name="formula")
app.command()(merge)


@app.command()
def perturb(
    out: OutOption,
    study: Annotated[str, typer.Argument(help="Study file or preset:NAME.")] = "",
    problems: Annotated[str, typer.Option("--problems", help="A set, instead of a study.")] = "",
    perturbation: Annotated[
        list[str] | None, typer.Option("--perturbation", help="A name; may be repeated.")
    ] = None,
    ready_made: Annotated[
        list[str] | None, typer.Option("--ready-made", help="recode:FILE; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the variants.")] = 0,
    sandbox: SandboxOption = "bwrap",
    json: JsonOption = False,
) -> None:
    """Only make the variants of a study and check them."""
    from codequake.study.run import make_study_variants, study_of_options

    names, ready = tuple(perturbation or ()), tuple(ready_made or ())
    asked = study_of_options(study, problems, names, seed, sandbox, ready)
    with Terminal() as notify:
        made = make_study_variants(asked, out, notify)
    gated = sum(variant.gated for variant in made.variants)
    if json:
        emit({"variants": len(made.variants), "gated": gated, "skipped": len(made.skipped)})
    else:
        say(
            f"{len(made.variants)} variants, {gated} passed every check, "
            f"{len(made.skipped)} could not be made; they are in {out}"
        )


@app.command()
def run(
    study: Annotated[str, typer.Argument(help="Study file or preset:NAME.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder of the study; --dry-run needs none.")
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option("--model", help="Model name; may be repeated.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="First N problems of each set; 0 means all.")
    ] = 0,
    problems: Annotated[
        list[str] | None, typer.Option("--problems", help="A set in place of the study's own.")
    ] = None,
    prices: Annotated[
        Path | None, typer.Option("--prices", help="File with [[prices]], before the study's own.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count prompts, tokens and cost; ask nothing.")
    ] = False,
    rate: Annotated[
        float, typer.Option("--rate", min=0, help="Requests a minute, for --dry-run; 0: no time.")
    ] = 0.0,
    workers: WorkersOption = 0,
    json: JsonOption = False,
) -> None:
    """Make variants, ask, grade and report; run again, it goes on where it stopped."""
    from codequake.study.run import configure

    asked = configure(study, tuple(model or ()), limit, tuple(problems or ()), prices)
    if dry_run:
        from codequake.study.dry_run import count_study

        with Terminal() as notify:
            counts = count_study(asked, notify, rate or None)
        if json:
            emit(counts.as_json())
        else:
            say(counts.as_text())
        return
    if out is None:
        raise UsageError("--out is missing; name the folder for the study")
    _run_study(asked, out, workers, json)


def _run_study(study: Study, out: Path, workers: int, json: bool) -> None:
    from codequake.study.run import run_study

    with Terminal() as notify:
        result = run_study(study, out, workers=_workers(workers), notify=notify)
    if json:
        emit(result.as_json())
    else:
        say(result.summary)
        say(f"\nReport: {result.report}")
    result.raise_for_pending()


@app.command()
def extract(
    language: Annotated[str, typer.Option("--language", help="python, c or cpp.")] = "python",
    entry_point: Annotated[
        str, typer.Option("--entry-point", help="Name that the program must define.")
    ] = "",
) -> None:
    """Print the program that a reply on standard input contains, and nothing else."""
    from codequake.grading import extract as extract_program
    from codequake.records import Language

    if language not in set(Language):
        raise UsageError(f"--language is {language!r}; allowed: {', '.join(Language)}")
    if entry_point and not entry_point.isidentifier():
        raise UsageError(f"--entry-point is {entry_point!r}; allowed: the name of a function")
    reply = sys.stdin.buffer.read().decode("utf-8-sig", errors="replace")
    found = extract_program(reply, language=Language(language), entry_point=entry_point or None)
    if found.status is not None:
        raise NothingToReturnError(f"{found.status}: {found.message}")
    program = found.program if found.program.endswith("\n") else found.program + "\n"
    # Bytes, since the program is UTF-8 wherever the terminal's language is another.
    sys.stdout.buffer.write(program.encode("utf-8"))


@app.command()
def grade(
    source: Annotated[Path, typer.Argument(help="Completions of any tool, or a study folder.")],
    problems: Annotated[
        str, typer.Option("--problems", help="Bundled set, a file, or FORMAT:FILE.")
    ] = "",
    out: Annotated[
        Path | None, typer.Option("--out", help="Write verdicts (JSON Lines) here.")
    ] = None,
    workers: WorkersOption = 0,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, max=600, help="CPU seconds for one test.")
    ] = 5.0,
    sandbox: SandboxOption = "bwrap",
    engine: Annotated[str, typer.Option("--engine", help="local.")] = "local",
    address: Annotated[str, typer.Option("--address", help="Not in this version yet.")] = "",
    audit: Annotated[int, typer.Option("--audit", min=0, help="Passes to test again.")] = 0,
    audit_inputs: Annotated[
        int, typer.Option("--audit-inputs", min=1, help="Fresh inputs for each audited pass.")
    ] = 10_000,
    json: JsonOption = False,
) -> None:
    """Grade completions, or grade a study again without a model and show what changed."""
    from codequake.study.auditing import AuditPlan
    from codequake.study.config import GraderSettings
    from codequake.study.regrade import grade_source

    if engine != "local" or address:
        raise NotAvailableError("--engine has only local in this version, which has no --address")
    settings = GraderSettings(timeout=timeout, sandbox=sandbox)
    plan = AuditPlan(audit, audit_inputs) if audit else None
    with Terminal() as notify:
        result = grade_source(source, problems, out, _workers(workers), settings, notify, plan)
    if json:
        emit(result.as_json())
    else:
        say(result.as_text())
    result.raise_for_problems()


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(help="Folder of a study.")],
    format: Annotated[str, typer.Option("--format", help="html, md, csv, json.")] = "html,md",
    json: JsonOption = False,
) -> None:
    """Write the report of a study again from its files."""
    from codequake.study.reporting import report_study

    formats = tuple(item.strip() for item in format.split(",") if item.strip())
    paths = report_study(folder, formats)
    if json:
        emit([str(path) for path in paths])
    else:
        say("\n".join(str(path) for path in paths))


app.command("audit")(audit_table)
app.command("export")(export)
app.command("import")(import_)


def _later(name: str, what: str) -> None:
    """Register a command of the contract that this version does not have."""

    def command(context: typer.Context) -> None:
        raise NotAvailableError(f"codequake {name} ({what}) is not in this version yet")

    command.__doc__ = f"Not in this version yet: {what}."
    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(name, context_settings=settings)(command)


for _name, _what in (
    ("compare", "compare two studies, problem by problem"),
    ("attack", "search for the change that hurts most"),
    ("reduce", "reduce the formulas of a prompt"),
):
    _later(_name, _what)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def main() -> NoReturn:
    """Run the command line; every ending is a documented exit code, never a traceback."""
    # A terminated run must stop as cleanly as an interrupted one.
    signal.signal(signal.SIGTERM, _stop)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - it stays open to the end
    if sys.stdout is None:
        _fail("standard output is closed; allowed: a terminal, a file or a pipe", 1)
    try:
        # It hands 130 back when it was interrupted, and what a command asked to exit with.
        code = app(standalone_mode=False)
        flush()
        for late in (signal.SIGINT, signal.SIGTERM):
            signal.signal(late, signal.SIG_IGN)  # all is done, and a signal must not undo that
    except CodequakeError as error:
        # The lines of this one are a text and a caret below it.
        _fail(str(error), error.exit_code, keep="\n" if isinstance(error, FormulaError) else "")
    except _WRONG_USE as error:
        _refuse(error)
    except (KeyboardInterrupt, typer.Abort):
        code = _INTERRUPTED
    if code == _INTERRUPTED:
        goes_on = next(iter(sys.argv[1:]), "") in _GO_ON
        more = "; the study goes on where it stopped when it is run again" if goes_on else ""
        _fail(f"interrupted{more}", code)
    sys.exit(code if isinstance(code, int) else 0)


def _refuse(error: Any) -> NoReturn:
    """Say in one sentence what is wrong with the command line, and where its help is."""
    if "NoArgsIsHelp" in type(error).__name__:
        sys.stderr.write(error.format_message() + "\n")
        sys.exit(2)
    message = error.format_message().rstrip(".")
    value = _value_of(error)
    if value is not None and repr(value) not in message:
        message += f", not {value[:60]!r}"
    path = error.ctx.command_path.removeprefix("python -m ") if error.ctx else "codequake"
    _fail(f"{message[:1].lower()}{message[1:]}; see `{path} --help`", 2)


def _value_of(error: Any) -> str | None:
    """Return what stands behind the option that an error is about, if it is about one."""
    names = getattr(getattr(error, "param", None), "opts", ())
    for place, word in enumerate(sys.argv):
        name, sign, value = word.partition("=")
        if name in names and name.startswith("-"):
            return value if sign else next(iter(sys.argv[place + 1 :]), None)
    return None


def _fail(message: str, code: int, *, keep: str = "") -> NoReturn:
    sys.stderr.write(f"codequake: {plain_text(message, keep=keep)}\n")
    sys.exit(code)
