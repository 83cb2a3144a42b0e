"""The tables behind extraction: invisible characters, prose, control tokens, kinds of classes."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from tests.grading.test_grading_replies import CASES

from codequake.grading.chat_tokens import first_turns, without_special_tokens
from codequake.grading.extract import extract
from codequake.grading.fitness import Fit
from codequake.grading.invisible import INVISIBLE, without_invisible_edges
from codequake.grading.prose import is_prose
from codequake.grading.python_text import python_fit
from codequake.records import Language, StopReason

SOLUTION = "def first(items):\n    return items[0]"


def test_invisible_characters_are_the_format_characters_of_the_interpreter() -> None:
    known = {chr(code) for code in range(sys.maxunicode + 1) if _category(chr(code)) == "Cf"}
    assert known <= set(INVISIBLE)
    assert {_category(sign) for sign in set(INVISIBLE) - known} <= {"Cn"}  # of a newer Unicode
    assert len(INVISIBLE) == len(set(INVISIBLE))


def _category(sign: str) -> str:
    return unicodedata.category(sign)


@pytest.mark.parametrize(
    ("line", "visible"),
    [
        ("\u200b    return 1\u200b\n", "    return 1\n"),
        ("  \ufeff  x\r\n", "    x\r\n"),
        ("a\u200bb\u2060 \n", "a\u200bb \n"),
        ("\u200b\n", "\n"),
        ("", ""),
    ],
)
def test_only_the_edges_of_lines_lose_invisible_characters(line: str, visible: str) -> None:
    assert without_invisible_edges([line]) == [visible]


PROSE = [
    "This takes the first item.",
    "Explanation:",
    "**Explanation:**",
    "Thanks!",
    "- it's constant in time",
    "1. Look at the list.",
    "The call `f(x)` is fast.",
    "if you like, change the limit.",
    "for example, this one runs fast",
    "\u65f6\u95f4\u590d\u6742\u5ea6\u4e3a\u3002",
    "Die Funktion gibt das erste Element zur\u00fcck.",
    "Note that x = 1 is allowed.",
]
CODE = [
    "",
    "def last(items",
    "def last(items)\n    return the last one",
    "    indented words here",
    "print first(items)",
    "print(the first item",
    "return the",
    "for item in items:",
    "if not items:",
    "while items and more:",
    "class Foo(object",
    "x = first item",
    "items.append(",
    "from x import",
    'raise ValueError("the list is empty',
    "else:",
    "match items",
    "int x;",
    "# a comment in words",
    "Done.",
]


@pytest.mark.parametrize("text", PROSE)
def test_sentences_are_prose(text: str) -> None:
    assert is_prose(text)


@pytest.mark.parametrize("text", CODE)
def test_code_is_not_prose(text: str) -> None:
    assert not is_prose(text)


ENDS = [
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<|im_end|>",
    "<|im_end|>\n<|im_start|>",
    "<|end|>",
    "<|endoftext|>",
    "<|EOT|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|return|>",
    "<|eot|>",
    "<|endofresponse|>",
    "<|role_end|>",
    "</s>",
    "[/INST]",
    "<end_of_turn>",
    "<turn|>",
    "<eos>",
    "<EOT>",
    "<end_of_utterance>",
    "<seed:eos>",
    "<eoa>",
    "<reserved_106>",
    "[|endofturn|]",
    "[UNUSED_TOKEN_145]",
    "<\uff5cend\u2581of\u2581sentence\uff5c>",
    "<extra_id_1>",
    "<|reserved_special_token_0|>",
    "<|extra_4|>",
    "<EOS_TOKEN>",
    "<im_end>",
    "<SPECIAL_12>",
]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("behind", ["", "\n", "\u200b", "</s>\n "])
def test_end_tokens_glued_to_bare_code_are_cut(end: str, behind: str) -> None:
    assert without_special_tokens(SOLUTION + end + behind) == (SOLUTION, True)


STARTS = (
    "<|im_start|>assistant\n",
    "<|start_header_id|>assistant<|end_header_id|>\n\n",
    "<bos><start_of_turn>model\n",
    "<|header_start|>Assistant<|header_end|>\n",
    "<|start_of_role|>assistant<|end_of_role|>",
    "<|assistant|>",
    "<s> [/INST] ",
    "<\uff5cAssistant\uff5c>",
    "[|assistant|]",
    "[gMASK]<sop><|assistant|>\n",
    "<role>ASSISTANT</role>",
    "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
)


@pytest.mark.parametrize("start", STARTS)
def test_start_tokens_and_their_roles_are_cut(start: str) -> None:
    text, cut = without_special_tokens(start + SOLUTION)
    assert cut
    assert text.strip() == SOLUTION


@pytest.mark.parametrize(
    "text", ["assistant = 1", "x = y < 3", "items[first]", "a <s> b", "", "  "]
)
def test_a_text_without_tokens_stays(text: str) -> None:
    assert without_special_tokens(text) == (text, False)


NEXT = (
    "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nThanks!",
    "<|im_end|>\n<|im_start|>user\nThanks!",
    "</s>[INST] Thanks! [/INST]",
    "<|end|>\n<|user|>\nThanks!",
    "<end_of_turn>\n<start_of_turn>user\nThanks!",
    "<|endoftext|>Human: Thanks!",
    "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>Thanks!",
    "<\uff5cend\u2581of\u2581sentence\uff5c><\uff5cUser\uff5c>Thanks!",
    "[|endofturn|]\n[|user|]Thanks!",
    "<|eot|><|header_start|>user<|header_end|>\n\nThanks!",
    "\n<|user|>\nThanks!",
    "<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>Thanks!",
    "<|im_end|><|im_user|>user<|im_middle|>Thanks!",
    "<eoa>\nThanks!",
    "<reserved_106>Thanks!",
)


@pytest.mark.parametrize("behind", NEXT)
@pytest.mark.parametrize("frame", ["{}", "```python\n{}\n```", "```python\n{}"])
def test_bare_code_ends_where_the_turn_ends(behind: str, frame: str) -> None:
    found = _extract(frame.format(SOLUTION) + behind)
    assert found.strip() == SOLUTION


@pytest.mark.parametrize(
    "text",
    [
        'x = "<|im_end|>"',
        "x = f'a <|im_end|>b'",
        '"""\n<|im_start|>user\n"""',
        "the `<|im_end|>` token",
        "the <|im_end|> token",
        "<|im_start|>assistant\n",
        "a prompt [/INST] and its answer",
        "a prompt\n<|assistant|>\nand its answer",
    ],
)
def test_text_about_tokens_ends_no_turn(text: str) -> None:
    assert list(first_turns(text)) == []


@pytest.mark.parametrize(
    ("program", "fit"),
    [
        ("def first(x): pass", Fit.WHOLE),
        ("if x:\n    first = len", Fit.WHOLE),
        ("class Solution:\n    def first(self): pass", Fit.WHOLE),
        ("class Other:\n    def first(self): pass", Fit.PROGRAM),
        ("class Other:\n    first = len", Fit.PROGRAM),
        ("class A:\n    def first(self): pass\nclass B:\n    def first(self): pass", Fit.PARTIAL),
        (
            "class A:\n    def first(self): pass\nclass TestA:\n    def first(self): pass",
            Fit.PROGRAM,
        ),
        ("class Testing:\n    def first(self): pass", Fit.PROGRAM),
        ("class TestFirst:\n    def first(self): pass", Fit.PARTIAL),
        ("class FirstTests(Base):\n    def first(self): pass", Fit.PARTIAL),
        ("class Checks(unittest.TestCase):\n    def first(self): pass", Fit.PARTIAL),
        ("class A:\n    class B:\n        def first(self): pass", Fit.PARTIAL),
        ("from solution import first\nprint(first(1))", Fit.PARTIAL),
        ("match x:\n    case 1:\n        def first(): pass", Fit.WHOLE),
    ],
)
def test_fit_follows_where_the_name_is_defined(program: str, fit: Fit) -> None:
    assert python_fit(program, "first") is fit


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_a_program_is_made_of_text_of_the_reply(case: dict[str, str]) -> None:
    found = extract(
        case["reply"],
        language=Language(case["language"]),
        entry_point=case["entry_point"] or None,
        stop_reason=StopReason(case["stop_reason"]),
    )
    signs = iter(case["reply"])
    assert all(sign in signs for sign in found.program)


@pytest.mark.parametrize("token", ["<s>", "<|im_end|>", "x<|im_end|>\n", "\u200b", "In [1]: x\n"])
def test_a_reply_of_one_mark_again_and_again_has_no_program(token: str) -> None:
    assert "first" not in _extract(token * (400_000 // len(token)))


def _extract(reply: str) -> str:
    return extract(
        reply, language=Language.PYTHON, entry_point="first", stop_reason=StopReason.STOP
    ).program
