"""Which Python functions never share a process, since they may remember an earlier call."""

from __future__ import annotations

import pytest

from codequake.grading.remembering import may_remember


@pytest.mark.parametrize(
    "code",
    [
        "seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen)",
        "count = 0\ndef f(x):\n    global count\n    count += 1\n    return count",
        "def f(x, seen=[]):\n    seen.append(x)\n    return len(seen)",
        "def f(x, *, seen={}):\n    return seen",
        "def f(x):\n    f.calls = x\n    return x",
        "class Box:\n    seen = set()\ndef f(x):\n    return Box.seen",
        "from itertools import count\nnumbers = count()\ndef f(x):\n    return next(numbers)",
        "def wrap(g):\n    return g\n@wrap\ndef f(x):\n    return x",
        "numbers: list = [0]\ndef f(x):\n    return numbers",
        "if True:\n    numbers = [0]\ndef f(x):\n    return numbers",
    ],
)
def test_what_may_remember(code: str) -> None:
    assert may_remember(code)


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    seen = []\n    seen.append(x)\n    return seen",
        '"""Text."""\nimport math\n\nLIMIT = -4\nMOVES = ((0, 1),)\ndef f(x, k=3):\n    return k',
        "from functools import cache\n@cache\ndef f(x):\n    return x",
        "import functools\n@functools.lru_cache(maxsize=None)\ndef f(x):\n    return x",
        "class Node:\n    def __init__(self):\n        self.a = []\ndef f(x):\n    return Node().a",
        "def f(",
    ],
)
def test_what_remembers_nothing(code: str) -> None:
    assert not may_remember(code)
