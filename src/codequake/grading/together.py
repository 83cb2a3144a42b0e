"""Main programs that are trusted, run on thousands of inputs in one process.

A process for each input costs milliseconds, which for ten thousand inputs and two references a
problem is a minute each.  The references of our own sets read one input and print one output, so
they can be called again and again with other streams.  A program that cannot (it ends the
process, or crashes) gives no answers here, and its oracle runs it in a process for each input.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from codequake.canonical import canonical_json
from codequake.errors import DataError
from codequake.grading.compare import parse_output
from codequake.ports import Answer
from codequake.records import JsonText, Language, Reference
from codequake.sandbox import Ending, Job, Limits, Mode, Run

__all__ = ["LANGUAGES", "MOST_INPUTS", "answers_in", "job_of"]

LANGUAGES = frozenset({Language.C, Language.PYTHON})
MOST_INPUTS = 2500
"""Inputs of one job, so that they need no longer limits than other programs."""

_PYTHON_ENTRY = "codequake_answers"
_PYTHON = """
def codequake_answers(source, texts):
    import io
    import sys

    code = compile(source, "main.py", "exec")
    kept = sys.stdin, sys.stdout
    answers = []
    for text in texts:
        read, written = io.BytesIO(text.encode("utf-8")), io.BytesIO()
        sys.stdin = io.TextIOWrapper(read, encoding="utf-8")
        sys.stdout = io.TextIOWrapper(written, encoding="utf-8", write_through=True)
        why = None
        try:
            exec(code, {"__name__": "__main__"})
        except SystemExit as error:
            why = f"exit status {error.code}" if error.code else None
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
        answers.append([written.getvalue().decode("utf-8", "replace"), why])
    sys.stdin, sys.stdout = kept
    return answers
"""
# The streams of glibc can be assigned.  Before each answer stands its exit status and its length.
_C_HEAD = "#define main codequake_main\n#line 1\n"
_C_TAIL = """
#undef main
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    FILE *asked = stdin, *told = stdout;
    long count = 0, length = 0;
    if (fscanf(asked, "%ld", &count) != 1) return 3;
    while (count-- > 0) {
        if (fscanf(asked, "%ld", &length) != 1 || fgetc(asked) != ' ') return 3;
        char *text = calloc(length + 1, 1), *output = NULL;
        size_t size = 0;
        if (!text || fread(text, 1, length, asked) != (size_t) length) return 3;
        FILE *in = length ? fmemopen(text, length, "r") : fopen("/dev/null", "r");
        FILE *out = open_memstream(&output, &size);
        if (!in || !out) return 3;
        stdin = in;
        stdout = out;
        int status = ((int (*)(void)) codequake_main)();
        fclose(in);
        fclose(out);
        stdin = asked;
        stdout = told;
        printf("%d %zu ", status & 255, size);
        fwrite(output, 1, size, told);
        free(output);
        free(text);
    }
    return 0;
}
"""


def job_of(reference: Reference, inputs: Sequence[JsonText], limits: Limits) -> Job:
    """Return the job that runs a main program on all inputs; its language is in ``LANGUAGES``."""
    texts = [json.loads(item) for item in inputs]
    if reference.language is Language.PYTHON:
        given = (canonical_json([reference.code, texts]),)
        return Job(Language.PYTHON, _PYTHON, Mode.CALL, _PYTHON_ENTRY, given, limits)
    blocks = "".join(f"{len(text.encode('utf-8'))} {text}" for text in texts)
    source = f"{_C_HEAD}{reference.code}{_C_TAIL}"
    return Job(
        reference.language,
        source,
        Mode.STDIN,
        None,
        (canonical_json(f"{len(texts)} {blocks}"),),
        limits,
    )


def answers_in(reference: Reference, run: Run, count: int) -> tuple[Answer, ...] | None:
    """Return the answers of such a job, ``None`` when the program could not be run like that."""
    if run.ending is not Ending.RETURNED or run.output is None:
        return None
    try:
        value = parse_output(run.output)
    except DataError:
        return None
    rows = value if reference.language is Language.PYTHON else _blocks(value)
    if rows is None or len(rows) != count:
        return None
    return tuple(
        Answer(JsonText(canonical_json(text)) if why is None else None, why) for text, why in rows
    )


def _blocks(told: str) -> list[tuple[str, str | None]] | None:
    """Split what the C program printed; ``None`` when it is not what the driver writes."""
    rest = told.encode("utf-8")
    rows: list[tuple[str, str | None]] = []
    while rest:
        status, _, rest = rest.partition(b" ")
        length, _, rest = rest.partition(b" ")
        if not (status.isdigit() and length.isdigit()) or int(length) > len(rest):
            return None
        text, rest = rest[: int(length)].decode("utf-8", "replace"), rest[int(length) :]
        rows.append((text, None if status == b"0" else f"exit status {int(status)}"))
    return rows
