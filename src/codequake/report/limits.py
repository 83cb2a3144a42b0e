"""What a study can and cannot say, in sentences worked out from its own rows."""

from __future__ import annotations

from collections import Counter

from codequake.metrics import count_shared_replies, hidden_tests
from codequake.perturb import NO_OP
from codequake.records import Status
from codequake.report.tables import StudyTables
from codequake.report.views import ModelView

__all__ = ["limits_of"]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def limits_of(tables: StudyTables, views: tuple[ModelView, ...]) -> tuple[str, ...]:
    """Return one sentence or two for each thing that a reader must know before the numbers."""
    found = [*_pending(tables), *_size(tables, views), *_models(tables, views), *_tests(tables)]
    found += _variants(tables)
    found += [f"Of the sets: {text}" for text in tables.notes]
    found.append(
        "The intervals speak of problems like these, asked in this style with this decoding. They "
        "say nothing of other models, languages or ways to ask."
    )
    return tuple(found)


def _pending(tables: StudyTables) -> list[str]:
    done = {
        (item.model, item.variant_id, item.sample)
        for item in tables.verdicts
        if item.status not in (Status.PROVIDER_ERROR, Status.HARNESS_ERROR)
    }
    total = len(tables.planned)
    pending = sum((item.model, item.variant_id, item.sample) not in done for item in tables.planned)
    if not pending:
        return [f"All {total} planned replies came back and were graded."]
    text = (
        f"{pending} of {total} planned replies are pending (no reply or no verdict yet, an error "
        "of the provider, or an error of the harness). They count neither for nor against a "
        "model: numbers stand as they are so far, with what they may still become."
    )
    return [text]


def _size(tables: StudyTables, views: tuple[ModelView, ...]) -> list[str]:
    by_set = Counter(problem.problem_id.split("/", 1)[0] for problem in tables.problems)
    sets = ", ".join(f"{count} in {name}" for name, count in sorted(by_set.items()))
    samples = Counter((item.model, item.variant_id) for item in tables.planned)
    sizes = sorted(set(samples.values()))
    replies = "no reply" if not sizes else _count(sizes[0], "reply").replace("replys", "replies")
    if len(sizes) > 1:
        replies = f"{sizes[0]} to {sizes[-1]} replies"
    text = (
        f"{_count(len(tables.problems), 'problem')} ({sets}), {replies} a prompt. The problem is "
        "the unit."
    )
    values = [
        row.smallest.value
        for view in views
        for row in view.changed()
        if row.smallest is not None and row.smallest.value is not None
    ]
    if values:
        smallest, largest = 100 * min(values), 100 * max(values)
        size = f"{smallest:.0f}" if smallest == largest else f"{smallest:.0f} to {largest:.0f}"
        text += (
            f" A true change of less than {size} points (by row) would be found with a chance "
            'below 80 %, so "no difference shown" does not mean that there is none.'
        )
    return [text]


def _models(tables: StudyTables, views: tuple[ModelView, ...]) -> list[str]:
    found = []
    floors = {view.name: view.floor for view in views}
    for model in sorted(tables.models, key=lambda item: item.name):
        if model.demonstration:
            found.append(
                f"{model.name} is a demonstration of the instrument: small or simulated, and no "
                "measure of what code models can do today."
            )
        floor = floors.get(model.name)
        if floor is not None and model.deterministic and floor.method != "by construction":
            # The replies contradict the claim; the estimate says how many of them do.
            found.append(f"{model.name}: {floor.note}")
        elif model.deterministic:
            found.append(
                f"{model.name} was asked with deterministic decoding: the same prompt gives the "
                "same reply, so the noise floor is 0 by construction and nothing is claimed from "
                "it. Any change of words, even a harmless one, can move single outcomes."
            )
    return found


def _tests(tables: StudyTables) -> list[str]:
    judges = (*tables.problems, *tables.oracles)
    hidden = hidden_tests(tables.variants, judges)
    total = sum(len(problem.tests) for problem in judges if problem.problem_id in hidden)
    unseen = sum(len(found) for found in hidden.values())
    text = (
        f"Figures rest on hidden tests, {unseen} of {total}: their input stands in no prompt of "
        "their problem. Passing all tests, and passing the visible ones alone, is shown in columns "
        "of their own."
    )
    bare = sum(not found for found in hidden.values())
    if bare:
        text += (
            f" {_count(bare, 'problem')} without hidden tests cannot tell copying from solving, "
            "and stand in no headline figure."
        )
    return [text]


def _variants(tables: StudyTables) -> list[str]:
    found = []
    rejected = sum(not variant.gated for variant in tables.variants)
    if rejected:
        found.append(
            f"{rejected} of {len(tables.variants)} variants failed a preservation check. They are "
            "reported apart and stand in no headline figure."
        )
    unchanged = sum(item.reason.startswith(NO_OP) for item in tables.skipped)
    if tables.skipped:
        text = f"{_count(len(tables.skipped), 'variant')} could not be made"
        if unchanged:
            text += f", {unchanged} of them because they change nothing ({NO_OP})"
        found.append(f"{text}; the reasons are listed at the end.")
    shared = count_shared_replies(tables.completions)
    if shared:
        found.append(
            f"{shared} of {len(tables.completions)} replies are shared: the prompts were equal to "
            "the letter (a reduced formula that is the original again), so they cannot differ."
        )
    return found
