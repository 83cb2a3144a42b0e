"""Styles of several calls: what is asked, and that no call is lost or asked twice."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.models.chat_server import ChatServer
from tests.models.test_inspect_tasks import evaluated
from tests.models.worlds import problem, variant
from tests.running import command_environment
from tests.study.small_study import SMALL, journal_keys, results, run_small, small_study

from codequake.errors import DataError, InternalError, UsageError
from codequake.journal import Entry, Journal, Replies, read_journal
from codequake.keys import new_request
from codequake.models import (
    Part,
    Stage,
    StageMessage,
    StageTemplate,
    Template,
    check_template,
    fill_stage,
    render_stages,
)
from codequake.problems import load_set
from codequake.records import Completion, JsonText, Measurement, Message, Planned, Reply, StopReason
from codequake.store import read_parquet
from codequake.study.config import Budget, parse_study
from codequake.study.dry_run import count_study
from codequake.study.exporting import export_study
from codequake.study.folder import StudyFolder
from codequake.study.importing import import_logs
from codequake.study.merging import merge_studies
from codequake.study.plan import completions_of
from codequake.study.progress import Silent
from codequake.study.regrade import regrade_study
from codequake.study.staged import Chain, calls_of, new_chain, next_call, read_chains, with_chains

pytest.importorskip("inspect_ai")
pytestmark = pytest.mark.xdist_group("pipeline")

MODEL = "openai-api/mine/coder"
QUESTION, FACTS = "Say what the core question", "List the information"
PLANNED = 2 * 3  # problems, and clean, repeat and storytelling of each


class Reader:
    """Answers the three calls of ``dup``, each in its own way, and counts them."""

    def __init__(self) -> None:
        self._problems = load_set("starter-12")
        self.broken = False
        self.calls: Counter[str] = Counter()

    def __call__(self, body: dict[str, Any]) -> str:
        system, user = (body["messages"][place]["content"] for place in (0, -1))
        for name, words in (("question", QUESTION), ("facts", FACTS)):
            if words in system:
                self.calls[name] += 1
                return f"<{name} of {len(user)} characters>\n"
        self.calls["code"] += 1
        known = (item for item in self._problems if f"{item.entry_point}(" in user)
        found = next(known, self._problems[0])
        return f"```python\n{found.references[0].code}\n```\n"


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def server(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    if importlib.util.find_spec("openai") is None:
        assert os.environ.get("CI") != "true", "install the group `tests`: openai is missing"
        pytest.skip("the client of OpenAI's interface (openai) is not installed")
    with ChatServer(reader) as running:
        monkeypatch.setenv("MINE_BASE_URL", running.url)
        monkeypatch.setenv("MINE_API_KEY", "none")
        yield running


ASKED: dict[str, Any] = {"models": (MODEL,), "style": "dup"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study that nothing stopped; no test changes it."""
    out = tmp_path_factory.mktemp("staged") / "whole"
    with pytest.MonkeyPatch.context() as patch, ChatServer(Reader()) as running:
        patch.setenv("MINE_BASE_URL", running.url)
        patch.setenv("MINE_API_KEY", "none")
        assert run_small(out, **ASKED).pending == 0
    return out


def completions(folder: Path) -> tuple[Completion, ...]:
    planned = read_parquet(folder / "plan.parquet", Planned)
    study = StudyFolder(folder)
    known = with_chains(read_journal(study.completions), read_chains(study).values())
    return completions_of(planned, known)


# The messages.


def test_dup_is_three_calls_with_the_task_in_each() -> None:
    item = problem()
    asked = variant(item, text="the task {reply_1}")
    first, second, third = render_stages(item, asked, "dup")
    replies = ["the question", "the facts"]
    system, user = fill_stage(first, ())
    assert (system.role, user) == ("system", Message("user", "the task {reply_1}"))
    assert QUESTION in system.content
    assert "```" not in system.content
    system, user = fill_stage(second, replies)
    assert FACTS in system.content
    assert user.content == "the task {reply_1}\n\nCore question:\nthe question"
    system, user = fill_stage(third, replies)
    assert "one code block that starts with ```python" in system.content
    assert user.content == (
        "the task {reply_1}\n\nCore question:\nthe question\n\nInformation needed:\nthe facts"
    )
    with pytest.raises(InternalError, match="names reply 2, and there are 1"):
        fill_stage(third, replies[:1])


def test_a_template_of_several_calls() -> None:
    item = problem()
    asked = variant(item, text="do {reply_1} {prompt}")
    template = Template(
        "mine",
        stages=(
            StageTemplate("Plan: {prompt}"),
            StageTemplate("{prompt}|{reply_1}|{entry_point}", system="{language} {reply_1}"),
        ),
    )
    check_template(template)
    first, second = render_stages(item, asked, "mine", (template,))
    assert fill_stage(first, ()) == (Message("user", "Plan: do {reply_1} {prompt}"),)
    assert fill_stage(second, ["{prompt} of mine"]) == (
        Message("system", "Python {prompt} of mine"),
        Message("user", "do {reply_1} {prompt}|{prompt} of mine|double"),
    )


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (Template("t", stages=(StageTemplate(),)), "stages of template 't' are 1; allowed: 2 to 9"),
        (
            Template("t", system="s", stages=(StageTemplate(), StageTemplate())),
            "stand beside user or system",
        ),
        (
            Template("t", "{prompt}{reply_1}"),
            r"user of template 't' holds \{reply_1\}; allowed: no",
        ),
        (
            Template("t", stages=(StageTemplate(), StageTemplate("{prompt}{reply_2}"))),
            r"stages\[1\].user of template 't' holds \{reply_2\}; allowed: replies to the stages b",
        ),
        (
            Template("t", stages=(StageTemplate(), StageTemplate("{reply_1}"))),
            r"stages\[1\].user of template 't' holds \{prompt\} 0 times",
        ),
    ],
)
def test_a_template_that_cannot_be_asked(template: Template, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_template(template)


def test_a_wrong_stage_is_told_with_its_line() -> None:
    text = SMALL + (
        '[[templates]]\nname = "two"\n[[templates.stages]]\n'
        '[[templates.stages]]\nuser = "{prompt} {reply_2}"\n'
    )
    with pytest.raises(DataError, match=r"mine\.toml:15: stages\[1\]\.user of template 'two'"):
        parse_study(text, place="mine.toml")


# Chains.


def chain_of(count: int) -> Chain:
    """Each stage asks with the reply to the one before it."""
    stages = [
        Stage((StageMessage("user", (Part(f"stage {number} "), Part("", number - 1))),))
        if number > 1
        else Stage((StageMessage("user", (Part("stage 1"),)),))
        for number in range(1, count + 1)
    ]
    return new_chain("some/model", "", stages, JsonText("{}"), 0)


def answered(folder: Path, *texts: tuple[str, str, StopReason]) -> Replies:
    """A journal with a reply to each (question, answer, stop reason)."""
    with Journal(folder) as journal:
        for asked, text, stop in texts:
            request = new_request("some/model", "", [Message("user", asked)], JsonText("{}"), 0)
            error = "down" if stop is StopReason.ERROR else None
            reply = Reply(request.key, text, None, "some/model", stop, 1, 1, error)
            measured = Measurement("completion", request.key, 0.0, None, None, "h", "2026-01-01")
            journal.append(Entry(request, reply, measured))
    return read_journal(folder)


def test_a_chain_is_followed_to_where_its_replies_end(tmp_path: Path) -> None:
    chain = chain_of(3)
    known = read_journal(tmp_path / "none")
    assert [call.messages[0].content for call in calls_of(chain, known)] == ["stage 1"]
    assert chain.key not in with_chains(known, [chain])
    known = answered(tmp_path / "a", ("stage 1", " one ", StopReason.LENGTH))
    following = next_call(chain, known)
    assert following is not None
    assert following.messages[0].content == "stage 2 one", "what was cut off is put in as it came"
    assert chain.key not in with_chains(known, [chain])
    known = answered(
        tmp_path / "b",
        ("stage 1", "one", StopReason.STOP),
        ("stage 2 one", "two", StopReason.STOP),
        ("stage 3 two", "three", StopReason.STOP),
    )
    assert next_call(chain, known) is None
    whole = with_chains(known, [chain])
    assert whole[chain.key].reply.text == "three"
    assert (len(whole), len(list(whole))) == (3, 3), "a chain is no row of its own"


def test_a_failed_call_is_the_reason_of_its_chain(tmp_path: Path) -> None:
    chain = chain_of(2)
    known = answered(
        tmp_path, ("stage 1", "one", StopReason.STOP), ("stage 2 one", "", StopReason.ERROR)
    )
    whole = with_chains(known, [chain])
    assert whole.failed(chain.key)
    assert whole[chain.key].reply.error == "down"
    following = next_call(chain, known)
    assert following is not None, "it is asked again"
    assert following.messages[0].content == "stage 2 one"


def test_chains_that_begin_alike_share_their_calls() -> None:
    assert chain_of(2).key != chain_of(3).key
    known = read_journal(Path("nowhere"))
    assert calls_of(chain_of(2), known) == calls_of(chain_of(3), known)


# Studies.


def test_every_call_is_journaled_and_the_last_one_is_graded(
    server: ChatServer, reader: Reader, tmp_path: Path
) -> None:
    done = run_small(tmp_path / "out", **ASKED)
    assert (done.planned, done.pending, done.asked) == (PLANNED, 0, 3 * PLANNED)
    assert reader.calls == {"question": PLANNED, "facts": PLANNED, "code": PLANNED}
    keys = journal_keys(tmp_path / "out")
    assert len(keys) == len(set(keys)) == 3 * PLANNED
    entries = read_journal(tmp_path / "out" / "completions")
    sent = Counter(
        tuple((part["role"], part["content"]) for part in body["messages"])
        for body in server.bodies
    )
    journaled = Counter(
        tuple((part.role, part.content) for part in entry.request.messages)
        for entry in entries.values()
    )
    assert sent == journaled, "what is journaled is what was sent"
    last = [entry for entry in entries.values() if "Information needed:" in str(entry.request)]
    assert len(last) == PLANNED
    for entry in last:
        user = entry.request.messages[-1].content
        assert "<question of" in user
        assert "<facts of" in user
    found = completions(tmp_path / "out")
    assert len(found) == PLANNED
    assert all(item.text.startswith("```python") for item in found)
    before = results(tmp_path / "out")
    again = run_small(tmp_path / "out", **ASKED)
    assert (again.asked, again.reused) == (0, 3 * PLANNED)
    assert results(tmp_path / "out") == before
    graded = regrade_study(tmp_path / "out", workers=2, notify=Silent())
    assert (len(graded.verdicts), graded.changed) == (PLANNED, ())


@pytest.mark.parametrize("limit", [PLANNED + 2, 3 * PLANNED - 1])
def test_a_budget_ends_it_between_its_calls(
    server: ChatServer, reader: Reader, whole: Path, tmp_path: Path, limit: int
) -> None:
    part = run_small(tmp_path / "out", **ASKED, budget=Budget(requests=limit))
    assert part.asked == reader.calls.total() == limit
    assert part.pending == PLANNED - max(0, limit - 2 * PLANNED)
    done = run_small(tmp_path / "out", **ASKED)
    assert (done.asked, done.reused, done.pending) == (3 * PLANNED - limit, limit, 0)
    assert results(tmp_path / "out") == results(whole)


def test_killed_between_its_calls(
    server: ChatServer, reader: Reader, whole: Path, tmp_path: Path
) -> None:
    """A kill -9 while second calls are open: nothing that was journaled is asked again."""
    text = SMALL.replace('"codequake/sim"', f'"{MODEL}"').replace(
        "seed = 5", 'seed = 5\nstyle = "dup"'
    )
    (tmp_path / "small.toml").write_text(text)
    reader.calls.clear()
    server.delay = 0.1
    command = [sys.executable, "-m", "codequake", "run", "small.toml", "--out", "killed"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=command_environment(), stderr=subprocess.DEVNULL
    )
    while process.poll() is None and reader.calls["facts"] < 2:
        time.sleep(0.001)
    assert process.poll() is None
    process.kill()
    process.wait()
    server.settle()
    kept = set(journal_keys_of_whole_rows(tmp_path / "killed"))
    assert PLANNED <= len(kept) < 3 * PLANNED
    reader.calls.clear()
    server.delay = 0.0
    done = run_small(tmp_path / "killed", **ASKED, name="small", title="small")
    assert done.asked == reader.calls.total() == 3 * PLANNED - len(kept)
    keys = journal_keys_of_whole_rows(tmp_path / "killed")
    assert len(keys) == len(set(keys)) == 3 * PLANNED
    assert results(tmp_path / "killed") == results(whole)


def journal_keys_of_whole_rows(folder: Path) -> list[str]:
    """A segment may end in a torn row when its writer was killed."""
    return list(read_journal(folder / "completions"))


def test_a_call_that_fails_leaves_its_completion_pending(
    server: ChatServer, tmp_path: Path
) -> None:
    """The reason is that of the call, and the next run goes on from it."""
    model = parse_study(
        SMALL.replace(
            '["codequake/sim"]',
            '[{ name = "one", model = "openai-api/mine/broken-at-first", max_retries = 0 }]',
        ),
        place="x",
    )
    asked = {"models": model.models, "model_settings": model.model_settings, "style": "dup"}
    first = run_small(tmp_path / "out", **asked)
    assert first.pending == PLANNED
    assert "engine died" in first.waits_for
    done = run_small(tmp_path / "out", **asked)
    while done.pending:  # each call fails the first time that it is asked
        before = done.asked
        done = run_small(tmp_path / "out", **asked)
        assert before > 0
    assert len(completions(tmp_path / "out")) == PLANNED


def test_it_merges_exports_and_imports(server: ChatServer, whole: Path, tmp_path: Path) -> None:
    run_small(tmp_path / "part", **ASKED, budget=Budget(requests=PLANNED + 3))
    merged = merge_studies(
        tmp_path / "part", whole, tmp_path / "merged", workers=2, notify=Silent()
    )
    assert (merged.run.pending, merged.replies) == (0, 3 * PLANNED)
    assert merged.shared == PLANNED + 3
    assert results(tmp_path / "merged") == results(whole)
    logs = export_study(whole, "inspect", tmp_path / "logs", Silent()).files
    imported = import_logs(logs, tmp_path / "in", workers=2, notify=Silent())
    imported.raise_for_problems()
    assert imported.taken == 3 * PLANNED
    assert results(tmp_path / "in") == results(whole)
    assert (tmp_path / "in" / "chains.parquet").read_bytes() == (
        whole / "chains.parquet"
    ).read_bytes()
    # A study that stopped in the middle goes out and comes in as far as it got.
    shutil.rmtree(tmp_path / "logs")
    logs = export_study(tmp_path / "part", "inspect", tmp_path / "logs", Silent()).files
    half = import_logs(logs, tmp_path / "half", workers=2, notify=Silent())
    assert half.run.pending == PLANNED
    assert half.taken == PLANNED + 3
    assert run_small(tmp_path / "half", **ASKED).pending == 0


def test_the_ceiling_counts_every_call_and_the_replies_in_it() -> None:
    text = SMALL.replace('"codequake/sim"', '"some/model"') + (
        '[decoding]\nmax_tokens = 50\n[[prices]]\nmodel = "some/model"\ninput = 3.0\noutput = 5.0\n'
    )
    study = small_study(text, style="dup", limit=1)
    (count,) = count_study(study, Silent()).models
    # 3 prompts (clean, repeat, a story), each asked in 3 calls that write at most 50 tokens.
    assert (count.completions, count.requests, count.output_tokens_at_most) == (3, 9, 450)
    (item,) = load_set("starter-12")[:1]
    characters = 0
    for stages in (render_stages(item, variant(item, text=""), "dup"),) * 3:
        for stage in stages:
            characters += sum(
                len(part.text) for message in stage.messages for part in message.parts
            )
    plain = small_study(text, style="plain", limit=1)
    (once,) = count_study(plain, Silent()).models
    system = len(render_stages(item, variant(item, text=""), "plain")[0].messages[0].parts[0].text)
    # The texts of the variants themselves, from what the plain style reads of them.
    texts = 3 * once.input_tokens - 3 * system
    # In each chain one reply stands in the second call and two in the third.
    assert count.input_tokens == pytest.approx((characters + 3 * texts) / 3 + 3 * 3 * 50, abs=3)
    assert count.cost_at_most == pytest.approx((3 * count.input_tokens + 5 * 450) / 1e6)


def test_styles_of_one_and_of_several_calls_in_one_study(
    server: ChatServer, reader: Reader, tmp_path: Path
) -> None:
    done = run_small(tmp_path / "out", models=(MODEL,), style="plain", styles=("plain", "dup"))
    assert (done.planned, done.asked, done.pending) == (2 * PLANNED, 4 * PLANNED, 0)
    assert reader.calls == {"question": PLANNED, "facts": PLANNED, "code": 2 * PLANNED}
    assert len(read_chains(StudyFolder(tmp_path / "out"))) == PLANNED


def test_a_task_of_inspect_asks_the_same_calls(tmp_path: Path) -> None:
    """Its log becomes the study that our own command makes, to the keys of its requests."""
    log = evaluated(tmp_path, "codequake/sim", "clean,repeat,storytelling", "dup")
    assert log.status == "success"
    (path,) = (tmp_path / "logs").glob("*.eval")
    imported = import_logs([path], tmp_path / "in", workers=2, notify=Silent())
    imported.raise_for_problems()
    assert imported.taken == 3 * PLANNED
    done = run_small(tmp_path / "out", style="dup", seed=0)
    assert done.pending == 0
    assert set(journal_keys(tmp_path / "in")) == set(journal_keys(tmp_path / "out"))
    found, expected = completions(tmp_path / "in"), completions(tmp_path / "out")
    assert {item.key: item.text for item in found} == {item.key: item.text for item in expected}
