"""C++ is one more language: extracted, compiled, run, and told apart from its neighbours."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from tests.grading.grading_samples import IN_C, MAIN, completion
from tests.running import RunCommand

from codequake.codec import to_plain
from codequake.grading import Grader, extract
from codequake.models.prompts import render_messages
from codequake.problems.likeness import outline
from codequake.records import (
    Interface,
    JsonText,
    Language,
    Problem,
    Reference,
    Status,
    TaskKind,
    Test,
    Variant,
)
from codequake.sandbox import Limits, diagnose
from codequake.sandbox.toolchains import Toolchain, compiler_version, toolchain_of, toolchains

IN_CPP = dataclasses.replace(
    MAIN,
    problem_id="cpp-2/add",
    language=Language.CPP,
    parameters=(),
    statement="Read two integers and print their sum.",
)
WORDS = dataclasses.replace(
    IN_CPP,
    problem_id="cpp-2/words",
    tests=(
        Test(JsonText('"b a b\\n"'), JsonText('"a 1\\nb 2\\n"'), visible=True),
        Test(JsonText('"x\\n"'), JsonText('"x 1\\n"'), visible=False),
        Test(JsonText('"z y x z\\n"'), JsonText('"x 1\\ny 1\\nz 2\\n"'), visible=False),
    ),
)
ADD_CPP = (
    "#include <iostream>\nusing namespace std;\n\nint main() {\n    long long a, b;\n"
    "    cin >> a >> b;\n    cout << a + b << endl;\n}\n"
)
ADD_C = (
    "#include <stdio.h>\n\nint main(void) {\n    int a, b;\n"
    '    if (scanf("%d %d", &a, &b) != 2) return 1;\n'
    '    printf("%d\\n", a + b);\n    return 0;\n}\n'
)
ADD_PYTHON = "a, b = map(int, input().split())\nprint(a + b)\n"
COUNT_CPP = """\
#include <bits/stdc++.h>

template <typename Key>
struct Counter {
    std::map<Key, int> seen;
    void add(const Key &key) { ++seen[key]; }
};

int main() {
    Counter<std::string> counter;
    for (std::string word; std::cin >> word;) counter.add(word);
    for (const auto &[word, times] : counter.seen) std::cout << word << ' ' << times << "\\n";
    const auto *text = R"(a ) brace } and a " quote)";
    return text == nullptr;
}
"""


def fenced(code: str, tag: str) -> str:
    return f"Here it is:\n\n```{tag}\n{code}```\nIt reads the input."


@pytest.mark.parametrize("tag", ["cpp", "c++", "cc", "C++", "cpp17", "", "c"])
def test_cpp_stands_in_any_fence(tag: str) -> None:
    found = extract(fenced(ADD_CPP, tag), language=Language.CPP, entry_point=None)
    assert (found.status, found.program) == (None, ADD_CPP)


@pytest.mark.parametrize(
    "reply", [ADD_CPP, f"Sure.\n\n{ADD_CPP}\nThat adds both.", f"[CPP]\n{ADD_CPP}[/CPP]"]
)
def test_cpp_is_found_without_a_fence(reply: str) -> None:
    found = extract(reply, language=Language.CPP, entry_point=None)
    assert found.status is None
    assert found.program.strip() == ADD_CPP.strip()


def test_the_last_whole_program_counts_and_helpers_join() -> None:
    helper = "#include <iostream>\nint twice(int x) { return 2 * x; }\n"
    main = "int main() { int x; std::cin >> x; std::cout << twice(x); }\n"
    reply = f"```cpp\n{helper}```\nand\n```cpp\n{main}```"
    assert extract(reply, language=Language.CPP, entry_point=None).program == helper + main


@pytest.mark.parametrize(
    ("language", "code", "tag"),
    [
        (Language.C, ADD_CPP, "cpp"),
        (Language.C, ADD_CPP, "c"),
        (Language.C, COUNT_CPP, ""),
        (Language.C, ADD_PYTHON, "python"),
        (Language.CPP, ADD_PYTHON, "python"),
        (Language.CPP, ADD_PYTHON, ""),
        (Language.CPP, 'fn main() { println!("{}", 1); }\n', "rust"),
        (Language.CPP, "import java.util.*;\npublic class Main { }\n", "java"),
        (Language.PYTHON, ADD_CPP, "cpp"),
        (Language.PYTHON, COUNT_CPP, ""),
    ],
)
def test_another_language_is_told(language: Language, code: str, tag: str) -> None:
    found = extract(fenced(code, tag), language=language, entry_point=None)
    assert found.status is Status.WRONG_LANGUAGE


@pytest.mark.parametrize(
    ("problem", "code", "status"),
    [
        (IN_CPP, ADD_CPP, Status.PASSED),
        (IN_CPP, ADD_C, Status.PASSED),  # C that g++ takes is C++
        (IN_CPP, ADD_CPP.replace("a + b", "a - b"), Status.WRONG_ANSWER),
        (IN_CPP, ADD_CPP.replace("a + b", "a + c"), Status.COMPILE_ERROR),
        (IN_CPP, "#include <iostream>\nint main() { std::cout << 3; }\n", Status.IGNORES_INPUT),
        (IN_CPP, ADD_CPP.replace("cout", "throw 1; cout"), Status.RUNTIME_ERROR),
        (IN_CPP, ADD_CPP.replace("cout", "for (;;) {} cout"), Status.TIMEOUT),
        (IN_CPP, "// int main() { return 0; }\n/* nothing */\n", Status.NO_CODE),
        (IN_CPP, ADD_PYTHON, Status.WRONG_LANGUAGE),
        (WORDS, COUNT_CPP, Status.PASSED),
        (IN_C, ADD_CPP, Status.WRONG_LANGUAGE),
    ],
)
def test_verdicts(grader: Grader, problem: Problem, code: str, status: Status) -> None:
    quick = Grader(grader.backend, dataclasses.replace(Limits(), cpu_seconds=1.0))
    verdict = quick.grade(problem, completion(fenced(code, "cpp")), None)
    assert verdict.status is status, verdict.message
    if status is Status.COMPILE_ERROR:
        assert "was not declared" in verdict.message


def test_a_set_in_cpp_is_graded_by_the_command(run_command: RunCommand, tmp_path: Path) -> None:
    problems, rows = tmp_path / "set.jsonl", tmp_path / "rows.jsonl"
    problems.write_text(
        "".join(json.dumps(to_plain(problem)) + "\n" for problem in (IN_CPP, WORDS)), "utf-8"
    )
    given = ((IN_CPP, ADD_CPP), (IN_CPP, COUNT_CPP), (WORDS, COUNT_CPP), (WORDS, ADD_PYTHON))
    rows.write_text(
        "".join(
            json.dumps(
                {
                    "problem_id": problem.problem_id,
                    "sample": number,
                    "completion": fenced(code, "cpp"),
                }
            )
            + "\n"
            for number, (problem, code) in enumerate(given)
        ),
        "utf-8",
    )
    done = run_command("grade", rows, "--problems", problems, "--json")
    assert done.returncode == 0, done.stderr
    shown = [row["status"] for row in json.loads(done.stdout)["verdicts"]]
    assert shown == ["passed", "wrong_answer", "passed", "wrong_language"]
    found = run_command("extract", "--language", "cpp", text=fenced(ADD_CPP, "cpp"))
    assert found.stdout == ADD_CPP
    wrong = run_command("extract", "--language", "c", text=fenced(ADD_CPP, "cpp"))
    assert wrong.returncode == 3
    assert "wrong_language" in wrong.stderr


def test_the_doctor_knows_every_compiler() -> None:
    found = {item.name: item for item in diagnose()}
    assert found["C compiler"].ok
    assert found["C++ compiler"].ok
    assert "g++" in found["C++ compiler"].detail
    assert not found["C++ compiler"].required


def test_every_language_has_its_files() -> None:
    assert list(toolchains()) == list(Language)
    assert [chain.title for chain in toolchains().values()] == ["Python", "C", "C++"]


def test_another_version_of_a_compiler_is_part_of_the_grader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = dataclasses.replace(toolchain_of(Language.CPP), build=("/usr/bin/other",))
    table: dict[Language, Toolchain] = {**toolchains(), Language.CPP: other}
    monkeypatch.setattr("codequake.sandbox.toolchains.toolchains", lambda: table)
    versions = {"/usr/bin/gcc": "12.2.0", "/usr/bin/other": "13.1.0"}
    monkeypatch.setattr("codequake.sandbox.toolchains._version", versions.get)
    assert compiler_version() == "12.2.0, C++ 13.1.0"
    versions["/usr/bin/other"] = "12.2.0"
    assert compiler_version() == "12.2.0"
    del versions["/usr/bin/other"]
    assert compiler_version() == "12.2.0"


def test_a_prompt_asks_for_cpp() -> None:
    variant = Variant(
        *("v", IN_CPP.problem_id, "clean", TaskKind.KEPT, (), 0, "Add.", None),
        *(IN_CPP.problem_id, None, None, None, None, (), (), True),
    )
    first, *_, last = render_messages(IN_CPP, variant, "few_shot")
    assert "a whole C++ program that reads standard input" in first.content
    assert "```cpp" in first.content
    assert last.content == "Add."


def test_outlines_see_through_names() -> None:
    one = Reference("one", Language.CPP, ADD_CPP)
    two = Reference("two", Language.CPP, ADD_CPP.replace("a", "q").replace("mqin", "main"))
    assert outline(one) != outline(Reference("three", Language.CPP, COUNT_CPP))
    assert outline(one) == outline(dataclasses.replace(two, code=ADD_CPP))


def test_functions_in_cpp_are_refused_clearly(grader: Grader) -> None:
    asked = dataclasses.replace(IN_CPP, interface=Interface.FUNCTION, entry_point="add")
    code = "int add(int a, int b) { return a + b; }\n"
    with pytest.raises(ValueError, match=r"asks for a C\+\+ function"):
        grader.grade(asked, completion(fenced(code, "cpp")), None)
