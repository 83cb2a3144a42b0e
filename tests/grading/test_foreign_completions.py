"""Completions in the layouts of other tools: what is in the fixtures, and what may be wrong."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest

from codequake.errors import DataError
from codequake.grading import read_completions
from codequake.problems import load_set
from codequake.records import Completion, Problem, StopReason


def brief(row: Completion) -> tuple[str, str, str, int]:
    return row.problem_id, row.variant_id, row.model, row.sample


def write(path: Path, *rows: object) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture
def fixtures(test_data: Path) -> Path:
    return test_data / "fixtures"


def test_livecodebench_output(fixtures: Path) -> None:
    found = read_completions(fixtures / "lcb_codegeneration_eval_all.json")
    assert (found.layout, found.problems) == ("LiveCodeBench output", ())
    assert [brief(row) for row in found.rows] == [
        ("9001", "", "", 0),
        ("9001", "", "", 1),
        ("fixture_a", "", "", 0),
    ]
    assert found.rows[1].text.endswith("return sum(1 for v in nums if v >= limit)")
    assert not found.rows[1].text.startswith("```")
    custom = read_completions(fixtures / "lcb_custom_output.json")
    assert [row.text for row in custom.rows][3:] == ["print(0)", "", ""]
    assert [row.problem_id for row in custom.rows] == ["9001"] * 2 + ["fixture_a"] * 2 + [
        "9002"
    ] * 2


def test_livecodebench_replies_where_there_is_no_code(tmp_path: Path) -> None:
    path = write(tmp_path / "out.jsonl", {"question_id": 5, "output_list": ["```\nx\n```", "y"]})
    found = read_completions(path)
    assert [(row.problem_id, row.sample, row.text) for row in found.rows] == [
        ("5", 0, "```\nx\n```"),
        ("5", 1, "y"),
    ]


def test_a_published_livecodebench_output(test_data: Path) -> None:
    name = "livecodebench_submissions/o1-mini_45_of_880_eval_all.json"
    found = read_completions(test_data / name)
    assert len(found.rows) == 45
    assert found.problems == ()
    assert found.rows[0].problem_id == "3519"
    assert "def winningPlayerCount(self, n: int" in found.rows[0].text


def test_humaneval_samples(fixtures: Path) -> None:
    found = read_completions(fixtures / "humaneval_samples.jsonl")
    assert found.layout == "HumanEval samples"
    assert [brief(row) for row in found.rows] == [
        ("Fixture/0", "", "", 0),
        ("Fixture/0", "", "", 1),
        ("Fixture/1", "", "", 0),
    ]
    assert found.rows[1].text == "    return min(low, value)\n"
    results = read_completions(fixtures / "humaneval_samples_results.jsonl")
    assert results.problems == ()
    assert results.rows[2].text == "    while True:\n        pass\n"


def test_evalplus_samples_in_each_form(fixtures: Path) -> None:
    found = read_completions(fixtures / "evalplus_samples.jsonl")
    assert found.layout == "EvalPlus samples"
    assert [row.sample for row in found.rows] == [0, 1, 0]
    assert found.rows[0].text.startswith("def clamp(")
    assert found.rows[1].text == "    return max(low, min(high, value))\n"
    assert found.rows[2].text == "def halves(values):\n    return [v // 2 for v in values]\n"
    results = read_completions(fixtures / "evalplus_eval_results.json")
    assert [row.text for row in results.rows] == [found.rows[0].text, found.rows[2].text]
    folder = read_completions(fixtures / "evalplus_sample_dir")
    assert folder.layout == "EvalPlus sample folder"
    assert [(row.problem_id, row.sample) for row in folder.rows] == [("Fixture_0", 0)]
    assert folder.rows[0].text == found.rows[0].text


def test_bigcodebench_samples(fixtures: Path) -> None:
    found = read_completions(fixtures / "bigcodebench_samples.jsonl")
    assert (found.layout, len(found.rows)) == ("BigCodeBench samples", 1)
    assert found.rows[0].problem_id == "BigCodeBench/9001"
    assert found.rows[0].text.endswith("return statistics.median(values) if values else None")
    results = read_completions(fixtures / "bigcodebench_eval_results.json")
    assert results.rows[0].text.endswith("    return statistics.median(values)")


@pytest.mark.parametrize("name", ["inspect_log.json", "inspect_log.eval"])
def test_inspect_logs(fixtures: Path, name: str) -> None:
    found = read_completions(fixtures / name)
    assert (found.layout, found.problems) == ("Inspect log", ())
    first, second = found.rows
    assert brief(first) == ("Fixture/0", "", "fixture/fixture-model", 0)
    assert first.text == (
        "```python\ndef clamp(value, low, high):\n    return max(low, min(high, value))\n```"
    )
    assert first.reasoning == "The value has to move into the range."
    assert (first.stop_reason, first.error) == (StopReason.STOP, None)
    assert (first.model_reported, first.input_tokens) == ("fixture-model", 20)
    assert first.output_tokens == 30
    assert (second.text, second.reasoning) == ("I can not do that.", None)


def test_cocc_logs(fixtures: Path) -> None:
    found = read_completions(fixtures / "cocc_attacked.csv")
    assert (found.layout, found.problems) == ("Chain-of-Code-Collapse log", ())
    assert [brief(row)[1:] for row in found.rows] == [
        ("storytelling", "fixture_model", 0),
        ("storytelling", "fixture_model_b", 0),
        ("storytelling", "fixture_model_c", 0),
        ("domain_shift", "fixture_model", 0),
    ]
    assert found.rows[0].text.startswith("The heights are compared.\n</think>\n\n```python\n")
    assert found.rows[2].text == "```python\nclass Solution:\n    def countAbove(self, nums"
    assert "\nInput: nums = [2,5,7], limit = 3\n" in found.rows[0].problem_id
    clean = read_completions(fixtures / "cocc_clean.csv")
    assert [brief(row)[1:] for row in clean.rows] == [("", "fixture_model", 0)]


def test_real_samples_of_other_projects(test_data: Path) -> None:
    humaneval = load_set(f"humaneval:{test_data}/humaneval/HumanEval.jsonl.gz")
    name = "codet_samples/HumanEval_codegen16B_temp0.8_first40tasks_20samples.jsonl.gz"
    codet = read_completions(test_data / name, humaneval, "HumanEval")
    assert (codet.layout, len(codet.rows), codet.problems) == ("CodeT samples", 800, ())
    assert [row.sample for row in codet.rows[:20]] == list(range(20))
    assert codet.rows[0].problem_id == "humaneval/HumanEval/0"
    # Two problems have this entry point; the words of the prompts tell which is meant.
    sorting = {row.problem_id for row in codet.rows if "def sort_array(" in row.text}
    assert sorting == {"humaneval/HumanEval/116"}
    for name in ("codellama", "gpt-3.5-turbo-0613", "gpt-4-1106-preview", "starcoder"):
        path = test_data / "ldb_seeds" / f"humaneval__{name}.jsonl.gz"
        seeds = read_completions(path, humaneval, "HumanEval")
        assert (len(seeds.rows), seeds.problems) == (164, ())
    mbpp = load_set(f"mbpp:{test_data}/mbpp/sanitized-mbpp-first150.json")
    path = test_data / "ldb_seeds" / "mbpp__starcoder.jsonl.gz"
    starcoder = read_completions(path, mbpp, "MBPP")
    assert len(starcoder.rows) + len(starcoder.problems) == 500
    assert {row.problem_id for row in starcoder.rows} <= {item.problem_id for item in mbpp}
    assert starcoder.problems[0] == f"{path}:3: problem 'MBPP/13' is not in MBPP"


# What stands in a set decides about ids; these two problems are enough for every way of naming.
@pytest.fixture
def two(tmp_path: Path) -> tuple[Problem, ...]:
    rows = [
        {
            "task_id": f"Own/{number}",
            "prompt": f'def {name}(x):\n    """Say {name}."""\n',
            "entry_point": name,
            "canonical_solution": "    return x\n",
            "test": "def check(candidate):\n    assert candidate(1) == 1\n",
        }
        for number, name in enumerate(("one", "two"))
    ]
    return load_set(f"humaneval:{write(tmp_path / 'problems.jsonl', *rows)}")


@pytest.mark.parametrize(
    ("row", "answers"),
    [
        ({"task_id": "Own/1", "solution": "x"}, "humaneval/Own/1"),
        ({"task_id": "humaneval/Own/1", "solution": "x"}, "humaneval/Own/1"),
        ({"task_id": "HumanEval/Own/1", "solution": "x"}, "humaneval/Own/1"),
        ({"problem_id": "humaneval/Own/0", "completion": "x"}, "humaneval/Own/0"),
        ({"problem_id": "Own/0", "completion": "x"}, "humaneval/Own/0"),
        ({"prompt": "def two(x):\n", "samples": ["    return x"]}, "humaneval/Own/1"),
        ({"task_id": "own/1", "solution": "x"}, "problem 'own/1' is not in the set"),
        ({"task_id": "Own/1 ", "solution": "x"}, "problem 'Own/1 ' is not in the set"),
        ({"task_id": "../Own/1", "solution": "x"}, "problem '../Own/1' is not in the set"),
        ({"task_id": "a\nb\x1b[2J", "solution": "x"}, r"problem 'a\nb\x1b[2J' is not in the set"),
        ({"task_id": "é" * 999, "solution": "x"}, "ééé... is not in the set"),
        ({"prompt": "x = 1", "samples": ["y"]}, "the problem with the prompt 'x = 1' is not in"),
    ],
)
def test_ids_are_mapped_onto_the_set(
    tmp_path: Path, two: tuple[Problem, ...], row: dict[str, Any], answers: str
) -> None:
    path = write(tmp_path / "c.jsonl", row)
    found = read_completions(path, two)
    if found.rows:
        assert [item.problem_id for item in found.rows] == [answers]
        assert found.problems == ()
    else:
        (problem,) = found.problems
        assert problem.startswith(f"{path}:1: ")
        assert answers in problem
        assert "\n" not in problem
        assert len(problem) < 300


SAMPLE = {"task_id": "Own/0", "completion": "    return x"}
ITEM = {"question_id": "Own/0", "code_list": ["x"]}
BAD_SAMPLES: list[tuple[object, str]] = [
    ('{"task_id": "Own/0", "compl', "not JSON"),
    ("[1]", "the line is [1]; allowed: an object"),
    ({"task_id": "Own/0"}, "the field 'completion' is missing"),
    ({"completion": "x"}, "the field 'task_id' is missing"),
    ({"task_id": "", "completion": "x"}, "task_id is empty"),
    ({"task_id": None, "completion": "x"}, "task_id is None; allowed: a string"),
    ({"task_id": True, "completion": "x"}, "task_id is True; allowed: a string"),
    ({"task_id": "Own/0", "completion": 3}, "completion is 3; allowed: a string"),
    ({"task_id": "Own/0", "solution": None}, "solution is None; allowed: a string"),
    ({"task_id": "Own/0", "solution": "\ud800"}, "half a surrogate pair"),
    ("\udcff", "not UTF-8 at byte 0"),
    ("[" * 100_000, "nested too deeply"),
]


@pytest.mark.parametrize(("line", "message"), BAD_SAMPLES)
def test_a_bad_sample_is_one_sentence(tmp_path: Path, line: object, message: str) -> None:
    path = tmp_path / "c.jsonl"
    rows = [row if isinstance(row, str) else json.dumps(row) for row in (SAMPLE, line, SAMPLE)]
    path.write_bytes("\r\n".join(rows).encode("utf-8", "surrogateescape"))
    for content in (path.read_bytes(), b"\xef\xbb\xbf" + path.read_bytes()):
        path.write_bytes(content)
        found = read_completions(path)
        assert [row.sample for row in found.rows] == [0, 1]
        (problem,) = found.problems
        assert problem.startswith(f"{path}:2: ")
        assert message in problem
        assert "\n" not in problem


BAD_ITEMS: list[tuple[object, str]] = [
    (3, "the record is 3; allowed: an object"),
    ({"question_id": "Own/0"}, "the field 'code_list' is missing"),
    ({"code_list": []}, "the field 'question_id' is missing"),
    ({"question_id": "b", "code_list": "x"}, "code_list is 'x'; allowed: a list of strings"),
    ({"question_id": "b", "code_list": [1]}, "code_list[0] is 1; allowed: a string"),
    (ITEM, "problem 'Own/0', variant '', model '', sample 0 stands already in "),
]


@pytest.mark.parametrize(("item", "message"), BAD_ITEMS)
def test_a_bad_record_of_an_array_is_one_sentence(
    tmp_path: Path, item: object, message: str
) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps([ITEM, item, ITEM | {"question_id": "c"}]))
    found = read_completions(path)
    assert [row.problem_id for row in found.rows] == ["Own/0", "c"]
    (problem,) = found.problems
    if "code_list' is missing" not in message:
        assert message in problem
    assert problem.startswith(f"{path}:1 (record 2): ")


def test_a_cut_array_keeps_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    text = json.dumps([ITEM, ITEM | {"question_id": "b"}], indent=1)
    path.write_text(text[:-20])
    found = read_completions(path)
    assert [row.problem_id for row in found.rows] == ["Own/0"]
    assert found.problems == (f"{path}:10: cut off before its end",)
    path.write_text("[")
    with pytest.raises(DataError, match=r"c\.json:1: cut off before its end"):
        read_completions(path)


@pytest.mark.parametrize(
    "content", [b"", b"\n \r\n", b"[]", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)]
)
def test_files_with_nothing_in_them(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "c"
    path.write_bytes(content)
    assert read_completions(path).problems == (f"{path}: the file has no completions",)


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"# notes\n", b"\x89PNG\r\n", b'"text"', b"3"])
def test_files_in_no_layout(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "c"
    path.write_bytes(content)
    with pytest.raises(DataError, match="is in no layout that can be read; allowed: JSON Lines"):
        read_completions(path)


def test_a_question_names_its_problem_whole(fixtures: Path, tmp_path: Path) -> None:
    problems = load_set(f"lcb:{fixtures}/lcb_code_generation_lite.jsonl")
    question = problems[1].statement
    path = tmp_path / "log.csv"
    path.write_text(
        f"{CSV}{question},m,a,\n{question[:20]},m,b,\n{question.replace(' ', '  ')},n,c,"
    )
    found = read_completions(path, problems)
    assert [row.problem_id for row in found.rows] == ["lcb/fixture_a", "lcb/fixture_a"]
    (problem,) = found.problems
    assert problem.startswith(f"{path}:3: the problem with the text 'The first line holds' is not")
    attacked = read_completions(fixtures / "cocc_attacked.csv", problems)
    assert [row.problem_id for row in attacked.rows] == ["lcb/9001"] * 4


def test_a_reply_of_a_hundred_megabytes_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    with path.open("w") as file:
        file.write(json.dumps(SAMPLE) + '\n{"task_id": "Own/0", "completion": "')
        for _ in range(100):
            file.write("x" * (1 << 20))
        file.write('"}\n' + json.dumps(SAMPLE) + "\n")
    packed = tmp_path / "c.jsonl.gz"
    with packed.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=1) as out:
        out.write(path.read_bytes())
    for name in (path, packed):
        tracemalloc.start()
        found = read_completions(name)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(found.rows) == 2
        assert found.problems == (f"{name}:2: the line has more than 16 MiB",)
        assert peak < 48 << 20


def test_a_large_record_of_an_array_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    with path.open("w") as file:
        file.write(f"[{json.dumps(ITEM)},\n" + '{"question_id": "b", "code_list": ["')
        for _ in range(70):
            file.write("x" * (1 << 20))
        file.write('"]},\n' + json.dumps(ITEM | {"question_id": "c"}) + "]")
    found = read_completions(path)
    assert [row.problem_id for row in found.rows] == ["Own/0", "c"]
    assert found.problems == (f"{path}:2 (record 2): the record has more than 64 MiB",)


def test_folders(tmp_path: Path, two: tuple[Problem, ...]) -> None:
    folder = tmp_path / "samples"
    for name, content in {
        "Own_0/10.py": b"ten",
        "Own_0/2.py": b"two",
        "Own_1/0.py": b"\xff",
        "Own_1/extra.py": b"\r\nx",
        "Strange/0.py": b"x",
        "eval_results.json": b"{}",
        "Own_1/readme.txt": b"x",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / "Own_0" / "3.py").mkdir()
    found = read_completions(folder, two, "the set")
    assert [(row.problem_id, row.sample, row.text) for row in found.rows] == [
        ("humaneval/Own/0", 2, "two"),
        ("humaneval/Own/0", 10, "ten"),
        ("humaneval/Own/1", 0, "\r\nx"),
    ]
    assert found.problems == (
        f"{folder}/Own_0/3.py: is no plain file",
        f"{folder}/Own_1/0.py: not UTF-8 at byte 0",
        f"{folder}/Strange/0.py: the problem of the folder 'Strange' is not in the set",
    )


def test_standard_input_takes_any_layout(monkeypatch: pytest.MonkeyPatch, fixtures: Path) -> None:
    for name in ("lcb_custom_output.json", "inspect_log.eval", "cocc_clean.csv"):
        data = (fixtures / name).read_bytes()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert read_completions("-").rows == read_completions(fixtures / name).rows


CSV = "question_content,model,output,solution_code\n"


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ('Q,m,"a ""quoted"" line\n\nand more",\n', 'a "quoted" line\n\nand more'),
        ('Q,m,"a,b\r\nc",x\r\n', "a,b\r\nc"),
        ("Q,m,=cmd|' /C calc'!A0,x\n", "=cmd|' /C calc'!A0"),
        ('Q,m,"=HYPERLINK(""http://x"")",x\n', '=HYPERLINK("http://x")'),
        ("Q,m,,the code\n", "the code"),
        ('"Q", "m","a",', "a"),
        ("Q,m,,\n", ""),
    ],
)
def test_csv_records(tmp_path: Path, record: str, text: str) -> None:
    path = tmp_path / "log.csv"
    for lead in ("", "\ufeff"):
        path.write_bytes((lead + CSV + record).encode())
        found = read_completions(path)
        assert found.problems == ()
        assert [(row.problem_id, row.model, row.text) for row in found.rows] == [("Q", "m", text)]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("Q,m\n", "the record has 2 fields; allowed: 4"),
        ("Q,m,a,b,c\n", "the record has 5 fields; allowed: 4"),
        (" ,m,a,b\n", "the record names no question"),
        ('Q,m,"a"b",c"\n', "not CSV: text stands beside a quoted field in field 3"),
    ],
)
def test_bad_csv_records(tmp_path: Path, record: str, message: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(CSV + "Q,m,a,\n" + record + "Q,n,b,\n")
    found = read_completions(path)
    assert [row.model for row in found.rows] == ["m", "n"]
    assert found.problems == (f"{path}:3: {message}",)


def test_a_quote_without_an_end_and_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(CSV.encode() + b'Q,m,a,\nQ,\xff,b,\nQ,m,"never closed,\n' + b"x\n" * 9)
    found = read_completions(path)
    assert [row.text for row in found.rows] == ["a"]
    assert found.problems == (
        f"{path}:3: not UTF-8 at byte 2",
        f"{path}:4: not CSV: a quote is never closed in field 3",
    )
    with path.open("a") as file:
        for _ in range(20):
            file.write("x" * (1 << 20))
    assert read_completions(path).problems[1] == f"{path}:4: the record has more than 16 MiB"


def test_a_changed_task_is_not_judged_by_its_old_tests(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    head = "perturbation_type,orig_question_content,model,output,solution_code\n"
    path.write_text(head + "storytelling,Q,m,a,\nhard_negation,Q,m,b,\n")
    found = read_completions(path)
    assert [row.variant_id for row in found.rows] == ["storytelling"]
    (problem,) = found.problems
    assert problem.startswith(f"{path}:3: perturbation_type is 'hard_negation', which changes")


def log_of(*samples: object) -> bytes:
    """An ``.eval`` file with these samples."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "p/m"}}))
        for number, sample in enumerate(samples):
            text = sample if isinstance(sample, str | bytes) else json.dumps(sample)
            archive.writestr(f"samples/{number}_epoch_1.json", text)
    return file.getvalue()


def sample_of(content: object, **fields: object) -> dict[str, object]:
    choice = {"message": {"content": content}, "stop_reason": "max_tokens"}
    return {"id": "Own/0", "epoch": 1, "output": {"choices": [choice]}} | fields


def test_samples_of_a_log(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    long = {"attachments": {"abc": "long text"}, "epoch": 2}
    parts = [{"type": "image", "image": "x"}, {"type": "text", "text": "a"}]
    failed = {"id": 7, "epoch": 1, "error": {"message": "rate limit"}, "output": {}}
    path.write_bytes(log_of(sample_of("one"), sample_of("attachment://abc", **long), failed))
    one, two, seven = read_completions(path).rows
    assert (one.text, one.stop_reason, one.model) == ("one", StopReason.LENGTH, "p/m")
    assert (two.text, two.sample) == ("long text", 1)
    assert (seven.problem_id, seven.error) == ("7", "rate limit")
    assert seven.stop_reason is StopReason.ERROR
    path.write_bytes(log_of(sample_of(parts)))
    assert [row.text for row in read_completions(path).rows] == ["a"]


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ("{", "not JSON"),
        (b"\xff", "not UTF-8 at byte 0"),
        ("[1]", "the sample is [1]; allowed: an object"),
        ({"epoch": 1}, "the field 'id' is missing"),
        (sample_of("x", id=[1]), "id is [1]; allowed: a string or an integer"),
        (sample_of("x", epoch=0), "epoch is 0; allowed: 1, 2, 3, ..."),
        (sample_of("x", output=3), "output is 3; allowed: an object"),
        (sample_of("x", output={"choices": {"a": 1}}), "choices is {'a': 1}; allowed: a list"),
        (sample_of("x", output={"choices": [3]}), "a choice is 3; allowed: an object"),
        (sample_of(3), "content is 3; allowed: text or parts"),
        (sample_of([{"type": "text"}]), "the field 'text' is missing"),
        (sample_of("attachment://gone"), "the attachment 'gone' is missing"),
        (sample_of("\ud800"), "half a surrogate pair"),
        (sample_of("x"), "sample 0 stands already in"),
    ],
)
def test_bad_samples_of_a_log(tmp_path: Path, sample: object, message: str) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(log_of(sample_of("good"), sample))
    found = read_completions(path)
    assert [row.text for row in found.rows] == ["good"]
    (problem,) = found.problems
    assert problem.startswith(f"{path} (samples/1_epoch_1.json): ")
    assert message in problem
    assert "\n" not in problem


def test_a_bomb_in_a_log_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(log_of(sample_of("good"), b" " * (300 << 20)))
    assert path.stat().st_size < 1 << 20
    tracemalloc.start()
    found = read_completions(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [row.text for row in found.rows] == ["good"]
    assert found.problems == (f"{path} (samples/1_epoch_1.json): unpacks to more than 64 MiB",)
    assert peak < 200 << 20


def test_a_damaged_log_is_told_wherever_it_is_cut(tmp_path: Path, fixtures: Path) -> None:
    path = tmp_path / "log.eval"
    whole = (fixtures / "inspect_log.eval").read_bytes()
    for size in range(4, len(whole), 97):
        path.write_bytes(whole[:size])
        found = read_completions(path)
        assert found.rows == ()
        assert all(str(path) in problem and "\n" not in problem for problem in found.problems)
        assert found.problems
        path.write_bytes(whole[:size] + bytes([whole[size] ^ 255]) + whole[size + 1 :])
        changed = read_completions(path)
        assert len(changed.rows) + len(changed.problems) >= 1


def test_a_log_without_samples_and_a_document_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(log_of())
    assert read_completions(path).problems == (f"{path}: the log has no samples",)
    path.write_text(
        '{"version": 2, "eval": {"model": "m"}, "samples": [' + json.dumps(sample_of("a"))
    )
    found = read_completions(path)
    assert [row.text for row in found.rows] == ["a"]
    assert found.problems == (f"{path}:1: not JSON: the end of the file stands where ',' should",)
