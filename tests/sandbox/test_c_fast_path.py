"""What C programs come to on the fast path: right ones as by gcc, all else left to gcc."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from codequake.sandbox import (
    BubblewrapBackend,
    Care,
    Ending,
    Job,
    Limits,
    Mode,
    Outcome,
    c_ladder,
    gcc_inside,
)
from codequake.sandbox.native_program import NativeProgram
from codequake.tasks import Language

LIMITS = Limits(
    cpu_seconds=1.0,
    wall_factor=10.0,
    memory_bytes=512 << 20,
    output_bytes=1 << 20,
    total_output_bytes=4 << 20,
)
HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n"
Survivors = Callable[..., list[str]]


def job(source: str, *texts: str, limits: Limits = LIMITS) -> Job:
    inputs = tuple(json.dumps(text) for text in texts or ("5\n", "7\n"))
    return Job(Language.C, source, Mode.STDIN, None, inputs, limits)


def body(text: str) -> str:
    return f"{HEAD}int main(void) {{ {text} return 0; }}"


def fast(backend: BubblewrapBackend, source: str, *texts: str) -> list[str] | None:
    """What the program printed on the fast path; ``None`` when it is left to gcc."""
    workers = backend._ladder._fast_workers()
    assert workers is not None, "the tests of the fast path need libtcc-dev"
    (outcome,) = workers.run([job(source, *texts)])
    if outcome is None:
        return None
    assert not outcome.settled  # it may prove a program right, never wrong
    return [json.loads(run.output or "") for run in outcome.runs]


def by_gcc(backend: BubblewrapBackend, source: str, *texts: str) -> list[str]:
    outcome = backend.run(job(source, *texts))
    return [json.loads(run.output or "") for run in outcome.runs]


# -- right programs ------------------------------------------------------------------------------

RIGHT = {
    "scanf": body('int n; scanf("%d", &n); printf("%d\\n", n * n);'),
    "state": HEAD
    + "static int runs = 3, many[70000]; int main(void) { runs++; many[69999]++; many[1] += runs;"
    + ' printf("%d %d %d", runs, many[69999], many[1]); return 0; }',
    "heap": body(
        "int *p = malloc(40); for (int i = 0; i < 10; i++) p[i] = i; p = realloc(p, 4000);"
        ' char *s = strdup("text"); printf("%d %s\\n", p[9], s); free(s); free(p);'
    ),
    "exit in the middle": body('int n; scanf("%d", &n); printf("%d", n); if (n > 5) exit(0);'),
    "at exit": HEAD + 'static void end(void) { puts("end"); }\n'
    'int main(void) { atexit(end); printf("%.3f ", sqrt(2)); return 0; }',
    "no newline at the end": body("char s[9]; fgets(s, 9, stdin); fputs(s, stdout);"),
    "end of input": body('int x, n = 0; while (scanf("%d", &x) == 1) n++; printf("%d", n);'),
    "deep recursion": HEAD + "static int f(int n) { int a[20]; a[3] = n; return n ? 1 + f(n - 1) :"
    ' a[3]; } int main(void) { printf("%d", f(20000)); return 0; }',
    "formats": body(
        'printf("%g %e %.6f %5d|%-5d|%lld %s %c %%\\n", 1e9, 0.1, 2.0 / 3, 3, 4,'
        ' 5000000000LL, "six", 55);'
    ),
    "odd bytes": body('printf("\\"\\\\\\t\\x01\\x7f é € 😀");'),
    "random numbers": body('printf("%d ", rand()); srand(7); printf("%d", rand());'),
    "sorting": HEAD
    + "static int order(const void *p, const void *q) { return *(int *)p - *(int *)q; }"
    + " int main(void) { int a[2000]; for (int i = 0; i < 2000; i++) a[i] = i * 7919 % 2003;"
    + ' qsort(a, 2000, sizeof *a, order); printf("%d %d", a[0], a[1999]); return 0; }',
    "tokens": body(
        'char s[] = "a b,c"; for (char *p = strtok(s, " ,"); p; p = strtok(NULL, " ,")) puts(p);'
    ),
    "unsigned and long double": body(
        "unsigned long u = 18000000000000000000UL;"
        ' printf("%.1f %.3Lf %lu\\n", (double)u, 1.5L,'
        " (unsigned long)1.7e19);"
    ),
    "doubles as arguments": HEAD + "#include <stdarg.h>\nstatic double sum(int n, ...) {\n"
    "va_list a; double s = 0; va_start(a, n); for (int i = 0; i < n; i++) s += va_arg(a, double);\n"
    'va_end(a); return s; } int main(void) { printf("%g", sum(3, 1.5, 2.5, 3.0)); return 0; }',
    "comparisons with nan": body(
        "double x = sqrt(-1.0), y = 1; float z = (float)x;"
        ' printf("%d%d%d%d%d%d ", x == x, x != x, x < y, x > y, x <= y, x >= y);'
        ' printf("%d%d%d%d ", !(x < y), !(x >= x), z == z, z != 1);'
        ' if (x < y || y < x || x == y) puts("some"); else puts("none");'
        ' printf("%d %d", x ? 1 : 2, !x);'
    ),
    "results that are structures": body(
        "div_t a = div(17, 5); ldiv_t b = ldiv(-17L, 5L); lldiv_t c = lldiv(1LL << 40, 3);"
        ' printf("%d %d %ld %ld %lld %lld", a.quot, a.rem, b.quot, b.rem, c.quot, c.rem);'
    ),
    "kinds of numbers": "#include <stdbool.h>\n"
    + body(
        "_Bool b = 0.5; bool c = 256; unsigned char d = 300; signed char e = -1; short f = 70000;"
        " unsigned g = -1; struct { unsigned p : 3; int q : 4; } s = {9, 7}; s.q += 1;"
        ' printf("%d %d %d %d %d %u %d %d ", b, c, d, e >> 1, f, g, s.p, s.q);'
        ' printf("%zu %d %ld %d ", sizeof 1.0f, -7 / 2, -2147483648, -7 % 3);'
        ' printf("%d %g %g %d", (int)-1.9, 1 / 3.0f, (double)(float)0.1, 1 < -1u);'
    ),
    "structures of numbers by value": HEAD
    + "struct p { double x, y; }; struct q { float a, b, c; }; struct r { int i; double d; };"
    " static struct p add(struct p a, struct p b) { a.x += b.x; a.y += b.y; return a; }"
    " static struct q turn(struct q v) { struct q w = {v.c, v.a, v.b}; return w; }"
    " static struct r both(int i, struct r v, double d) { v.i += i; v.d *= d; return v; }"
    " int main(void) { struct p a = {1, 2}, b = {3, 4}; struct q c = {1, 2, 3};"
    " struct r d = {1, 2};"
    ' a = add(a, b); c = turn(c); d = both(5, d, 3); printf("%g %g %g %g %g %d %g", a.x, a.y, c.a,'
    " c.b, c.c, d.i, d.d); return 0; }",
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_programs_print_what_they_print_by_gcc(backend: BubblewrapBackend, name: str) -> None:
    inputs = ("5", "7\n")
    found = fast(backend, RIGHT[name], *inputs)
    assert found == by_gcc(backend, RIGHT[name], *inputs)
    assert found is not None


# -- hazards: each of these must be left to gcc ---------------------------------------------------

LEFT_TO_GCC = {
    "a crash": body("int *p = 0; *p = 1;"),
    "an exit code": body('puts("x"); exit(3);'),
    "a return code": f"{HEAD}int main(void) {{ return 1; }}",
    "a main that is no int": f'{HEAD}void main(void) {{ puts("x"); }}',
    "abort": body("abort();"),
    "a failing assertion": "#include <assert.h>\n" + body("assert(1 == 2);"),
    "a loop without end": body("while (1);"),
    "printing without end": body('while (1) puts("x");'),
    "an unwritten local": body('int s; printf("%d", s);'),
    "an unwritten local after other calls": HEAD
    + 'static int f(void) { int s; return s; } int main(void) { int n; scanf("%d", &n);'
    + ' printf("%d", f()); return 0; }',
    "an unwritten array": body('int a[100]; printf("%d", a[50]);'),
    "an unwritten block": body('int *p = malloc(40); printf("%d", p[5]);'),
    "an unwritten array of its size": body('int n; scanf("%d", &n); int a[n]; printf("%d", a[0]);'),
    "a write past a block": body("char *p = malloc(5); p[5] = 1;"),
    "a write before a block": body("char *p = malloc(5); p[-1] = 1;"),
    "a block freed twice": body("char *p = malloc(5); free(p); free(p);"),
    "a write to a freed block": body("char *p = malloc(64); free(p); p[9] = 1;"),
    "a read of a freed block": body('int *p = calloc(4, 4); free(p); printf("%d", p[2]);'),
    "freeing what is no block": body("int x; free(&x);"),
    "a write past all data": HEAD
    + 'static int a[4]; int main(void) { for (int i = 0; i < 9999; i++) a[i] = 1; puts("x"); }',
    "a write to its own code": body("*(volatile char *)main = 1;"),
    "a literal that is written to": body('char *s = "abc"; s[0] = 1; puts(s);'),
    "a stack without end": HEAD
    + "static int f(int n) { int a[999]; a[n % 9] = n; return f(n + 1) + a[3]; }"
    + ' int main(void) { printf("%d", f(0)); return 0; }',
    "a system call": body('asm volatile ("syscall" :: "a" (57));'),
    "a system call by machine code in an array": HEAD
    + "static unsigned char code[] = {0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0xc3};"
    ' int main(void) { printf("%d", ((int (*)(void))code)() > 0); return 0; }',
    "a library that is not there": body('printf("%d", getenv("HOME") != NULL);'),
    "a file": body('printf("%d", fopen("/etc/passwd", "r") != NULL);'),
    "a name that is nowhere": body("nowhere();"),
    "a macro of one compiler": body('\n#ifdef __TINYC__\nputs("x");\n#endif\n'),
    "a constructor": HEAD + '__attribute__((constructor)) static void f(void) { puts("x"); }\n'
    "int main(void) { return 0; }",
    "two calls in arguments": HEAD + "static int n; static int next(void) { return ++n; }"
    ' int main(void) { printf("%d %d", next(), next()); return 0; }',
    "a macro that hides two calls": HEAD + "static int n; static int next(void) { return ++n; }\n"
    '#define TWO next(), next()\nint main(void) { printf("%d %d", TWO); return 0; }',
    "two calls by a pointer": HEAD + "static int n; static int next(void) { return ++n; }"
    ' int main(void) { int (*f)(void) = next; printf("%d %d", (*f)(), (*f)()); return 0; }',
    "two calls by a table": HEAD + "static int n; static int next(void) { return ++n; }"
    ' int main(void) { int (*f[])(void) = {next}; printf("%d %d", f[0](), f[0]()); return 0; }',
    "a step and a use": body('int i = 1; printf("%d %d", i, i++);'),
    "a step on both sides": body('int i = 1; i = i++ + ++i; printf("%d", i);'),
    "a call beside what it changes": HEAD + "static int n; static int next(void) { return ++n; }"
    ' int main(void) { n = 3; printf("%d", n + next()); return 0; }',
    "input bytes that are no text": body("putchar(200);"),
    "too much memory": body("char *p = malloc(400000000); p[0] = 1; puts(p);"),
    "a large array": HEAD + "static char a[2000000000]; int main(void) { puts(a); return 0; }",
}


@pytest.mark.parametrize("name", LEFT_TO_GCC)
def test_what_is_not_clean_is_left_to_gcc(backend: BubblewrapBackend, name: str) -> None:
    assert fast(backend, LEFT_TO_GCC[name]) is None
    # and the worker serves the next program as if nothing had been
    assert fast(backend, RIGHT["scanf"], "4") == ["16\n"]


ORDERLY = {
    "recursion": "static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }",
    "two functions without effects": "static int f(int a) { int b = a; b += 2; return b; }",
    "a loop": "static int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }",
    "a macro": "#define f(x) ((x) > 3 ? (x) : 3)",
}


@pytest.mark.parametrize("name", ORDERLY)
def test_functions_without_effects_may_stand_side_by_side(
    backend: BubblewrapBackend, name: str
) -> None:
    source = HEAD + ORDERLY[name] + '\nint main(void) { printf("%d %d", f(3), f(5)); return 0; }'
    assert fast(backend, source) == by_gcc(backend, source)


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "/dev/zero", "../../etc/passwd", "/proc/self/environ", "main.c", "x"]
)
@pytest.mark.parametrize("form", ['#include "{}"', "#include <{}>"])
def test_no_file_can_be_included(backend: BubblewrapBackend, name: str, form: str) -> None:
    assert fast(backend, f"{form.format(name)}\n{RIGHT['scanf']}") is None


def test_nothing_of_an_earlier_program_can_be_found(backend: BubblewrapBackend) -> None:
    """A child holds no text of others: it looks through all that stands behind its own text."""
    secret = "neighbour" + "secret"
    assert fast(backend, f"{RIGHT['scanf']}\n/* {secret} {'x' * 5000} {secret} */") is not None
    workers = backend._ladder._fast_workers()
    assert workers is not None
    # the buffers of the worker stand in /proc of its process 1, read from outside of the sandbox
    looked = 0
    for served in workers._pool._live:
        for child in _descendants(served._process.pid):
            fast(backend, RIGHT["scanf"])
            looked += 1
            assert secret.encode() not in _memory(child)
    assert looked


def _descendants(pid: int) -> list[int]:
    found = [int(x) for x in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return found + [other for child in found for other in _descendants(child)]


def _memory(pid: int) -> bytes:
    """All that a process can write to."""
    data = b""
    with Path(f"/proc/{pid}/mem").open("rb") as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            if " rw" in line and "[v" not in line:
                start, end = (int(part, 16) for part in line.split()[0].split("-"))
                memory.seek(start)
                data += memory.read(end - start)
    return data


# -- the ladder ----------------------------------------------------------------------------------


def told(outcome: Outcome) -> tuple[object, ...]:
    runs = [(run.ending, run.output) for run in outcome.runs]
    return outcome.harness_error, outcome.build.ok, outcome.entry_found, runs


def test_without_libtcc_everything_comes_to_the_same(
    backend: BubblewrapBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [
        job(RIGHT["scanf"]),
        job(LEFT_TO_GCC["a crash"]),
        job("int main(void) { return"),
        job(LEFT_TO_GCC["an unwritten local"]),
        job(RIGHT["heap"]),
    ]
    found = backend.run_all(jobs, Care.TOGETHER)
    monkeypatch.setattr(
        c_ladder, "find_native_program", lambda: NativeProgram(None, "libtcc.a is not installed")
    )
    slower = BubblewrapBackend()
    others = slower.run_all(jobs, Care.TOGETHER)
    slower.kill_all()
    assert [told(outcome) for outcome in found] == [told(outcome) for outcome in others]
    assert [outcome.care for outcome in found][:2] == [Care.TOGETHER, Care.ALONE]
    assert others[0].care is Care.APART


@pytest.mark.parametrize("name", RIGHT)
def test_right_programs_need_no_sandbox_of_their_own(backend: BubblewrapBackend, name: str) -> None:
    (outcome,) = backend._ladder._gcc.run([job(RIGHT[name])], lambda _: False)
    assert outcome is not None
    assert [json.loads(run.output or "") for run in outcome.runs] == fast(backend, RIGHT[name])


def test_gcc_in_a_shared_sandbox_settles_what_ends_well(backend: BubblewrapBackend) -> None:
    (outcome,) = backend.run_all([job(RIGHT["scanf"], "3", "4")], Care.APART)
    assert outcome.care is Care.APART
    assert outcome.settled
    assert [json.loads(run.output or "") for run in outcome.runs] == ["9\n", "16\n"]
    assert [run.read_input for run in outcome.runs] == [True, True]


@pytest.mark.parametrize(
    "text",
    [
        'system("ls");',
        f'FILE *f = fopen("{gcc_inside.WORK}/main.c", "w"); puts(f ? "open" : "shut");',
        "while (1);",
        'for (;;) puts("much");',
        "int *p = 0; *p = 1;",
        "exit(1);",
        'int *p = malloc(40); printf("%d", p[5]);',
        'int s; printf("%d", s);',
        'static char a[2000000000]; int k; scanf("%d", &k); a[k] = 1; printf("%d", a[7]);',
        'printf("%999999999d", 1);',
    ],
)
def test_all_else_has_a_sandbox_of_its_own(backend: BubblewrapBackend, text: str) -> None:
    (outcome,) = backend._ladder._gcc.run([job(body(text))], lambda _: False)
    assert outcome is None
    (right,) = backend._ladder._gcc.run([job(RIGHT["scanf"], "4")], lambda _: False)
    assert right is not None
    assert right.runs[0].output == '"16\\n"'


@pytest.mark.parametrize(
    "source",
    [
        "__attribute__((constructor)) void f(void) { for (;;); }\nint main(void) { return 0; }",
        'asm(".globl x"); int main(void) { return 0; }',
        "#define PASTE(a, b) a ## b\nint main(void) { return 0; }",
        '#include "/etc/passwd"\nint main(void) { return 0; }',
        "#pragma weak x\nint main(void) { return 0; }",
    ],
)
def test_what_could_run_before_its_filter_never_comes_near(
    backend: BubblewrapBackend, source: str
) -> None:
    assert backend._ladder._gcc.run([job(source)], lambda _: False) == [None]


@pytest.mark.parametrize("care", [Care.TOGETHER, Care.APART])
@pytest.mark.parametrize(
    "name", ["an unwritten local", "an unwritten block", "an unwritten array of its size"]
)
def test_memory_that_was_never_written_is_a_runtime_error(
    backend: BubblewrapBackend, name: str, care: Care
) -> None:
    (outcome,) = backend.run_all([job(LEFT_TO_GCC[name])], care)
    assert outcome.runs[0].ending is Ending.CRASHED
    assert outcome.runs[0].detail.startswith("reads uninitialised memory")


def test_a_program_that_prints_an_address_is_not_blamed(backend: BubblewrapBackend) -> None:
    outcome = backend.run(job(body('int x; printf("%p", (void *)&x);')))
    assert [run.ending for run in outcome.runs] == [Ending.RETURNED] * 2


def test_a_worker_that_dies_costs_no_verdict(
    backend: BubblewrapBackend, survivors: Survivors
) -> None:
    assert fast(backend, RIGHT["scanf"]) is not None
    workers = backend._ladder._fast_workers()
    assert workers is not None
    for served in workers._pool._live:
        os.kill(served._process.pid, signal.SIGKILL)
    (outcome,) = backend.run_all([job(RIGHT["scanf"], "3")], Care.TOGETHER)
    assert outcome.runs[0].output == '"9\\n"'
    backend.kill_all()
    assert survivors() == []
