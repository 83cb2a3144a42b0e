"""What a study file says of a model beside its name, and that it reaches the provider."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from tests.models import fake_provider
from tests.study.small_study import SMALL, journal_keys, run_small, small_study

from codequake.codec import from_plain, to_plain
from codequake.errors import DataError, UsageError
from codequake.journal import read_journal
from codequake.records import Planned
from codequake.store import read_parquet
from codequake.study.asking import open_models
from codequake.study.config import StudyConfig, parse_study, settings_of
from codequake.study.folder import StudyFolder
from codequake.study.model_settings import Decoding, ModelSettings
from codequake.study.plan import decoding_of, decoding_text
from codequake.study.reporting import read_study, tables_of

BASE = SMALL.replace('models = ["codequake/sim"]\n', "")
TOLD = (
    BASE
    + """
[decoding]
top_p = 0.5
max_tokens = 64

[[models]]
name = "slow one"
model = "fake/echo"
group = "reasoning"
base_url = "http://127.0.0.1:9/v1"
max_connections = 3
max_retries = 1
retry_wait = 0.5
attempt_timeout = 9
args = { delay = 0.25, log = "5" }
decoding = { temperature = "unset", max_tokens = 8, reasoning_effort = "low" }

[[models]]
name = "fake/stop"
"""
)


def parsed(text: str) -> StudyConfig:
    return parse_study(text, place="mine.toml")


def test_everything_reaches_the_provider() -> None:
    config = parsed(TOLD)
    assert config.models == ("slow one", "fake/stop")
    assert [item.name for item in config.model_settings] == ["slow one"], "the other has a name"
    opened = open_models(config)
    slow, plain = opened["slow one"], opened["fake/stop"]
    assert (slow.name, slow.concurrency, slow.attempt_timeout) == ("slow one", 3, 9)
    assert (slow.retries.count, slow.retries.first_wait) == (1, 0.5)
    api = slow.connect()
    assert api.model_args == {"delay": 0.25, "log": "5"}, "a text stays a text"
    assert api.api.base_url == "http://127.0.0.1:9/v1"
    assert api.api.model_name == "echo"
    engine = json.loads(slow.engine.removeprefix("arguments:"))
    assert engine == {"arguments": {"delay": 0.25, "log": "5"}, "model": "fake/echo"}
    assert (plain.name, plain.engine) == ("fake/stop", "")
    assert from_plain(StudyConfig, to_plain(config)) == config


def test_decoding_of_a_model_goes_before_that_of_the_study() -> None:
    config = parsed(TOLD)
    assert decoding_of(config, "fake/stop") == Decoding(top_p=0.5, max_tokens=64)
    assert decoding_text(decoding_of(config, "slow one")) == (
        '{"max_tokens":8,"reasoning_effort":"low","top_p":0.5}'
    )


def test_all_decoding_reaches_the_request(tmp_path: Path) -> None:
    text = """
[decoding]
temperature = 0.5
top_p = 0.9
top_k = 40
seed = 3
max_tokens = 77
stop_seqs = ["END"]
frequency_penalty = 0.1
presence_penalty = -0.1
reasoning_effort = "high"
reasoning_tokens = 99
"""
    decoding = parsed(SMALL + text).decoding
    assert None not in to_plain(decoding).values()
    fake_provider.CONFIGS.clear()
    run_small(tmp_path / "out", models=("fake/echo",), decoding=decoding, limit=1)
    sent = fake_provider.CONFIGS[0]
    assert {name: getattr(sent, name) for name in to_plain(decoding)} == to_plain(decoding)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('group = "r', 'gruop = "r', r"mine\.toml:18: gruop is not known; allowed: name, model"),
        ("http://127", "ftp://127", r"mine\.toml:19: base_url is 'ftp://.*allowed: http://HOST"),
        ("http://127", "http://me:pw@127", r"mine\.toml:19: base_url holds a user or a password"),
        ("http://127.0.0.1:9/v1", "http://[", r"mine\.toml:19: base_url is"),
        ("_connections = 3", "_connections = 0", r"mine\.toml:20: max_connections is 0; allowed"),
        ("retries = 1", 'retries = "1"', r"mine\.toml:21: max_retries is '1'; allowed: an integer"),
        ("wait = 0.5", "wait = -1", r"mine\.toml:22: retry_wait is -1\.0; allowed: 0 or more"),
        ("timeout = 9", "timeout = 0", r"mine\.toml:23: attempt_timeout is 0; allowed"),
        ("delay = 0.25", 'api_key = "k"', r"mine\.toml:24: args\.api_key is no setting"),
        ("delay = 0.25", "base_url = 1", r"mine\.toml:24: args\.base_url belongs beside name"),
        ("delay = 0.25", "delay = nan", r"mine\.toml:24: args: number nan"),
        ("args = { delay", "args = 3 # {", r"mine\.toml:24: args is 3; allowed: a table"),
        ('effort = "low"', 'effort = "much"', r"mine\.toml:25: decoding\.reasoning_effort is 'mu"),
        ("_tokens = 8", "_tokens = 0", r"mine\.toml:25: decoding\.max_tokens is 0; allowed"),
        ("max_tokens = 8,", "maxtokens = 8,", r"mine\.toml:25: decoding has an unknown field 'm"),
        ('name = "fake/stop"', 'name = "slow one"', r"mine\.toml:27: model slow one stands twice"),
        ('name = "fake/stop"', 'nam = "x"', r"mine\.toml:27: model .* has no name"),
        ('name = "fake/stop"', 'name = ""', r"mine\.toml:28: name is ''; allowed"),
        ("top_p = 0.5", "top_p = 0.0", r"mine\.toml:12: top_p is 0\.0; allowed: above 0 to 1"),
        ("top_p = 0.5", "top_k = 0", r"mine\.toml:12: top_k is 0; allowed: a whole number from 1"),
        ("top_p = 0.5", 'stop_seqs = [""]', r"mine\.toml:12: stop_seqs is \[''\]; allowed: a list"),
        ("seed = 5", "model_settings = []", r"mine\.toml:1: model_settings is no key of a study"),
    ],
)
def test_an_error_names_its_line(old: str, new: str, message: str) -> None:
    assert TOLD.count(old) == 1
    with pytest.raises(DataError, match=message):
        parsed(TOLD.replace(old, new))


def test_where_a_model_is_may_change_and_what_it_is_may_not(tmp_path: Path) -> None:
    folder = StudyFolder(tmp_path / "study")
    config = folder.open(parsed(TOLD))
    moved = parsed(
        TOLD.replace("127.0.0.1:9", "127.0.0.1:8").replace("connections = 3", "connections = 5")
    )
    assert settings_of(folder.open(moved), "slow one").base_url == "http://127.0.0.1:8/v1"
    for old, new in (("0.25", "0.5"), ("fake/echo", "fake/stop"), ("max_tokens = 8", "top_k = 8")):
        with pytest.raises(
            UsageError, match="holds a study that asks slow one with other settings"
        ):
            folder.open(parsed(TOLD.replace(old, new)))
    third = dataclasses.replace(
        config,
        models=("third",),
        model_settings=(ModelSettings("third", "fake/echo"),),
    )
    grown = folder.open(third)
    assert grown.models == ("slow one", "fake/stop", "third")
    assert [item.name for item in grown.model_settings] == ["slow one", "third"]
    plain = dataclasses.replace(config, models=("slow one",), model_settings=())
    with pytest.raises(UsageError, match="other settings"):
        folder.open(plain)


def test_a_folder_of_before_still_reads() -> None:
    value = to_plain(small_study().config)
    for name in ("model_settings", "styles", "templates", "unavailable", "missing"):
        del value[name]
    value["decoding"] = {"temperature": 0.0, "top_p": None, "max_tokens": 1024, "seed": None}
    assert from_plain(StudyConfig, value) == small_study().config


def test_one_model_under_two_names_is_two_models(tmp_path: Path) -> None:
    text = (
        BASE
        + """
[[models]]
name = "good"
model = "codequake/sim"
args = { behaviour = "sturdy", seed = 4 }
[[models]]
name = "poor"
model = "codequake/sim"
args = { behaviour = "fragile", seed = 4 }
"""
    )
    config = parsed(text)
    changes = {"models": config.models, "model_settings": config.model_settings}
    first = run_small(tmp_path / "out", **changes)
    assert (first.pending, first.planned) == (0, first.asked)
    again = run_small(tmp_path / "out", **changes)
    assert (again.asked, again.reused) == (0, first.asked)
    assert len(set(journal_keys(tmp_path / "out"))) == first.asked
    entries = read_journal(tmp_path / "out" / "completions").values()
    engines = {entry.request.model: entry.request.engine for entry in entries}
    assert set(engines) == {"good", "poor"}
    assert engines["good"].startswith("sim:sturdy@")
    assert engines["good"].endswith(";seed=4")
    planned = read_parquet(tmp_path / "out" / "plan.parquet", Planned)
    assert {row.model for row in planned} == {"good", "poor"}
    runs = tables_of(read_study(StudyFolder(tmp_path / "out")), ()).models
    assert [(run.name, run.deterministic, run.demonstration) for run in runs] == [
        ("good", True, True),
        ("poor", True, True),
    ]
    remote = tables_of_remote(tmp_path / "remote")
    assert remote == [("slow", False, False)], "arguments do not make a remote model deterministic"


def tables_of_remote(out: Path) -> list[tuple[str, bool, bool]]:
    settings = ModelSettings("slow", "fake/echo", arguments='{"connections":2}')  # type: ignore[arg-type]
    run_small(out, models=("slow",), model_settings=(settings,), limit=1)
    runs = tables_of(read_study(StudyFolder(out)), ()).models
    return [(run.name, run.deterministic, run.demonstration) for run in runs]
