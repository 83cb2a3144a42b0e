"""Filters on sets: one syntax for all, and a sentence for each thing that it does not know."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from tests.running import RunCommand

from codequake.errors import DataError, UnknownNameError, UsageError
from codequake.problems import find_problem, load_set, read_set, set_from, whole_set
from codequake.problems.selection import SLICES, Errata, Selection, split_selection
from codequake.records import Difficulty, Status
from codequake.study.checking import check_sets
from codequake.study.config import GraderSettings
from codequake.study.progress import Silent
from codequake.study.regrade import grade_file

LCB: dict[str, Any] = {
    "question_content": "Add one.",
    "starter_code": "",
    "public_test_cases": '[{"input": "1", "output": "2", "testtype": "stdin"}]',
    "private_test_cases": "[]",
    "metadata": "{}",
}
# question id: platform, day, difficulty
ROWS = {
    "a": ("leetcode", "2023-05-07T00:00:00", "easy"),
    "b": ("atcoder", "2023-06-01T12:30:00", "medium"),
    "c": ("leetcode", "2024-01-31", "hard"),
    "d": ("codeforces", "2024-02-01T23:59:59", "hard"),
    "e": ("leetcode", "2024-02-01T00:00:00", "easy"),
}


def rows(names: str) -> list[dict[str, Any]]:
    found = []
    for name in names:
        platform, day, difficulty = ROWS[name]
        facts = {"platform": platform, "contest_date": day, "difficulty": difficulty}
        found.append(LCB | facts | {"question_id": name})
    return found


def write(path: Path, items: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(item) for item in items))
    return path


@pytest.fixture
def lcb(tmp_path: Path) -> str:
    return f"lcb:{write(tmp_path / 'lcb.jsonl', rows('abcde'))}"


def ids(name: str) -> str:
    return "".join(item.problem_id.removeprefix("lcb/") for item in load_set(name))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("platform=leetcode", "ace"),
        ("platform=atcoder,codeforces", "bd"),
        ("difficulty=hard", "cd"),
        ("difficulty=easy,medium", "abe"),
        ("from=2024-01-31", "cde"),
        ("to=2024-01-31", "abc"),
        ("from=2024-02-01&to=2024-02-01", "de"),
        ("first=2", "ab"),
        ("first=99", "abcde"),
        ("first=2&platform=leetcode", "ac"),
        ("platform=leetcode&first=2&from=2024-01-01", "ce"),
        ("id=b", "b"),
        ("id=lcb/b,d", "bd"),
        ("id=?", "abcde"),
        ("id=[ab]", "ab"),
        ("id=lcb/*", "abcde"),
        ("platform=leetcode&difficulty=easy&from=2023-01-01&to=2024-12-31&first=1", "a"),
        ("platform=%6Ceetcode", "ace"),
        ("errata=keep", "abcde"),
    ],
)
def test_what_is_left(lcb: str, text: str, left: str) -> None:
    assert ids(f"{lcb}?{text}") == left


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("plattform=leetcode", "filter 'plattform' is not known (did you mean platform?); allowed"),
        ("colour=red", "filter 'colour' is not known; allowed: difficulty, errata, first, from"),
        ("platform=hackerrank", "platform is 'hackerrank'; allowed: atcoder, codeforces, leetcode"),
        ("platform=", "platform is ''; allowed: words with commas between"),
        ("platform=leetcode,", "allowed: words with commas between"),
        ("difficulty=Hard", "difficulty is 'Hard'; allowed: easy, medium, hard"),
        ("first=0", "first is '0'; allowed: a whole number from 1"),
        ("first=-1", "first is '-1'"),
        ("first=1.5", "first is '1.5'"),
        ("first=ten", "first is 'ten'"),
        ("from=2024-13-01", "from is '2024-13-01'; allowed: a day such as 2024-01-31"),
        ("from=2024", "from is '2024'"),
        ("to=yesterday", "to is 'yesterday'"),
        ("from=2024-02-01&to=2024-01-01", "from=2024-02-01 is after to=2024-01-01"),
        ("errata=drop&errata=keep", "errata stands twice"),
        ("errata=yes", "errata is 'yes'; allowed: drop, keep, only"),
        ("first=1&platform", "'platform' is no filter; allowed: key=value"),
        ("first=1&", "'' is no filter"),
        ("release=v9", "release is 'v9'; allowed: release_v1 to release_v6"),
        ("slice=other", "slice is 'other'; allowed: cocc"),
        ("topic=", "topic is ''"),
    ],
)
def test_what_is_no_filter(lcb: str, text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_set(f"{lcb}?{text}")
    assert str(caught.value).startswith(f"{lcb}?{text}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["platform=leetcode", "from=2024-01-01", "errata=keep"])
@pytest.mark.parametrize("name", ["humaneval:x.jsonl", "mbpp:x.jsonl", "starter-12", "own.jsonl"])
def test_what_a_format_does_not_have(name: str, key: str) -> None:
    with pytest.raises(UsageError, match=r"has no \w+; allowed: difficulty, first, id, topic"):
        read_set(f"{name}?{key}")


def test_bundled_sets_and_own_files_take_the_common_keys(tmp_path: Path) -> None:
    whole = load_set("starter-12")
    assert load_set("starter-12?first=3") == whole[:3]
    easy = load_set("starter-12?difficulty=easy")
    assert easy
    assert all(item.difficulty is Difficulty.EASY for item in easy)
    one = whole[4]
    assert load_set(f"starter-12?id={one.problem_id}") == (one,)
    topic = one.topics[0]
    assert one in load_set(f"starter-12?topic={topic.upper()}")
    assert all(topic in item.topics for item in load_set(f"starter-12?topic={topic}"))


def test_nothing_left_is_told(lcb: str) -> None:
    with pytest.raises(DataError, match=r"no problem is left: 5 do not pass the filter, 0 have"):
        load_set(f"{lcb}?id=none")
    with pytest.raises(DataError, match=r"no problem is left: 12 do not pass"):
        load_set("starter-12?id=none")


def test_a_row_without_the_fact_is_a_fault_only_where_it_is_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [LCB | {"question_id": "x"}, *rows("a")])
    assert len(load_set(f"lcb:{path}")) == 2
    found = read_set(f"lcb:{path}?platform=leetcode")
    assert found.faults == (f"{path}:1: the row has no platform, and the filter asks for one",)
    assert read_set(f"lcb:{path}?to=2024-01-01").faults == (
        f"{path}:1: the row has no date, and the filter asks for one",
    )
    bad = write(tmp_path / "b.jsonl", [*rows("a"), rows("b")[0] | {"contest_date": "June"}])
    (fault,) = read_set(f"lcb:{bad}").faults
    assert fault == f"{bad}:2: contest_date is 'June'; allowed: a date such as 2024-01-31"


def test_rows_that_are_not_wanted_are_never_built(tmp_path: Path) -> None:
    broken = rows("b")[0] | {"private_test_cases": "%%%"}
    path = write(tmp_path / "a.jsonl", [*rows("a"), broken, *rows("c")])
    assert len(read_set(f"lcb:{path}").faults) == 1
    found = read_set(f"lcb:{path}?platform=leetcode")
    assert (len(found.problems), found.faults, found.unwanted) == (2, (), 1)
    assert found.filtered
    assert read_set(f"lcb:{path}?first=1").faults == ()


def test_a_name_that_is_a_file_is_no_filter(tmp_path: Path) -> None:
    path = write(tmp_path / "odd?first=1.jsonl", rows("ab"))
    assert len(load_set(f"lcb:{path}")) == 2
    assert ids(f"lcb:{path}?first=1") == "a"
    assert split_selection(str(path)) == (str(path), Selection())
    assert split_selection("what?.jsonl") == ("what?.jsonl", Selection())


def test_a_path_starts_from_the_study_with_its_filter(tmp_path: Path) -> None:
    assert set_from("lcb:a?first=2", tmp_path) == f"lcb:{tmp_path}/a?first=2"
    assert set_from("own/a.jsonl?id=b/c", tmp_path) == f"{tmp_path}/own/a.jsonl?id=b/c"
    assert set_from("starter-12?first=2", tmp_path) == "starter-12?first=2"


def folder_of(path: Path, versions: dict[int, str]) -> Path:
    path.mkdir()
    for number, names in versions.items():
        write(path / f"test{'' if number == 1 else number}.jsonl", rows(names))
    return path


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", "abcde"),
        ("?release=release_latest", "abcde"),
        ("?release=release_v1", "a"),
        ("?release=release_v2", "abc"),
        ("?release=v2", "bc"),
        ("?release=v2_v3", "bcde"),
        ("?release=release_v2&platform=leetcode", "ac"),
        ("?release=v3&first=1", "d"),
    ],
)
def test_releases_of_a_folder(tmp_path: Path, text: str, left: str) -> None:
    folder = folder_of(tmp_path / "lite", {1: "a", 2: "bc", 3: "de"})
    assert ids(f"lcb:{folder}{text}") == left


def test_releases_that_are_not_there(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "lite", {1: "a", 3: "bc"})
    for text in ("", "?release=release_v3", "?release=v2"):
        with pytest.raises(DataError, match=r"the folder has no file test2\.jsonl"):
            load_set(f"lcb:{folder}{text}")
    assert ids(f"lcb:{folder}?release=v3") == "bc"
    with pytest.raises(DataError, match=r"no file test\.jsonl"):
        load_set(f"lcb:{folder_of(tmp_path / 'none', {})}")
    with pytest.raises(UsageError, match=r"release=v1 needs a folder with test\.jsonl"):
        load_set(f"lcb:{folder}/test.jsonl?release=v1")


def test_the_version_of_a_file_stands_in_the_source(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "lite", {1: "a", 2: "b"})
    first, second = load_set(f"lcb:{folder}")
    assert first.source.startswith("LiveCodeBench v1, leetcode")
    assert second.source == "LiveCodeBench v2, atcoder, 2023-06-01T12:30:00"
    assert not first.redistributable


def test_the_problems_of_cocc(tmp_path: Path) -> None:
    _, wanted = split_selection("lcb:lite?slice=cocc")
    assert (wanted.release, wanted.platform, wanted.first) == ("release_v2", ("leetcode",), 100)
    assert wanted.errata is Errata.KEEP
    assert set(SLICES) == {"cocc"}
    _, fewer = split_selection("lcb:lite?slice=cocc&first=7&to=2023-12-31")
    assert (fewer.first, fewer.end, fewer.platform) == (7, dt.date(2023, 12, 31), ("leetcode",))
    folder = tmp_path / "lite"
    folder.mkdir()
    many = [rows("a")[0] | {"question_id": f"{n}"} for n in range(120)]
    many[::3] = [item | {"platform": "atcoder"} for item in many[::3]]
    write(folder / "test.jsonl", many[:60])
    write(folder / "test2.jsonl", [item | {"question_id": f"2-{n}"} for n, item in enumerate(many)])
    found = load_set(f"lcb:{folder}?slice=cocc")
    assert len(found) == 100
    assert all("leetcode" in item.source for item in found)
    assert found[0].problem_id == "lcb/1"
    assert found[40].problem_id == "lcb/2-1"


class Listening(Silent):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)


def test_grading_counts_what_a_filter_leaves_outside(lcb: str, tmp_path: Path) -> None:
    rows = [{"question_id": name, "code_list": ["print(int(input()) + 1)"]} for name in "abcde"]
    replies = tmp_path / "replies.json"
    replies.write_text(json.dumps(rows))
    notify = Listening()
    graded = grade_file(
        replies, f"{lcb}?first=2", None, workers=1, settings=GraderSettings(), notify=notify
    )
    assert f"{replies}: 3 completions answer problems outside of {lcb}?first=2" in notify.said
    assert [(item.problem_id, item.status) for item in graded.verdicts] == [
        ("lcb/a", Status.PASSED),
        ("lcb/b", Status.PASSED),
    ]
    assert graded.problems == ()


def test_the_commands_take_filters(run_command: RunCommand, lcb: str) -> None:
    pytest.importorskip("inspect_ai")
    hard = f"{lcb}?difficulty=hard"
    assert check_sets((hard,), "bwrap", Silent()).as_text().splitlines()[1].startswith("  2 not c")
    assert find_problem("lcb/c", hard).problem_id == "lcb/c"
    with pytest.raises(UnknownNameError, match="is not known"):
        find_problem("lcb/a", hard)
    done = run_command("problems", "list", hard)
    assert done.stdout.splitlines() == [
        f"{hard}: 2 problems",
        "  lcb/c  c  (hard)",
        "  lcb/d  d  (hard)",
    ]
    done = run_command("grade", "replies.json", "--problems", f"{lcb}?frist=2")
    assert done.returncode == 2
    assert "filter 'frist' is not known (did you mean first?)" in done.stderr


def test_whole_set_tells_beside_the_problems(lcb: str) -> None:
    assert whole_set(lcb).told() == ()
