"""Write the reference pages from the code: ``python docs/generate.py`` (``--check`` compares)."""

from __future__ import annotations

import argparse
import inspect
import sys
from pathlib import Path
from typing import Any

import typer
import typer.main

from codequake import records, statements
from codequake.cli import app
from codequake.codec import field_types
from codequake.formula import (
    EXPRESSION_TYPES,
    REDUCTIONS,
    RULES,
    Keeps,
    Rule,
    Scope,
    Source,
    format_formula,
)
from codequake.models import Part, Stage, StageMessage
from codequake.perturb import Skipped
from codequake.problems.errata import ERRATA
from codequake.problems.json_schema import SCHEMA_FILE, problem_schema
from codequake.records import SCHEMA_VERSION
from codequake.store import arrow_schema
from codequake.study.staged import Chain

REFERENCE = Path(__file__).parent / "reference"

# File of a study folder -> the record type of its rows.
FILES: dict[str, type] = {
    "problems.parquet": records.Problem,
    "variants.parquet": records.Variant,
    "skipped.jsonl": Skipped,
    "plan.parquet": records.Planned,
    "chains.parquet": Chain,
    "verdicts.parquet": records.Verdict,
    "estimates.parquet": records.Estimate,
    "measurements.parquet": records.Measurement,
}
# Rows of completions/*.jsonl: {"row": {"version", "request", "reply", "measurement"}, "sum"}.
JOURNAL: dict[str, type] = {
    "request": records.Request,
    "reply": records.Reply,
    "measurement": records.Measurement,
}
PARTS = (
    statements.Statement,
    statements.Section,
    statements.Sentence,
    statements.Span,
    statements.Domain,
    statements.Pair,
    records.Test,
    records.Reference,
    records.Comparison,
    records.FormulaSlot,
    records.Symbol,
    records.Step,
    records.Check,
    records.Message,
    Stage,
    StageMessage,
    Part,
    records.TestOutcome,
    records.Failure,
    records.LeftOut,
)
ENUMS = (
    records.Status,
    records.TestStatus,
    records.StopReason,
    records.Language,
    records.Interface,
    records.Difficulty,
    records.TaskKind,
    records.FormulaKind,
    records.PromptClass,
    records.OutputOrder,
    statements.SectionKind,
    statements.SpanKind,
    statements.SlotKind,
)


_MODULES = (
    "codequake.records.",
    "codequake.tasks.",
    "codequake.statements.",
    "codequake.models.stages.",
)


def type_name(hint: Any) -> str:
    """The name of a field's type as a reader knows it."""
    text = getattr(hint, "__name__", str(hint)) if isinstance(hint, type) else str(hint)
    for module in _MODULES:
        text = text.replace(module, "")
    text = text.replace("tuple[", "list of ").replace(", ...]", "").replace(" | None", "")
    return {"str": "text", "int": "integer", "float": "number", "bool": "true or false"}.get(
        text, text
    )


def table_of(record_type: type) -> list[str]:
    """One record type: what it is, and a row for each column."""
    lines = [inspect.cleandoc(record_type.__doc__ or ""), ""]
    lines += ["| column | type | may be null |", "| --- | --- | --- |"]
    for name, hint in field_types(record_type).items():
        nullable = arrow_schema(record_type).field(name).nullable
        lines.append(f"| `{name}` | {type_name(hint)} | {'yes' if nullable else 'no'} |")
    return [*lines, ""]


def records_page() -> str:
    """Every file of a study folder with its columns, types and null rules."""
    lines = [
        "# Files and records",
        "",
        f"Schema version {SCHEMA_VERSION}. This page is generated from the code"
        " (`python docs/generate.py`) and checked by a test.",
        "",
        "A list is never null; it is empty. `JsonText` is the canonical JSON text of one value."
        " Parquet files carry `codequake.record` and `codequake.schema_version` in their metadata.",
        "",
        "| file | rows |",
        "| --- | --- |",
        "| `study.json` | the settings of the study, one canonical JSON value |",
        "| `stages.json` | the content key of what each stage was made from |",
        "| `notes.json` | a list of sentences: what sets left out, repaired or have in doubt |",
    ]
    lines += [f"| `{name}` | {kind.__name__} |" for name, kind in FILES.items()]
    lines += [
        "| `completions/<writer>-<n>.jsonl` | the journal: one reply a row, with its checksum |",
        "| `report/` | the report in the formats that were asked for |",
        "",
    ]
    for name, kind in FILES.items():
        lines += [f"## {name}: {kind.__name__}", "", *table_of(kind)]
    lines += ["## completions: rows of the journal", ""]
    lines += [
        'A row is `{"row": {"version", "request", "reply", "measurement"}, "sum"}`; `sum` is the'
        " first 16 hex digits of SHA-256 over the canonical JSON of `row`.",
        "",
    ]
    for name, kind in JOURNAL.items():
        lines += [f"### {name}: {kind.__name__}", "", *table_of(kind)]
    lines += ["### Completion (a reply joined to its variant; not stored)", ""]
    lines += table_of(records.Completion)
    lines += ["## Parts of records", ""]
    for kind in PARTS:
        lines += [f"### {kind.__name__}", "", *table_of(kind)]
    lines += ["## Closed sets of values", ""]
    for kind in ENUMS:
        lines += [f"### {kind.__name__}", "", inspect.cleandoc(kind.__doc__ or ""), ""]
        lines += [f"- `{member.value}`" for member in kind] + [""]
    return "\n".join(lines).rstrip() + "\n"


def command_page() -> str:
    """The help of every command, as the program prints it."""
    lines = [
        "# Command line",
        "",
        "This page is generated from the program's own help and checked by a test.",
        "",
        "Exit codes: 0 done, 1 a check failed or the machine lacks something, 2 wrong use,"
        " 3 nothing to return, 130 interrupted.",
        "",
    ]
    root = typer.main.get_command(app)
    pending: list[tuple[str, Any]] = [("codequake", root)]
    while pending:
        name, command = pending.pop(0)
        context = typer.Context(command, info_name=name, terminal_width=88, max_content_width=88)
        lines += [f"## {name}", "", "```text", command.get_help(context).rstrip(), "```", ""]
        subcommands = getattr(command, "commands", {})
        pending = [(f"{name} {key}", item) for key, item in subcommands.items()] + pending
    return "\n".join(lines).rstrip() + "\n"


_SOURCES = {
    Source.PRINTED: "printed, Table 1",
    Source.NAMED: "named, section 4",
    Source.PROPOSED: "proposal",
}


def _where(rule: Rule) -> str:
    return {
        Scope.ANYWHERE: "every expression",
        Scope.EXPRESSION: "every expression of a formula without `=`",
        Scope.EQUATION: "the two sides of an equation",
        Scope.NAMES: "one variable, everywhere",
    }[rule.scope]


def _kept(rule: Rule) -> str:
    kept = "the solution set" if rule.keeps is Keeps.SOLUTIONS else "the value"
    return f"{kept}, where `I` is not 0" if rule.nonzero else kept


def _condition(rule: Rule) -> str:
    said = []
    if rule.distinct:
        said.append("`E` and `F` differ")
    if rule.not_zero:
        said.append("`F` is not the literal 0")
    if rule.flips:
        said.append("turns an inequality round")
    if rule.scope is Scope.NAMES:
        said.append("the new name stands neither in the formula nor in the prompt")
    return "; ".join(said)


def rules_page() -> str:
    """The catalogue of mutations and reductions, row by row."""
    lines = [
        "# Rules of formulas",
        "",
        "This page is generated from the tables of the engine and checked by a test;"
        " [what they are for and where they come from](../formula-mutations.md) is said elsewhere.",
        "",
        "`E`, `F`, `G` are any expressions, `I` a number but 0 or a coefficient.",
        "",
        "## Mutations",
        "",
        "| type | rule | turns | into | at | keeps | condition | expressions | integers | source |",
        "| --- " * 10 + "|",
    ]
    for rule in RULES:
        sides = [format_formula(side) for side in (rule.before, rule.after)]
        if rule.scope is Scope.NAMES:
            sides = ["a name", "another name"]
        cells = [
            rule.type,
            f"`{rule.id}`",
            *(f"`{side}`" for side in sides),
            _where(rule),
            _kept(rule),
            _condition(rule),
            "yes" if rule.type in EXPRESSION_TYPES else "no",
            "yes" if rule.integers and rule.scope is not Scope.EXPRESSION else "no",
            _SOURCES[rule.source],
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "## Reductions", ""]
    lines += ["| rule | equations | expressions | shown on | source |", "| --- " * 5 + "|"]
    for row in REDUCTIONS:
        source = "paper, Tables 2 and 3" if row.printed else "proposal"
        cells = [f"`{row.id}`", row.equations, row.expressions, f"`{row.sides}`", source]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def defects_page() -> str:
    """What is known to be wrong with problems of LiveCodeBench."""
    lines = [
        "# Known defects of LiveCodeBench",
        "",
        "This page is generated from the list in the program and checked by a test;"
        " [what is done about them](../problem-sets.md#known-defects-of-livecodebench) is said"
        " elsewhere.",
        "",
        "| problem | what is wrong | what is done | reported by |",
        "| --- | --- | --- | --- |",
    ]
    for item in ERRATA:
        done = "left out" if item.leaves_out else "repaired"
        lines.append(f"| `{item.name}` | {item.defect.value} | {done} | {item.source} |")
    return "\n".join(lines) + "\n"


ROOT = Path(__file__).parents[1]
PAGES = {
    REFERENCE / "known-defects.md": defects_page,
    REFERENCE / "records.md": records_page,
    REFERENCE / "command-line.md": command_page,
    REFERENCE / "formula-rules.md": rules_page,
    ROOT / "src/codequake/problems" / SCHEMA_FILE: problem_schema,
}


def main() -> int:
    """Write the pages, or say which of them are out of date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, write nothing, exit 1")
    check = parser.parse_args().check
    stale = []
    for path, page in PAGES.items():
        text = page()
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(path.relative_to(ROOT))
            if not check:
                path.write_text(text, "utf-8")
    for name in stale:
        sys.stdout.write(f"{'out of date' if check else 'written'}: {name}\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
