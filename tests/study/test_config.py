from __future__ import annotations

from pathlib import Path

import pytest

from codequake.codec import from_plain, to_plain
from codequake.errors import DataError, UsageError
from codequake.perturb import PerturbationSpec
from codequake.study.config import StudyConfig, load_study, parse_study, preset_names
from codequake.study.folder import StudyFolder

GOOD = """\
seed = 3
problems = ["starter-12"]
models = ["codequake/sim"]

[decoding]
temperature = 0.0

[[perturbations]]
name = "clean"

[[perturbations]]
name = "formula"
distance = 2
count = 4
"""


def test_a_study_file_gives_typed_settings() -> None:
    config = parse_study(GOOD, place="mine.toml")
    assert config.name == "mine"
    assert config.perturbations == (
        PerturbationSpec("clean", "{}", 1),
        PerturbationSpec("formula", '{"distance":2}', 4),
    )
    assert from_plain(StudyConfig, to_plain(config)) == config


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed = 3", 'seed = "3"', r"mine\.toml:1: seed is '3'; allowed: an integer"),
        ("seed = 3", "sead = 3", r"mine\.toml:1: .*unknown field 'sead'"),
        ("= 0.0", "= 3.5", r"mine\.toml:6: temperature is 3\.5; allowed: 0 to 2"),
        ("= 0.0", '= "hot"', r"mine\.toml:6: decoding\.temperature is 'hot'; allowed: a number"),
        ("count = 4", "count = 0", r"mine\.toml:11: count is 0; allowed: a whole number from 1"),
        ('name = "formula"', "nme = 1", r"mine\.toml:11: perturbation .* has no name"),
        ('["starter-12"]', "[]", r"mine\.toml:2: problems is empty"),
        ('["starter-12"]', '"starter-12"', r"mine\.toml:2: problems is 'starter-12'; allowed: a"),
        ("seed = 3", "seed = ", r"mine\.toml: not TOML: .*line 1"),
        ("seed = 3", "samples = 0", r"mine\.toml:1: samples is 0"),
        ("seed = 3", "perturbations = 3", "not TOML"),
        ("distance = 2", "distance = nan", r"mine\.toml:11: perturbation formula: number nan"),
    ],
)
def test_an_error_names_line_value_and_what_is_allowed(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(DataError, match=message):
        parse_study(GOOD.replace(old, new, 1), place="mine.toml")


def test_the_same_perturbation_twice_is_refused() -> None:
    with pytest.raises(DataError, match="a perturbation stands twice"):
        parse_study(GOOD + '\n[[perturbations]]\nname = "clean"\n', place="mine.toml")


def test_presets_load() -> None:
    assert "demo" in preset_names()
    for name in preset_names():
        assert load_study(f"preset:{name}").config.perturbations
    with pytest.raises(
        UsageError, match="preset 'dmo' is not known; allowed: cocc, cocc-lcb, demo"
    ):
        load_study("preset:dmo")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        load_study(str(tmp_path / "absent.toml"))


def test_a_folder_keeps_its_study(tmp_path: Path) -> None:
    config = parse_study(GOOD, place="mine.toml")
    folder = StudyFolder(tmp_path / "study")
    assert folder.open(config) == config
    more = parse_study(GOOD.replace("codequake/sim", "openai/x"), place="mine.toml")
    assert folder.open(more).models == ("codequake/sim", "openai/x")
    assert folder.open(config).models == ("codequake/sim", "openai/x")
    other = parse_study(GOOD.replace("seed = 3", "seed = 4"), place="mine.toml")
    with pytest.raises(UsageError, match="holds a study with seed = 3, this one has 4"):
        folder.open(other)


def test_foreign_files_are_not_overwritten(tmp_path: Path) -> None:
    config = parse_study(GOOD, place="mine.toml")
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError, match="holds files that are not a study"):
        StudyFolder(tmp_path).open(config)
    with pytest.raises(UsageError, match="is a file"):
        StudyFolder(tmp_path / "thesis.tex").open(config)
    with pytest.raises(UsageError, match="is not a study folder"):
        StudyFolder(tmp_path).read_settings()


def test_stage_keys_are_kept(tmp_path: Path) -> None:
    folder = StudyFolder(tmp_path / "study")
    folder.open(parse_study(GOOD, place="mine.toml"))
    assert folder.stage_key("variants") is None
    folder.set_stage_key("variants", "abc")
    folder.set_stage_key("plan", "def")
    assert StudyFolder(tmp_path / "study").stage_key("variants") == "abc"
