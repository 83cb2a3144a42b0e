"""What the paper counts together has statuses of its own: awkward replies to prompts for C."""

from __future__ import annotations

import pytest
from tests.grading.grading_samples import IN_C, completion

from codequake.grading import Grader, extract
from codequake.records import Language, Status

SUM = (
    "#include <stdio.h>\n\nint main(void) {\n    int a, b;\n"
    '    scanf("%d %d", &a, &b);\n    printf("%d\\n", a + b);\n    return 0;\n}\n'
)


def fence(code: str, tag: str = "c") -> str:
    return f"```{tag}\n{code}\n```\n"


# (name, reply, status that extraction gives, None for a program)
REPLIES: list[tuple[str, str, Status | None]] = [
    # -- another language
    (
        "iostream",
        fence("#include <iostream>\nint main() { std::cout << 1; }"),
        Status.WRONG_LANGUAGE,
    ),
    ("cmath", fence("#include <cmath>\nint main() { return 0; }"), Status.WRONG_LANGUAGE),
    (
        "bits",
        fence("#include <bits/stdc++.h>\nint main() { int a; return a; }"),
        Status.WRONG_LANGUAGE,
    ),
    (
        "using namespace",
        fence("#include <stdio.h>\nusing namespace std;\nint main() { return 0; }"),
        Status.WRONG_LANGUAGE,
    ),
    (
        "references",
        fence(
            "#include <stdio.h>\nvoid swap(int &a, int &b) { int t = a; a = b; b = t; }\n"
            "int main(void) { int a = 1, b = 2; swap(a, b); return 0; }"
        ),
        Status.WRONG_LANGUAGE,
    ),
    (
        "new and delete",
        fence("#include <stdio.h>\nint main() { int *p = new int[3]; delete[] p; return 0; }"),
        Status.WRONG_LANGUAGE,
    ),
    (
        "nullptr",
        fence("#include <stdio.h>\nint main() { int *p = nullptr; return p != 0; }"),
        Status.WRONG_LANGUAGE,
    ),
    (
        "static_cast",
        fence("#include <stdio.h>\nint main() { double x = static_cast<double>(3); return x; }"),
        Status.WRONG_LANGUAGE,
    ),
    (
        "template",
        fence(
            "#include <stdio.h>\ntemplate <typename T> T add(T a, T b) { return a + b; }\n"
            "int main() { return add(1, 2); }"
        ),
        Status.WRONG_LANGUAGE,
    ),
    (
        "class",
        fence(
            "#include <stdio.h>\nclass Sum {\npublic:\n    int add(int a, int b);\n};\n"
            "int main() { return 0; }"
        ),
        Status.WRONG_LANGUAGE,
    ),
    (
        "python in a C fence",
        fence("a, b = map(int, input().split())\nprint(a + b)"),
        Status.WRONG_LANGUAGE,
    ),
    (
        "python",
        fence("import sys\nfor line in sys.stdin:\n    print(line)", "python"),
        Status.WRONG_LANGUAGE,
    ),
    ("python function", fence("def solve(a, b):\n    return a + b\n", ""), Status.WRONG_LANGUAGE),
    (
        "bare python",
        "def main():\n    a = int(input())\n    print(a)\n\nmain()\n",
        Status.WRONG_LANGUAGE,
    ),
    (
        "python with main",
        fence('def main():\n    print(1)\n\nif __name__ == "__main__":\n    main()\n'),
        Status.WRONG_LANGUAGE,
    ),
    (
        "java",
        fence("import java.util.Scanner;\npublic class Main {\n}", "java"),
        Status.WRONG_LANGUAGE,
    ),
    ("rust", fence('fn main() {\n    println!("{}", 1);\n}', "rust"), Status.WRONG_LANGUAGE),
    (
        "go",
        fence('package main\n\nimport "fmt"\n\nfunc main() {\n    fmt.Println(1)\n}', "go"),
        Status.WRONG_LANGUAGE,
    ),
    ("javascript", fence("const x = 3;\nconsole.log(x);", "js"), Status.WRONG_LANGUAGE),
    ("pascal", fence("begin\n  writeln(1);\nend.", "pascal"), Status.WRONG_LANGUAGE),
    # -- C, whatever it looks like
    ("cpp fence", fence(SUM, "cpp"), None),
    ("no tag", fence(SUM, ""), None),
    ("bare", SUM, None),
    (
        "variable called class",
        fence(
            SUM.replace("a", "class").replace("mclassin", "main").replace("scclassnf", "scanf"), "c"
        ),
        None,
    ),
    (
        "variable called new",
        fence(SUM.replace("int a, b;", "int a, b, new = 0; (void) new;")),
        None,
    ),
    ("cpp named in a comment", fence("/* like std::cout << x; in C++ */\n" + SUM), None),
    ("cpp named in a string", fence(SUM.replace('"%d\\n"', '"%d\\n" /* cout << */')), None),
    ("python shown first", fence("print(1)", "python") + "and in C:\n" + fence(SUM), None),
    ("python shown last", fence(SUM) + "in Python:\n" + fence("print(1)", "python"), None),
    ("address of in a call", fence(SUM.replace("&a, &b", "& a, & b")), None),
    ("bitwise and", fence(SUM.replace("a + b", "(a & b) + (a | b)")), None),
    ("old style main", fence(SUM.replace("int main(void)", "main()")), None),
    ("argc argv", fence(SUM.replace("(void)", "(int argc, char **argv)")), None),
    ("brace on the next line", fence(SUM.replace("(void) {", "(void)\n{")), None),
    ("digraphs", fence(SUM.replace("#include", "%:include")), None),
    ("line ends of Windows", fence(SUM.replace("\n", "\r\n")), None),
    ("several mains", fence(SUM) + "better:\n" + fence(SUM.replace("a + b", "b + a")), None),
    (
        "a brace in a character",
        fence(SUM.replace("return 0;", "char c = '{'; return c == '}';")),
        None,
    ),
    # -- nothing that runs
    ("comments only", fence("// Read a and b.\n// Print their sum.\n"), Status.NO_CODE),
    (
        "a program in a comment",
        fence("/*\n#include <stdio.h>\nint main(void) { return 0; }\n*/\n"),
        Status.NO_CODE,
    ),
    (
        "a program in line comments",
        fence("".join(f"// {line}\n" for line in SUM.splitlines())),
        Status.NO_CODE,
    ),
    ("a comment that is never closed", fence("/* int main(void) { return 0; }\n"), Status.NO_CODE),
    ("instructions", fence("1. Read a and b.\n2. Print a + b.\n", ""), Status.NO_CODE),
    ("an empty fence", fence(""), Status.NO_CODE),
    ("a number", fence("7.000000", ""), Status.NO_CODE),
    ("prose", "The sum of both numbers is printed with printf.", Status.NO_CODE),
    ("nothing", "", Status.NO_CODE),
    ("a command", fence("gcc main.c -lm -o main && ./main", "sh"), Status.NO_CODE),
    ("a formula", fence("a + b", ""), Status.NO_CODE),
]


@pytest.mark.parametrize(
    ("reply", "status"), [row[1:] for row in REPLIES], ids=[row[0] for row in REPLIES]
)
def test_what_a_reply_is(reply: str, status: Status | None) -> None:
    found = extract(reply, language=Language.C, entry_point=None)
    assert found.status is status, f"{found.rule}: {found.message}\n{found.program}"


BODY = (
    "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {{ int a = 1, b = 2; {} return 0; }}\n"
)


@pytest.mark.parametrize(
    ("code", "status", "message"),
    [
        # Never reads what it is given.
        (BODY.format('printf("%d", a + b);'), Status.IGNORES_INPUT, "reads nothing"),
        (BODY.format('printf("%d\\n", 7);'), Status.IGNORES_INPUT, "reads nothing"),
        (BODY.format(""), Status.IGNORES_INPUT, "reads nothing"),
        (BODY.format("exit(0);"), Status.IGNORES_INPUT, "reads nothing"),
        # Reads a part of it, or reads it and does nothing with it: wrong, and not ignored.
        (BODY.format('scanf("%d", &a); printf("%d", a);'), Status.WRONG_ANSWER, ""),
        (BODY.format('scanf("%d %d", &a, &b); printf("7");'), Status.WRONG_ANSWER, ""),
        (BODY.format("getchar();"), Status.WRONG_ANSWER, ""),
        (
            SUM.replace('"%d\\n"', '"Sum = %d\\n"'),
            Status.WRONG_ANSWER,
            "the right numbers stand among other text",
        ),
        # Crashes, or says that it failed, before it reads: that is what is told.
        (BODY.format("abort();"), Status.RUNTIME_ERROR, ""),
        (BODY.format("return 3;"), Status.RUNTIME_ERROR, ""),
        # Reads the command line instead.
        (
            "#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **v) {"
            ' printf("%d\\n", n > 2 ? atoi(v[1]) + atoi(v[2]) : 0); return 0; }\n',
            Status.IGNORES_INPUT,
            "reads nothing",
        ),
        # The first line of the compiler.
        (BODY.format("return a + c;"), Status.COMPILE_ERROR, "'c' undeclared"),
        (BODY.format('printf("%d", a) return 0;'), Status.COMPILE_ERROR, "expected ';'"),
        (BODY.format("").replace("main", "solve"), Status.COMPILE_ERROR, "main"),
        (
            '#include <stdio.h>\n#include "mine.h"\nint main(void) {}\n',
            Status.COMPILE_ERROR,
            "mine.h",
        ),
        (BODY.format("missing(a);"), Status.COMPILE_ERROR, "missing"),
        (SUM, Status.PASSED, ""),
    ],
)
def test_how_a_program_ends(grader: Grader, code: str, status: Status, message: str) -> None:
    verdict = grader.grade(IN_C, completion(fence(code)), None)
    assert verdict.status is status, verdict.message
    assert message in verdict.message.replace("\u2018", "'").replace("\u2019", "'")
    assert "\n" not in verdict.message
    assert "/run/" not in verdict.message
