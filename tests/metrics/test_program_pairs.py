from __future__ import annotations

import dataclasses

import pytest
from tests.metrics.planting import plant, problem, variant

from codequake.errors import DataError
from codequake.metrics.program_pairs import NameSets, name_sets, pairs_of
from codequake.problems import find_problem
from codequake.records import Variant


def test_samples_go_together_by_rank() -> None:
    rows = plant({"p": {"clean": "PFP", "x": "FP?", "repeat": "PEF"}, "q": {"x": "P"}})
    found = pairs_of(rows.problems, rows.variants, rows.completions, rows.verdicts)
    seen = [(item.family, item.sample, item.clean.passed, item.changed.passed) for item in found]
    # The repeat counts from 3 on; "?" has no verdict, and q no clean prompt.
    assert seen == [
        ("repeat", 3, True, True),
        ("repeat", 4, False, None),
        ("repeat", 5, True, False),
        ("x", 0, True, False),
        ("x", 1, False, True),
    ]
    assert found[0].clean.samples == (True, False, True)
    assert found[0].changed.samples == (True, False)  # a pending one is not finished
    assert found[3].clean.vector == ("=", "=")
    assert found[3].changed.vector is None
    again = pairs_of(
        rows.problems[::-1], rows.variants[::-1], rows.completions[::-1], rows.verdicts[::-1]
    )
    assert again == found


def test_an_unknown_variant_is_an_error() -> None:
    rows = plant({"p": {"clean": "P"}})
    with pytest.raises(DataError, match="unknown variant"):
        pairs_of(rows.problems, (), rows.completions, rows.verdicts)


def retold(text: str, entry_point: str | None) -> Variant:
    made = variant("quake-100/primes-between", "x")
    return dataclasses.replace(made, text=text, entry_point=entry_point)


def test_names_that_one_prompt_has_alone() -> None:
    known = find_problem("quake-100/primes-between")
    found = name_sets(
        known, retold("Write `count_rare_books(first_book, b)` of rare books.", "count_rare_books")
    )
    assert found == NameSets(
        frozenset({"count_primes", "a"}), frozenset({"count_rare_books", "first_book"})
    )
    assert name_sets(known, retold(known.statement, "count_primes")) == NameSets()
    # A name that is a word of both texts belongs to neither.
    kept = name_sets(known, retold("A range from `a` to `b`: count_primes", "count_primes"))
    assert kept == NameSets()


def test_a_problem_without_a_structure_has_its_entry_point() -> None:
    plain = dataclasses.replace(problem("p"), statement="Write f(x).")
    made = dataclasses.replace(variant("p", "v"), text="Write g(x).", entry_point="g")
    assert name_sets(plain, made) == NameSets(frozenset({"f"}), frozenset({"g"}))
