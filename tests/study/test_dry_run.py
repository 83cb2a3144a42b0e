"""What a study would ask, counted by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.running import RunCommand
from tests.study.small_study import SMALL, small_study

from codequake.errors import DataError, NotAvailableError
from codequake.models import render_messages
from codequake.perturb import make_variants
from codequake.problems import read_set
from codequake.study.budget import check_prices
from codequake.study.config import Budget, Price, load_study, parse_study
from codequake.study.dry_run import StudyCount, count_study
from codequake.study.missing import PLANNED
from codequake.study.prices import named_prices, with_prices
from codequake.study.progress import Silent
from codequake.study.run import configure, make_study_variants

REMOTE = SMALL.replace(
    'models = ["codequake/sim"]',
    'models = ["codequake/sim", "some/model", { name = "slow", model = "other/model", '
    'group = "reasoning", decoding = { max_tokens = 10 } }]',
)
PRICES = """\
[[prices]]
model = "some/model"
input = 2.0
output = 8.0
[[prices]]
model = "other/model"
input = 1.0
output = 1.0
"""


def counted(text: str, **changes: object) -> StudyCount:
    return count_study(small_study(text, **changes), Silent(), 2.0)


def test_tokens_money_and_time_by_hand() -> None:
    count = counted(REMOTE + PRICES)
    problems = read_set("starter-12", None).problems[:2]
    specs = parse_study(SMALL, place="x").perturbations
    characters = requests = 0
    for problem in problems:
        for variant in make_variants(problem, specs, seed=5, oracle=None).variants:
            messages = render_messages(problem, variant, "plain")
            characters += sum(len(part.content) for part in messages)
            requests += 1
    assert (count.problems, count.variants, count.skipped) == (2, requests, 0)
    own, some, slow = count.models
    tokens = round(characters / 3)
    assert {item.input_tokens for item in count.models} == {tokens}
    assert (own.requests, own.output_tokens_at_most, own.cost_at_most) == (
        requests,
        1024 * requests,
        0.0,
    )
    assert some.cost_at_most == pytest.approx((2 * tokens + 8 * 1024 * requests) / 1e6)
    assert (slow.group, slow.output_tokens_at_most) == ("reasoning", 10 * requests)
    assert slow.cost_at_most == pytest.approx((tokens + 10 * requests) / 1e6)
    assert count.cost_at_most == pytest.approx(some.cost_at_most + slow.cost_at_most)
    assert count.minutes == 3 * requests / 2
    assert count.completions == 3 * requests
    text = count.as_text()
    assert f"Cost ceiling: {count.cost_at_most:,.2f}, in the unit of the prices." in text
    assert "At 2 requests a minute" in text
    assert count.as_json()["cost"] == count.cost_at_most


def test_no_ceiling_where_nothing_limits_or_prices() -> None:
    count = counted(REMOTE)
    assert count.cost_at_most is None
    assert "No cost ceiling: no price of some/model, slow;" in count.as_text()
    endless = REMOTE.replace("seed = 5", 'seed = 5\ndecoding = { max_tokens = "unset" }')
    count = counted(endless + PRICES)
    assert [item.output_tokens_at_most is None for item in count.models] == [True, True, False]
    assert count.cost_at_most is None
    assert "No cost ceiling: max_tokens is unset for codequake/sim, some/model." in count.as_text()


def test_prices_of_a_file_go_before(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('[[prices]]\nmodel = "slow"\ninput = 3\noutput = 4.0\n')
    config = with_prices(parse_study(REMOTE + PRICES, place="x.toml"), path)
    assert named_prices(config) == (Price("some/model", 2.0, 8.0), Price("slow", 3.0, 4.0))
    budgeted = small_study(REMOTE, budget=Budget(cost=1.0), prices=config.prices)
    check_prices(budgeted.config)  # a price under the name for Inspect is a price
    for text, message in (
        ('[[prices]]\nmodel = "x"\ninput = -1\noutput = 1', r"prices\.toml:3: price input of x is"),
        ('[[prices]]\nmodel = "x"\ninput = 1', r"prices\.toml:1: prices\[0\] lacks .*'output'"),
        ("[[prices", "not TOML"),
    ):
        path.write_text(text)
        with pytest.raises(DataError, match=message):
            with_prices(config, path)


def test_a_perturbation_of_a_later_version_is_told_and_refused(tmp_path: Path) -> None:
    name = next(iter(PLANNED))
    text = SMALL + f'[[perturbations]]\nname = "{name}"\ncount = 2\n'
    study = small_study(text)
    assert [spec.name for spec in study.config.perturbations] == ["clean", "repeat", "storytelling"]
    (sentence,) = count_study(study, Silent()).missing
    assert f"perturbation {name} is not available in this version" in sentence
    with pytest.raises(NotAvailableError, match=f'{name} is not available .*missing = "skip"'):
        make_study_variants(study, tmp_path / "out", Silent())
    assert not (tmp_path / "out").exists()
    skipping = small_study(text.replace("seed = 5", 'seed = 5\nmissing = "skip"'))
    make_study_variants(skipping, tmp_path / "out", Silent())
    assert json.loads((tmp_path / "out" / "notes.json").read_text()) == [sentence]
    with pytest.raises(DataError, match=r"x\.toml:1: missing is 'maybe'; allowed: refuse, skip"):
        parse_study(text.replace("seed = 5", 'missing = "maybe"'), place="x.toml")
    with pytest.raises(DataError, match="gamefication"):
        parse_study(text.replace(name, "gamefication"), place="x.toml")


def test_presets_name_the_models_of_their_papers() -> None:
    for name in ("cocc", "cocc-lcb"):
        config = load_study(f"preset:{name}").config
        groups = [settings.group for settings in config.model_settings]
        assert (len(config.models), groups.count("reasoning")) == (10, 6)
        assert groups.count("code generation") == 4
        asked = {spec.name for spec in (*config.perturbations, *config.unavailable)}
        assert asked == {
            "clean",
            "repeat",
            "storytelling",
            "gamification",
            "domain_shift",
            "distracting_constraints",
            "example_perturbation",
            "hard_negation",
            "soft_negation",
        }
    config = load_study("preset:syntactic-robustness").config
    assert (len(config.models), config.samples, config.decoding.temperature) == (9, 5, 0.0)
    reasoner = next(item for item in config.model_settings if item.name == "o4-mini").decoding
    assert reasoner is not None
    assert (reasoner.temperature, reasoner.top_p, reasoner.seed) == (None, None, None)


def test_the_first_paper_is_counted_on_its_problems() -> None:
    count = count_study(configure("preset:cocc", (), 3), Silent())
    # Each but domain_shift, and one of the three has no soft negation.
    assert (count.problems, count.variants) == (3, 23)
    assert [item.requests for item in count.models] == [23] * 10
    assert len(count.missing) == 1


def test_other_sets_and_a_rate_on_the_command_line(run_command: RunCommand, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[[prices]]\nmodel = "GPT-4o"\ninput = 1\noutput = 0\n')
    done = run_command(
        *("run", "preset:syntactic-robustness", "--model", "GPT-4o", "--dry-run", "--json"),
        *("--problems", "starter-12?first=2", "--rate", "10", "--prices", prices),
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    (model,) = told["models"]
    # Five samples of clean and of repeat; problems without a formula have no other variant.
    assert (told["problems"], told["variants"], model["requests"]) == (2, 4, 20)
    assert told["minutes"] == 2.0
    assert told["cost"] == pytest.approx(model["input_tokens_estimate"] / 1e6)
