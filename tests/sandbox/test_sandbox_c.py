"""What C programs can rely on, and what a hostile source cannot do to the compiler."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from codequake.sandbox import BubblewrapBackend, Ending, Job, Limits, Mode, Outcome
from codequake.tasks import Language

QUICK = Limits(
    cpu_seconds=1.0,
    memory_bytes=512 << 20,
    output_bytes=1 << 20,
    build_cpu_seconds=1.0,
    build_memory_bytes=512 << 20,
)
HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\n#include <unistd.h>\n"


SHORT = dataclasses.replace(QUICK, cpu_seconds=0.3, wall_factor=3.0)  # to end what waits


def run(backend: BubblewrapBackend, source: str, *texts: str, limits: Limits = QUICK) -> Outcome:
    inputs = tuple(json.dumps(text) for text in texts or ("1\n",))
    outcome = backend.run(Job(Language.C, source, Mode.STDIN, None, inputs, limits))
    assert outcome.harness_error is None
    return outcome


def body(text: str) -> str:
    return f"{HEAD}int main(void) {{ {text} return 0; }}"


def test_each_input_is_a_process_of_its_own(backend: BubblewrapBackend) -> None:
    source = (
        HEAD
        + "static int n; int main(void) { int x; n++;"
        + ' scanf("%d", &x); printf("%d %d", n, x); return 0; }'
    )
    outcome = run(backend, source, "5", "6")
    assert [json.loads(item.output or "") for item in outcome.runs] == ["1 5", "1 6"]
    assert [item.read_input for item in outcome.runs] == [True, True]


@pytest.mark.parametrize("expression", ["pow(x, 0.5)", "pow(2.0, 0.5)", "sin(x) * 0 + sqrt(x)"])
def test_libm_is_always_linked(backend: BubblewrapBackend, expression: str) -> None:
    source = body(f'double x; scanf("%lf", &x); printf("%.6f", {expression});')
    (item,) = run(backend, source, "2").runs
    assert json.loads(item.output or "") == "1.414214"


def test_unread_input_is_seen(backend: BubblewrapBackend) -> None:
    assert run(backend, body('printf("3");'), "2").runs[0].read_input is False


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("return 3;", Ending.CRASHED),
        ("exit(1);", Ending.CRASHED),
        ("int *p = 0; *p = 1;", Ending.CRASHED),
        ("volatile int z = 0; return 7 / z;", Ending.CRASHED),
        ("while (1);", Ending.TIMEOUT),
        ('while (1) puts("x");', Ending.OUTPUT_LIMIT),
        (
            "while (1) { char *p = malloc(1 << 20); for (int i = 0; p && i < 9999; i++) *p = 1; }",
            Ending.TIMEOUT,
        ),
        ("for (;;) fork();", Ending.TIMEOUT),
        ("for (;;) pause();", Ending.TIMEOUT),
        ('static char a[2000000000]; a[atoi("5")] = 1; printf("%d", a[7]);', Ending.MEMORY_LIMIT),
        (
            'char a[200000000]; for (int i = 0; i < 200000000; i++) a[i] = 1; printf("%d", a[7]);',
            Ending.CRASHED,
        ),
        ("kill(1, 9); kill(0, 9);", Ending.CRASHED),
        ("for (int i = 3; i < 200; i++) close(i);", Ending.RETURNED),
        ('system("ls /; cat /etc/passwd"); printf("x");', Ending.RETURNED),
        ('asm volatile ("int $0x80" :: "a" (20));', Ending.CRASHED),
    ],
)
def test_endings(backend: BubblewrapBackend, text: str, ending: Ending) -> None:
    if "int $0x80" in text and not Path("/usr/lib64/ld-linux-x86-64.so.2").exists():
        pytest.skip("x86 only")
    limits = SHORT if ending is Ending.TIMEOUT else QUICK
    outcome = run(backend, "#include <signal.h>\n" + body(text), "1", "2", limits=limits)
    assert outcome.build.ok, outcome.build.why
    assert outcome.runs[0].ending is ending
    assert len(outcome.runs) == 2


def test_a_program_cannot_change_or_remove_what_runs_next(backend: BubblewrapBackend) -> None:
    source = body('system("rm -rf /tmp/* /run/*; echo x > /tmp/program"); printf("1");')
    assert [item.ending for item in run(backend, source, "1", "2").runs] == [Ending.RETURNED] * 2


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("int main(void) { return 0 }", "expected"),
        ("int f(void) { return 0; }", "main"),
        ("#include <iostream>\nint main() { std::cout << 1; }", "iostream"),
        ('#include "/etc/passwd"\nint main(void) {}', "No such file"),
        ('#include "/proc/self/environ"\nint main(void) {}', "No such file"),
        ('asm(".incbin \\"/etc/shadow\\"");\nint main(void) {}', "shadow"),
        ('#include "/dev/zero"\nint main(void) {}', ""),
        ('#include "main.c"\nint main(void) {}', ""),
        (
            "#define A(x) B(x) B(x)\n#define B(x) C(x) C(x)\n#define C(x) D(x) D(x)\n"
            + "".join(
                f"#define {a}(x) {b}(x) {b}(x) {b}(x) {b}(x)\n"
                for a, b in zip("DEFGHIJKL", "EFGHIJKLM", strict=True)
            )
            + "#define M(x) x+x+x+x\nint main(void) { return A(1) 0; }",
            "",
        ),
        ("int a[" + "(" * 100000 + "1" + ")" * 100000 + "];\nint main(void) {}", ""),
    ],
)
def test_hostile_sources_are_compile_errors(
    backend: BubblewrapBackend, source: str, complaint: str
) -> None:
    outcome = run(backend, source)
    assert not outcome.build.ok
    assert complaint in outcome.build.why
    assert "root" not in outcome.build.why
    assert outcome.runs == ()
