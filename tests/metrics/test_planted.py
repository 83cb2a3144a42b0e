"""Small studies whose answers were worked out by hand by somebody who never saw the code."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.metrics.planting import DECODING, problem

import codequake.errors
from codequake.metrics import StudyRows, estimate_study
from codequake.records import (
    Completion,
    Estimate,
    Planned,
    Status,
    StopReason,
    TaskKind,
    TestOutcome,
    TestStatus,
    Variant,
    Verdict,
)

CASES = Path(__file__).with_name("cases") / "planted.toml"
STUDIES = tomllib.loads(CASES.read_text("utf-8"))["study"]
RAN = {"passed", "wrong_answer", "runtime_error", "timeout", "memory_limit", "output_limit"}


def variant_id(row: dict[str, Any], name: str | None = None) -> str:
    name = name or row.get("variant", row["family"])
    return f"{row['problem']}|{name}"


def make_variant(row: dict[str, Any]) -> Variant:
    return Variant(
        variant_id=variant_id(row),
        problem_id=row["problem"],
        family=row["family"],
        task=TaskKind.KEPT,
        chain=(),
        seed=0,
        text="",
        entry_point="f",
        oracle_id=row["problem"],
        base_id=variant_id(row, row["base"]) if "base" in row else None,
        formula=None,
        distance=row.get("distance"),
        distance_proved=None,
        assumptions=(),
        checks=(),
        gated=row.get("gated", True),
    )


def make_rows(study: dict[str, Any]) -> StudyRows:
    variants: dict[str, Variant] = {}
    planned, completions, verdicts = [], [], []
    for row in study["rows"]:
        made = make_variant(row)
        variants[made.variant_id] = made
        planned.append(
            Planned(made.problem_id, made.variant_id, row["model"], row["sample"], DECODING, "")
        )
        common = {
            "problem_id": row["problem"],
            "variant_id": made.variant_id,
            "model": row["model"],
            "sample": row["sample"],
        }
        failed = row["status"] == "provider_error"
        completions.append(
            Completion(
                **common,
                key=repr(common),
                text="",
                reasoning=None,
                model_reported=row.get("reported", row["model"]),
                stop_reason=StopReason.ERROR if failed else StopReason.STOP,
                input_tokens=None,
                output_tokens=None,
                error="down" if failed else None,
            )
        )
        tests: tuple[TestOutcome, ...] = ()
        if row["status"] in RAN:
            status = TestStatus(row["status"])
            tests = (TestOutcome(True, status), TestOutcome(False, status))
        verdicts.append(
            Verdict(
                **common,
                status=Status(row["status"]),
                tests=tests,
                message="",
                program="",
                extraction="",
                failure=None,
                grader="g",
            )
        )
    names = dict.fromkeys(row["problem"] for row in study["rows"])
    return StudyRows(
        tuple(problem(name) for name in names),
        tuple(variants.values()),
        tuple(planned),
        tuple(completions),
        tuple(verdicts),
    )


def matching(found: tuple[Estimate, ...], expected: dict[str, Any]) -> Estimate | None:
    group = f"distance={expected['group']}" if "group" in expected else ""
    hits = [
        item
        for item in found
        if (item.metric, item.model) == (expected["metric"], expected["model"])
        and expected["family"] in ("*", item.family)
        and (item.group, item.scope) == (group, expected.get("scope", "all tests"))
    ]
    assert len(hits) <= 1
    return hits[0] if hits else None


def number(text: str) -> Any:
    return pytest.approx(float(Fraction(text)), abs=1e-12)


def check(item: Estimate | None, expected: dict[str, Any]) -> None:
    if item is None:
        assert expected["value"] == "missing"
        assert "bound_low" not in expected
        return
    if expected["value"] == "missing":
        assert item.value is None
        assert item.missing
    else:
        assert item.value == number(expected["value"])
    assert item.incomplete == expected.get("incomplete", False)
    if "numerator" in expected:
        assert item.numerator == number(expected["numerator"])
    if "denominator" in expected:
        assert item.denominator == expected["denominator"]
    if "left_out" in expected:
        assert sum(part.count for part in item.left_out) == expected["left_out"]
    if "bound_low" in expected:
        assert item.bound_low == number(expected["bound_low"])
        assert item.bound_high == number(expected["bound_high"])


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study["name"])
def test_planted_study(study: dict[str, Any]) -> None:
    rows = make_rows(study)
    if "error" in study:
        with pytest.raises(getattr(codequake.errors, study["error"])):
            estimate_study(rows, seed=5)
        return
    found = estimate_study(rows, seed=5)
    for expected in study["expect"]:
        check(matching(found, expected), expected)
