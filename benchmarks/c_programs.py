"""Fifty distinct C programs of ten kinds for the benchmark, each with a wrong twin."""

from __future__ import annotations

import random

__all__ = ["KINDS", "inputs_of", "program"]

_HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n"
_READ = 'int n; if (scanf("%d", &n) != 1) return 1;\n'
_ARRAY = _READ + 'int a[64]; for (int i = 0; i < n; i++) scanf("%d", &a[i]);\n'

# name: (what stands before main, the body of main, a piece of it, what makes it wrong)
KINDS: dict[str, tuple[str, str, str, str]] = {
    "sum": (
        "",
        _READ + 'long s = 0; int x; while (n-- > 0) { scanf("%d", &x); s += x; }\n'
        'printf("%ld\\n", s);',
        "s += x",
        "s += x + (x > 90)",
    ),
    "largest": (
        "",
        _ARRAY + "int m = a[0]; for (int i = 1; i < n; i++) if (a[i] > m) m = a[i];\n"
        'printf("%d\\n", m);',
        "a[i] > m",
        "a[i] < m",
    ),
    "mean": (
        "",
        _ARRAY + 'double s = 0; for (int i = 0; i < n; i++) s += a[i];\nprintf("%.6f\\n", s / n);',
        "s / n)",
        "s / (n + 1))",
    ),
    "sorted": (
        "static int by_value(const void *p, const void *q)\n"
        "{ return *(const int *)p - *(const int *)q; }\n",
        _ARRAY + "qsort(a, n, sizeof *a, by_value);\n"
        "for (int i = 0; i < n; i++) printf(\"%d%c\", a[i], i + 1 < n ? ' ' : '\\n');",
        "return *(const int *)p - *(const int *)q",
        "return *(const int *)q - *(const int *)p",
    ),
    "divisor": (
        "static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }\n",
        _ARRAY + "int g = 0; for (int i = 0; i < n; i++) g = gcd(g, abs(a[i]));\n"
        'printf("%d\\n", g);',
        "b ? gcd(b, a % b) : a",
        "b > 1 ? gcd(b, a % b) : a",
    ),
    "primes": (
        "static int prime(int n) { if (n < 2) return 0;\n"
        "for (int d = 2; d * d <= n; d++) if (n % d == 0) return 0; return 1; }\n",
        _ARRAY + 'int c = 0; for (int i = 0; i < n; i++) c += prime(a[i]);\nprintf("%d\\n", c);',
        "d * d <= n",
        "d * d < n",
    ),
    "distance": (
        "struct point { double x, y; };\n",
        _ARRAY + "struct point p = {a[0], n}, q = {n, a[n - 1]};\n"
        'printf("%.6f %.6g\\n", sqrt(pow(p.x - q.x, 2) + pow(p.y - q.y, 2)), sin(p.x));',
        "sin(p.x)",
        "cos(p.x)",
    ),
    "spread": (
        "",
        _ARRAY + "double m = 0, v = 0; for (int i = 0; i < n; i++) m += a[i];\n"
        "m /= n; for (int i = 0; i < n; i++) v += (a[i] - m) * (a[i] - m);\n"
        'printf("%.6f\\n", sqrt(v / n));',
        "v / n)",
        "v / (n + 1))",
    ),
    "backwards": (
        "",
        _READ + "int *a = malloc(n * sizeof *a);\n"
        'for (int i = 0; i < n; i++) scanf("%d", &a[i]);\n'
        'for (int i = n - 1; i >= 0; i--) printf("%d ", a[i]);\nputs(""); free(a);',
        "i >= 0",
        "i > 0",
    ),
    "digits": (
        "",
        "char line[400]; int c = 0; while (fgets(line, sizeof line, stdin))\n"
        "for (size_t i = 0; i < strlen(line); i++) c += line[i] >= '0' && line[i] <= '9';\n"
        'printf("%d\\n", c);',
        "line[i] <= '9'",
        "line[i] < '9'",
    ),
}


def inputs_of(count: int, seed: int = 7) -> list[str]:
    """Draw distinct inputs: a number of integers (2 to 20), then they."""
    draw = random.Random(seed)
    texts: dict[str, None] = {}
    while len(texts) < count:
        numbers = [draw.randrange(-99, 1000) for _ in range(draw.randrange(2, 21))]
        texts[f"{len(numbers)}\n{' '.join(map(str, numbers))}\n"] = None
    return list(texts)


def program(kind: str, number: int, *, wrong: bool = False) -> str:
    """Return the text of one program; ``number`` makes it another text of the same meaning."""
    before, body, piece, fault = KINDS[kind]

    def change(text: str) -> str:
        return text.replace(piece, fault) if wrong else text

    counter = f"static int number = {number};\n"
    return (
        f"{_HEAD}{counter}{change(before)}int main(void)\n"
        f"{{\n{change(body)}\nreturn number == {number} ? 0 : 1;\n}}\n"
    )
