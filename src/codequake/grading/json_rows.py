"""One JSON object to the replies in it, for each layout that has one object a task or a sample.

| layout | fields |
| --- | --- |
| codequake | ``problem_id``, ``completion``, maybe ``variant_id``, ``model``, ``sample`` |
| LiveCodeBench | ``question_id``, ``code_list`` (programs) or ``output_list`` (replies) |
| CodeT | ``prompt``, ``samples`` (continuations of it) |
| EvalPlus, HumanEval, BigCodeBench | ``task_id``, ``solution`` (program) or ``completion`` |

Where a layout has both, the program is taken: it is what that tool has graded.  Fields that
only carry the other tool's verdict are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from codequake.errors import DataError
from codequake.grading.given import Given, NamedBy, required, shown, text_of

__all__ = ["JsonLayout", "layout_of", "own_rows"]

JsonLayout = Callable[[dict[str, Any], str], Iterator[Given]]
"""(object, place) -> its rows.  Raises ``DataError`` for the first thing that is wrong."""

_OWN_TEXTS = ("problem_id", "variant_id", "model", "completion")
_OWN = ("problem_id", "variant_id", "model", "sample", "completion")


def layout_of(values: dict[str, Any]) -> JsonLayout | None:
    """Return the layout that an object is written in; ``None`` when it is none of these."""
    if "problem_id" in values:
        return own_rows
    if "question_id" in values and ("code_list" in values or "output_list" in values):
        return _livecodebench
    if "task_id" in values and ("solution" in values or "completion" in values):
        return _sample
    if "prompt" in values and "samples" in values:
        return _codet
    return None


def own_rows(values: dict[str, Any], place: str) -> Iterator[Given]:
    """Read codequake's own layout, strictly: an unknown field is a mistake."""
    unknown = sorted(set(values) - set(_OWN))
    if unknown:
        allowed = ", ".join(_OWN)
        raise DataError(f"unknown field {unknown[0]!r}; allowed: {allowed}", place=place)
    for name in ("problem_id", "completion"):
        required(values, name, place)
    texts = {name: text_of(name, values.get(name, ""), place) for name in _OWN_TEXTS}
    if not texts["problem_id"]:
        raise DataError("problem_id is empty", place=place)
    sample = values.get("sample", 0)
    if not isinstance(sample, int) or isinstance(sample, bool) or sample < 0:
        raise DataError(f"sample is {shown(sample)}; allowed: 0, 1, 2, ...", place=place)
    yield Given(
        place,
        "codequake completions",
        texts["problem_id"],
        texts["completion"],
        whole=False,
        model=texts["model"],
        variant=texts["variant_id"],
        sample=sample,
    )


def _sample(values: dict[str, Any], place: str) -> Iterator[Given]:
    task = _identity(values, "task_id", place)
    whole = "solution" in values
    name = "solution" if whole else "completion"
    if not whole:
        required(values, name, place)
    layout = "EvalPlus samples" if whole else "HumanEval samples"
    if task.startswith("BigCodeBench/"):
        layout = "BigCodeBench samples"
    yield Given(place, layout, task, text_of(name, values[name], place), whole)


def _livecodebench(values: dict[str, Any], place: str) -> Iterator[Given]:
    task = _identity(values, "question_id", place)
    whole = "code_list" in values
    name = "code_list" if whole else "output_list"
    found = required(values, name, place)
    if not isinstance(found, list):
        raise DataError(f"{name} is {shown(found)}; allowed: a list of strings", place=place)
    for number, text in enumerate(found):
        kept = text_of(f"{name}[{number}]", text, place)
        yield Given(place, "LiveCodeBench output", task, kept, whole, sample=number)


def _codet(values: dict[str, Any], place: str) -> Iterator[Given]:
    """The row's own prompt is what its samples continue: it is not always the set's."""
    prompt = text_of("prompt", required(values, "prompt", place), place)
    found = required(values, "samples", place)
    if not isinstance(found, list):
        raise DataError(f"samples is {shown(found)}; allowed: a list of strings", place=place)
    for number, text in enumerate(found):
        program = prompt + text_of(f"samples[{number}]", text, place)
        yield Given(place, "CodeT samples", prompt, program, whole=True, named_by=NamedBy.PROMPT)


def _identity(values: dict[str, Any], name: str, place: str) -> str:
    found = required(values, name, place)
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    text = text_of(name, found, place)
    if not text.strip():
        raise DataError(f"{name} is empty", place=place)
    return text
