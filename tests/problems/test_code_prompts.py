"""Prompts of code in their parts: words that may change, code and examples that stay."""

from __future__ import annotations

import ast
import json
import random
from collections import Counter
from pathlib import Path

import pytest

from codequake.canonical import canonical_json
from codequake.grading import SandboxOracle
from codequake.perturb import PerturbationSpec, make_variants
from codequake.perturb.gate import check_draft
from codequake.perturb.layout import join_sections, split_sections
from codequake.perturb.spec import Draft
from codequake.problems import load_set, render_statement
from codequake.problems.code_prompts import code_statement, join_code_prompt, read_code_prompt
from codequake.problems.doc_examples import read_doc_examples
from codequake.records import JsonText, Problem
from codequake.sandbox import open_backend
from codequake.statements import SectionKind

HUMANEVAL = "humaneval/HumanEval.jsonl.gz"
CLEAN, DISTRACTED, STORY = (
    PerturbationSpec(name) for name in ("clean", "distracting_constraints", "storytelling")
)
PROMPT = (
    "import math\n\n\ndef half(x):\n    return x / 2\n\n\n"
    'def add_up(values: list[int], step: int = 1) -> int:\n    """Add up what `values` hold, at '
    'most 10 of them.\n\n    Use half_way twice. Say "no" never.\n    >>> add_up([1, 2], 3)\n'
    '    3\n    add_up([]) ➞ 0\n    Note that it is short.\n    """\n'
)


@pytest.fixture
def humaneval(test_data: Path) -> tuple[Problem, ...]:
    return load_set(f"humaneval:{test_data}/{HUMANEVAL}")


def test_parts_of_a_prompt() -> None:
    prompt = read_code_prompt(PROMPT)
    assert prompt is not None
    assert prompt.name == "add_up"
    assert prompt.lead.endswith('-> int:\n    """')
    assert prompt.task == (
        "Add up what `values` hold, at most 10 of them.",
        "",
        'Use half_way twice. Say "no" never.',
    )
    assert prompt.examples == (
        ">>> add_up([1, 2], 3)",
        "3",
        "add_up([]) ➞ 0",
        "Note that it is short.",
    )
    assert prompt.tail == '\n    """\n'
    assert prompt.before == "import math\n\n\ndef half(x):\n    return x / 2"
    assert join_code_prompt(
        prompt.lead, prompt.indent, (prompt.task, prompt.examples), prompt.tail
    ) == (PROMPT)


def test_the_structure_tells_all_that_the_prompt_says() -> None:
    structure = code_statement(PROMPT)
    assert structure is not None
    assert render_statement(structure) == (
        "Write a Python function `add_up(values: list[int], step: int=1) -> int`. Add up what "
        '`values` hold, at most 10 of them. Use half_way twice. Say "no" never.\n\n'
        "Input:\n`values: list[int]`\n`step: int`\nThis stands before the function:\nimport math\n"
        "def half(x):\n    return x / 2\n\nOutput:\n`int`\n\n"
        "Examples:\nExample 1:\nInput: values = [1, 2], step = 3\nOutput: 3\n\n"
        "Example 2:\nInput: values = []\nOutput: 0\nNote that it is short."
    )
    task = structure.sections[0]
    protected = [
        span.text
        for sentence in task.sentences[1:]
        for span in sentence.spans
        if span.kind.value == "protected"
    ]
    assert protected == ["`values`", "10", "half_way", '"no"']


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Write a function.",
        "def f(x):\n",
        "def f(x):\n    return x\n",
        'def f(x):\n    """Words."""\n    return x\n',
        'def f(x):\n    """   """\n',
        "class A:\n    def f(self):\n        '''Words.'''\n",
        "x = 'words'\n",
        'def f(x):\n    """Words.\n',
        "def f(x):\n    f'''Words {x}.'''\n",
        "(" * 5000,
        "Example:\nInput: 1\nOutput: 2",
    ],
)
def test_texts_that_are_no_prompt_of_code(text: str) -> None:
    assert read_code_prompt(text) is None
    assert code_statement(text) is None


@pytest.mark.parametrize(
    "text",
    [
        'def f(x):\n    """Words."""\n',
        "def f(x):\n    '''\n    Words.\n    '''\n",
        'def f(x):\n    r"""Words \\d."""\n',
        'def f(x):\n\t"""Words,\n\tand more.\n\t"""\n',
        'def f(x):\n    """Words,\n  less deep.\n        deeper\n    """',
        'def f(x):\n    """\n\n    Wörter über ➞.\n    \n    >>> f("é")\n    1\n\n    """   \n',
        'def f(x):\n    import math\n    """Words."""\n',
        '"""\nWrite a function.\nassert f(1) == 2\n"""\n',
        "@cache\ndef f(x):\n    'Words.'\n",
        'def f(x):\n    """>>> f(1)\n    2"""\n',
    ],
)
def test_the_parts_give_the_text_again(text: str) -> None:
    prompt = read_code_prompt(text)
    assert prompt is not None
    groups = (prompt.task, prompt.examples)
    assert join_code_prompt(prompt.lead, prompt.indent, groups, prompt.tail) == text
    structure = code_statement(text)
    assert structure is not None
    assert join_sections(split_sections(text, structure)) == text


EXAMPLES = [
    (["f(1) == 2"], [("[1]", "2")]),
    (["assert f(1) == 2"], [("[1]", "2")]),
    (["f(1) = 2"], [("[1]", "2")]),
    (["f(1) ➞ 2"], [("[1]", "2")]),
    (["f(1) => 2"], [("[1]", "2")]),
    (["f(1)==>2"], [("[1]", "2")]),
    (["f(1) -> 2"], [("[1]", "2")]),
    (["f(1) --> 2"], [("[1]", "2")]),
    (["f(1) → 2"], [("[1]", "2")]),
    (["f(1) # => 2"], [("[1]", "2")]),
    (["f(1)  # returns 'a'"], [("[1]", '"a"')]),
    (["f(1) returns 2"], [("[1]", "2")]),
    (["f(1) should return 2."], [("[1]", "2")]),
    (["- f(1) must return [2, 3]"], [("[1]", "[2,3]")]),
    (["* f([1, (2, 3)], 'a)') == (1, 2)"], [('[[1,[2,3]],"a)"]', "[1,2]")]),
    (["f(1) == true"], [("[1]", "true")]),
    (["f(1) == None"], [("[1]", "null")]),
    (["f(1) == 2 # two"], [("[1]", "2")]),
    (["f(1) == 2 (since it is so)"], [("[1]", "2")]),
    (["for f(1) == 2"], [("[1]", "2")]),
    ([">>> f(1)", "2", ">>> f(2)", "3"], [("[1]", "2"), ("[2]", "3")]),
    ([">>> f([1,", "...    2])", "[1,", " 2]"], [("[[1,2]]", "[1,2]")]),
    ([">>> f(1)", "2", "That is two."], [("[1]", "2")]),
    (["Input: 1", "Output: 2"], [("[1]", "2")]),
    (["Input: x = [1], y = 'a'", "Output: 2 # two"], [('[[1],"a"]', "2")]),
    (["For x = [1] the output should be 2"], [("[[1]]", "2")]),
    (['For s = "ab", c = "b", the result should be ("a", True)'], [('["ab","b"]', '["a",true]')]),
    (["f(1) == g(2)"], []),
    (["f(x) == 2"], []),
    (["f(n) = f(n-1) + 1"], []),
    (["f(1)"], []),
    (["f(1) is nice"], []),
    (["g(1) == 2"], []),
    (["f(x=1) == 2"], []),
    (["f(1) == 1 + 2 = 3"], []),
    (["f(1) == {1, 2}"], []),
    ([">>> f(1)"], []),
    ([">>> f(1)", "<object>"], []),
    ([">>> f(1) + 1", "2"], []),
    (["Input: 1"], []),
    (["Input: 1", "Result: 2"], []),
    (["Output: 2"], []),
    (["f(" + "(" * 5000], []),
]


@pytest.mark.parametrize(("lines", "found"), EXAMPLES)
def test_examples_in_each_form(lines: list[str], found: list[tuple[str, str]]) -> None:
    read = read_doc_examples(lines, "f")
    assert [(item.arguments, item.result) for item in read.examples] == found
    if not found:
        assert read.others == tuple(lines)


def test_all_prompts_of_humaneval_have_their_parts(humaneval: tuple[Problem, ...]) -> None:
    counts: Counter[str] = Counter()
    for problem in humaneval:
        structure = problem.structure
        assert structure is not None
        assert join_sections(split_sections(problem.statement, structure)) == problem.statement
        counts += Counter(section.kind.value for section in structure.sections)
        prompt = read_code_prompt(problem.statement)
        assert prompt is not None
        counts["read"] += len(read_doc_examples(prompt.examples, prompt.name).examples)
        # No word of the docstring is lost in the sections.
        words = set(" ".join(prompt.task).split())
        assert words <= set(render_statement(structure).split())
    assert counts["task"] == 164
    assert counts["input"] == 164
    assert counts["examples"] == 160  # 38, 41, 50 and 83 show none
    assert counts["read"] == 432


def test_examples_that_were_read_hold_in_the_sandbox(humaneval: tuple[Problem, ...]) -> None:
    oracle = SandboxOracle(open_backend("bwrap"))
    chosen = random.Random("doc examples").sample(humaneval, 12)
    false: list[str] = []
    for problem in (*chosen, humaneval[47], humaneval[116]):
        prompt = read_code_prompt(problem.statement)
        assert prompt is not None
        inputs = [
            JsonText(
                canonical_json(
                    f"import json\nresult = candidate(*json.loads({item.arguments!r}))\n"
                    f"assert json.loads(json.dumps(result)) == json.loads({item.result!r})"
                )
            )
            for item in read_doc_examples(prompt.examples, prompt.name).examples
        ]
        answers = oracle.answers(problem, problem.references[0], inputs)
        false += [problem.problem_id for answer in answers if answer.output != "true"]
    # Both are known mistakes of HumanEval's own prompts.
    assert Counter(false) == {"humaneval/HumanEval/47": 1, "humaneval/HumanEval/116": 2}


@pytest.mark.parametrize(
    ("name", "count"),
    [(f"humaneval:{HUMANEVAL}", 164), ("mbpp:mbpp/sanitized-mbpp-first150.json", 150)],
)
def test_the_gate_takes_every_clean_prompt(test_data: Path, name: str, count: int) -> None:
    form, _, path = name.partition(":")
    problems = load_set(f"{form}:{test_data}/{path}")
    assert len(problems) == count
    for problem in problems:
        (variant,) = make_variants(problem, (CLEAN,), seed=0, oracle=None).variants
        assert variant.gated, variant.checks
        assert variant.text == problem.statement


def test_constraints_go_into_a_docstring(humaneval: tuple[Problem, ...]) -> None:
    for problem in humaneval[::4]:
        (variant,) = make_variants(problem, (DISTRACTED,), seed=3, oracle=None).variants
        assert variant.gated, variant.checks
        changed, clean = read_code_prompt(variant.text), read_code_prompt(problem.statement)
        assert changed is not None
        assert clean is not None
        assert changed.examples == clean.examples
        assert changed.task[: len(clean.task)] == clean.task
        assert 3 <= len(changed.task) - len(clean.task) <= 5
        ast.parse(f"{variant.text.rstrip()}\n    pass\n")


def test_what_does_not_apply_says_why(humaneval: tuple[Problem, ...], test_data: Path) -> None:
    mbpp = load_set(f"mbpp:{test_data}/fixtures/mbpp_original.jsonl")[0]
    specs = (
        DISTRACTED,
        STORY,
        PerturbationSpec("formula", JsonText('{"distance":1}')),
    )
    reasons = [item.reason for item in make_variants(mbpp, specs, seed=0, oracle=None).skipped]
    assert reasons == [
        "the statement has no constraints to put others among",
        "the statement names no other world to tell it in",
        "the problem has no formula",
    ]
    made = make_variants(humaneval[0], specs, seed=0, oracle=None)
    assert [item.reason for item in made.skipped] == reasons[1:]


CHANGES = {
    "another word": ("Check", "Look", None),
    "blank lines in the code": ("bool:\n", "bool:\n\n", None),
    "a number": ("threshold.\n", "threshold of 3.\n", "numbers"),
    "an example": ("    False\n", "    True\n", "sections"),
    "the signature": ("threshold: float", "threshold: int", "sections"),
    "an import": ("import List", "import List, Any", "sections"),
    "the quotes": ('"""\n', '" " "\n', "sections"),
    "a new line": ("threshold.\n", "threshold.\n    Say so.\n", None),
    "a line that is less deep": ("threshold.\n", "threshold.\nSay so.\n", "sections"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_gate_on_prompts_of_code(humaneval: tuple[Problem, ...], what: str) -> None:
    old, new, failing = CHANGES[what]
    problem = humaneval[0]
    text = problem.statement.replace(old, new)
    assert text != problem.statement
    checks = check_draft(problem, Draft(text, ()), None)
    failed = {check.name for check in checks if not check.passed}
    assert failed == (set() if failing is None else failed | {failing})
    assert bool(failed) == (failing is not None)


def test_a_renamed_function_is_compared_by_its_own_name(humaneval: tuple[Problem, ...]) -> None:
    problem = humaneval[0]
    text = problem.statement.replace("has_close_elements", "hasCloseElements")
    good = check_draft(problem, Draft(text, (), entry_point="hasCloseElements"), None)
    assert all(check.passed for check in good)
    bad = check_draft(problem, Draft(text, ()), None)
    assert not all(check.passed for check in bad)


def test_sections_of_leetcode_texts(test_data: Path) -> None:
    for name in (
        "lcb:fixtures/lcb_code_generation_lite.jsonl",
        "leetcode-dataset:fixtures/leetcodedataset.jsonl",
    ):
        form, _, path = name.partition(":")
        problem = load_set(f"{form}:{test_data}/{path}")[0]
        assert problem.structure is not None
        kinds = [section.kind for section in problem.structure.sections]
        assert kinds == [
            SectionKind.TASK,
            SectionKind.EXAMPLES,
            SectionKind.CONSTRAINTS,
            SectionKind.INPUT,
        ]
        sections = split_sections(problem.statement, problem.structure)
        assert join_sections(sections) == problem.statement
        (variant,) = make_variants(problem, (DISTRACTED,), seed=0, oracle=None).variants
        assert variant.gated, variant.checks
        wrong = problem.statement.replace("Output: 2", "Output: 3")
        failed = [
            check.name for check in check_draft(problem, Draft(wrong, ()), None) if not check.passed
        ]
        assert "examples" in failed


def test_statements_are_examples_where_they_test(test_data: Path) -> None:
    oracle = SandboxOracle(open_backend("bwrap"))
    problem = load_set(f"mbpp:{test_data}/fixtures/mbpp_original.jsonl")[0]
    (variant,) = make_variants(problem, (CLEAN,), seed=0, oracle=oracle).variants
    assert [(check.name, check.passed) for check in variant.checks][-2:] == [
        ("examples", True),
        ("examples_run", True),
    ]
    wrong = problem.statement.replace("== 2", "== 3")
    failed = {c.name for c in check_draft(problem, Draft(wrong, ()), oracle) if not c.passed}
    assert {"examples", "examples_run"} <= failed


def test_an_export_keeps_the_structure(humaneval: tuple[Problem, ...], tmp_path: Path) -> None:
    from codequake.codec import to_plain

    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(to_plain(humaneval[3])))
    assert load_set(str(path)) == (humaneval[3],)


def test_own_layouts_are_no_contradiction(test_data: Path) -> None:
    import dataclasses

    from codequake.problems import Rules
    from codequake.problems.structure import structure_findings

    words = "the structured statement does not render to the flat one"
    for name in (
        f"humaneval:{test_data}/fixtures/humaneval_problems.jsonl",
        f"lcb:{test_data}/fixtures/lcb_code_generation_lite.jsonl",
        f"mbpp:{test_data}/fixtures/mbpp_original.jsonl",
    ):
        problem = load_set(name)[0]
        assert words not in list(structure_findings(problem, Rules(hidden=0)))
        other = dataclasses.replace(problem, statement=problem.statement.replace("Return", "Give"))
        other = dataclasses.replace(other, statement=f"{other.statement} And more.")
        assert words in list(structure_findings(other, Rules(hidden=0)))
