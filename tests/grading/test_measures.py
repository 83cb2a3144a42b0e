from __future__ import annotations

import pytest

from codequake.grading.counts import Measures, Unmeasured
from codequake.grading.measures import comment_density, measure_program
from codequake.records import Language

PYTHON = '''# head
def f(a, b):
    """Doc.

    More # not."""
    x = "# no"  # yes
    if a and b or x:
        return [i for i in range(3) if i]
    elif a:
        return f"{a}{b!r}"
    match a:
        case 1 if b: pass
        case _: pass
    return 0x10
'''
C = r"""#include <stdio.h>
#define M(a) if (a && \
   b)
/* two
 lines */
int main(void) { // x "
  char *s = "// no \" /* ";
  for (int i = 0; i < 3 && s; i++) { if (i) puts(s); }
  do { } while (0);
  return 'a' ? 1 : 2;
}
"""


def measured(text: str, language: Language = Language.PYTHON) -> Measures:
    found = measure_program(text, language)
    assert isinstance(found, Measures), found
    return found


def test_python_is_measured_as_counted_by_hand() -> None:
    found = measured(PYTHON)
    # 14 lines, one of them blank and inside of the docstring.
    assert (found.lines, found.code_lines) == (13, 10)
    assert (found.comment_lines, found.docstring_lines) == (2, 3)
    # if, and, or, the for and the if of the list, elif, the first case and its guard.
    assert (found.complexity, found.approximate) == (9, False)
    assert found.names == ("a", "b", "f", "i", "range", "x")
    assert found.literals == ("'# no'", "1", "16", "3")
    assert comment_density(found) == 2 / 13


def test_c_is_measured_as_counted_by_hand() -> None:
    found = measured(C, Language.C)
    assert (found.lines, found.code_lines, found.comment_lines) == (11, 9, 3)
    # for, &&, if, while, ?; what stands in the macro is not counted.
    assert (found.complexity, found.approximate, found.nodes) == (6, True, None)
    assert found.names == ("i", "main", "puts", "s")
    assert found.literals == ('"// no \\" /* "', "'a'", "0", "1", "2", "3")


@pytest.mark.parametrize(
    ("text", "tokens", "nodes"),
    [
        # Module, Assign, Name, Store, Constant
        ("x = 1\n", 3, 5),
        # Module, Expr, Constant; a docstring is one token
        ('"""a"""\n', 1, 3),
        # an f-string is one token whatever is in it
        ('y = f"{x + 1} and {x}"\n', 3, None),
        ("", None, None),
    ],
)
def test_sizes(text: str, tokens: int | None, nodes: int | None) -> None:
    found = measure_program(text, Language.PYTHON)
    if tokens is None:
        assert found == Unmeasured("there is no program")
    else:
        assert isinstance(found, Measures)
        assert found.tokens == tokens
        assert nodes is None or found.nodes == nodes


@pytest.mark.parametrize(
    ("text", "complexity"),
    [
        ("pass", 1),
        ("if a: pass\nelse: pass", 2),
        ("if a: pass\nelif b: pass", 3),
        ("for a in b: pass\nelse: pass", 2),
        ("while a: pass", 2),
        ("with a: pass", 1),
        ("try: pass\nexcept A: pass\nexcept B: pass\nelse: pass\nfinally: pass", 3),
        ("a = b if c else d", 2),
        ("a = b and c and d or e", 4),
        ("a = not b", 1),
        ("assert a", 2),
        ("a = lambda: 0", 1),
        ("a = {b: c for b in d for c in e if b if c}", 5),
        ("match a:\n case 1: pass\n case 2: pass\n case b: pass", 3),
        ("match a:\n case 1 | 2: pass\n case _ if b: pass", 3),
    ],
)
def test_each_decision_counts_once(text: str, complexity: int) -> None:
    assert measured(text).complexity == complexity


@pytest.mark.parametrize(
    ("text", "complexity"),
    [
        ("int main(){}", 1),
        ("int main(){switch(a){case 1: case 2: default: ;}}", 3),
        ("int main(){if(a||b);else if(c);}", 4),
        ("int main(){do;while(a);}", 2),
        ("int main(){try{}catch(...){}}", 2),
        ("#if A && B\nint main(){}\n#endif", 1),
        ("#define X \\\n if (a) \\\n while\nint main(){if(a);}", 2),
        ('int main(){char*s="if (a && b)";/* if */ // while\n}', 1),
        ('auto s = R"x(if " )" while)x"; int f(){if(a);}', 2),
    ],
)
def test_each_decision_of_c_counts_once(text: str, complexity: int) -> None:
    assert measured(text, Language.CPP).complexity == complexity


def test_a_sign_in_a_text_is_no_comment() -> None:
    assert measured("x = '#'\ny = '''\n# no\n'''").comment_lines == 0
    assert measured("x = 1 # a # b\n# c").comment_lines == 2
    assert measured('int main(){char*s="//";}', Language.C).comment_lines == 0
    # A line that ends in a backslash goes on, in a comment too.
    assert measured("int a; // b \\\n c\nint d;", Language.C).comment_lines == 2


def test_line_ends_do_not_matter() -> None:
    assert measured(PYTHON.replace("\n", "\r\n")) == measured(PYTHON)
    assert measured(C.replace("\n", "\r\n"), Language.C) == measured(C, Language.C)


HOSTILE = {
    "deep unary": "-" * 200_000 + "1",
    "deep brackets": "(" * 100_000,
    "deep attributes": "x" + ".a" * 100_000,
    "deep calls": "f" + "()" * 100_000,
    "deep blocks": "\n".join(" " * level + "if x:" for level in range(300)),
    "a long chain": "x" + "<x" * 100_000,
    "one megabyte": "x=1\n" * 262_144,
    "a null byte": "x = 1\0",
    "half a character": 'x = "\ud800"',
    "a huge number": "x = 0x" + "f" * 200_000,
    "many digits": "x = " + "9" * 5_000,
    "raw strings": 'R"(' * 80_000,
    "escaped quotes": "\\'" * 130_000,
    "escaped double quotes": '\\"' * 130_000,
    "comment starts": "/*" * 130_000,
    "backslashes": "\\" * 262_144,
    "quotes": '"' * 262_144,
    "an endless text": '"""a\n' + "b\n" * 100_000,
    "other line ends": "x = 1\x0c\n\x0b\u2028\x85",
}


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_any_text_has_measures_or_a_reason(text: str, language: Language) -> None:
    found = measure_program(text, language)
    match found:
        case Unmeasured(reason):
            assert reason
            assert len(reason) < 120
        case Measures():
            assert found.complexity >= 1
            assert found.tokens >= 0
            assert all(len(item) < 200 for item in found.literals)
    assert found == measure_program(text, language)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (HOSTILE["one megabyte"], "it has 1048576 characters, and at most 262144 are parsed"),
        (HOSTILE["a null byte"], "it holds a null byte"),
        (HOSTILE["half a character"], "it holds half of a character"),
        (HOSTILE["deep attributes"], "it is nested too deeply"),
        ("x = 1\nif", "its syntax is wrong in line 2"),
    ],
)
def test_python_that_does_not_parse_says_why(text: str, why: str) -> None:
    assert measure_program(text, Language.PYTHON) == Unmeasured(f"it does not parse: {why}")


def test_brackets_that_do_not_close_are_told() -> None:
    why = Unmeasured("it does not parse: its brackets do not close")
    assert measure_program("int main() {", Language.C) == why
    assert measure_program("int main() }{", Language.CPP) == why
    assert measured("int main() { return ')'; }", Language.C).tokens == 9
