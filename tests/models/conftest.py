from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.models import fake_provider
from tests.models.asking import Asker, requests_for

from codequake.errors import ToolMissingError
from codequake.journal import Entry, Journal, read_journal
from codequake.models import AnswerCounts, answer_requests, find_weights, open_model
from codequake.models.engine import load_engine


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asker]:
    """Ask a model for some prompts; give back the counts and the entries by prompt."""
    fake_provider.CALLS.clear()
    fake_provider.CONFIGS.clear()
    fake_provider.PEAK.update(now=0, most=0)

    def ask(
        name: str, prompts: list[str], decoding: str = "{}", **arguments: str
    ) -> tuple[AnswerCounts, dict[str, Entry]]:
        model = open_model(name, arguments={"retry_wait": "0", **arguments})
        with Journal(tmp_path / "completions") as journal:
            counts = answer_requests(model, requests_for(model, prompts, decoding), journal)
        entries = read_journal(tmp_path / "completions").values()
        return counts, {entry.request.messages[-1].content: entry for entry in entries}

    return ask


@pytest.fixture
def bundled_model() -> None:
    """Skip where engine or weights are absent; in CI their absence is a failure."""
    try:
        find_weights()
        load_engine()
    except ToolMissingError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
