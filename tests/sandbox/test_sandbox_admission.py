from __future__ import annotations

import importlib
import json
import keyword
import shutil
import subprocess
import sys
import types

import pytest

from codequake.sandbox import admission
from codequake.sandbox.prelude import prelude_for


def compiled(source: str) -> types.CodeType:
    return compile(source, "solution.py", "exec", dont_inherit=True)


ADMITTED = {
    "function": "def add(a, b):\n    return a + b\n",
    "solution": "class Solution:\n    def add(self, a: int) -> int:\n        return a\n",
    "imports": (
        "from collections import Counter, deque\nimport heapq, math\nfrom typing import List\n"
        "def f(xs: List[int]) -> int:\n    heapq.heapify(xs)\n"
        "    return Counter(xs).most_common(1)[0][0] + math.gcd(*xs)\n"
    ),
    "memo": "from functools import lru_cache\n@lru_cache(None)\ndef f(n):\n    return n\n",
    "f-string": "def f(x):\n    return f'{x:>5}'\n",
    "generators": "def f(n):\n    yield from (i * i for i in range(n))\n",
    "errors": "def f(s):\n    try:\n        return int(s)\n    except ValueError:\n        raise\n",
    "guard": "def f(x):\n    return x\nif __name__ == '__main__':\n    print(f(1))\n",
    "match": "def f(x):\n    match x:\n        case [a, *rest]:\n            return a\n",
    "global": "n = 0\ndef f(x):\n    global n\n    n += x\n    return n\n",
    "object as base": "class Solution(object):\n    def add(self, a):\n        return a\n",
    "own error": "class Bad(ValueError):\n    pass\ndef f(x):\n    raise Bad(x)\n",
    "class in a function": (
        "def f(x):\n    class A(object):\n        y = x\n    class B(Exception):\n        pass\n"
        "    return A.y\n"
    ),
    "class with a closure": "def f(x):\n    class A:\n        def g(self):\n            return x\n",
    "deep copy": "from copy import deepcopy\ndef f(x):\n    return {}.get(1, deepcopy(x))\n",
    "delegating generator": "def f(n):\n    if n:\n        yield n\n        yield from f(n - 1)\n",
    "helper method": (
        "class Solution:\n    def f(self, x):\n        return self.twice(x)\n"
        "    def twice(self, x):\n        return 2 * x\n"
    ),
}
REFUSED = {
    "attribute store": "import math\ndef f(x):\n    math.pi = x\n",
    "own attribute": "class A:\n    def f(self, x):\n        self.x = x\n",
    "attribute delete": "import math\ndel math.pi\n",
    "attribute as target": "import math\nfor math.pi in [3]:\n    pass\n",
    "attribute of with": "import math\nwith open('x') as math.pi:\n    pass\n",
    "unpacked attribute": "import math\n[math.pi, x] = 1, 2\n",
    "os": "import os\n",
    "sys": "import sys\n",
    "submodule": "import collections.abc\n",
    "submodule as name": "from collections import abc\n",
    "star": "from math import *\n",
    "wraps": "from functools import wraps\n",
    "wraps by attribute": "import functools\nfunctools.wraps(len)(functools.partial)\n",
    "own method called wraps": (
        "import functools\nclass A:\n    def wraps(self):\n        pass\nfunctools.wraps(len)(A)\n"
    ),
    "module in a module": "import re\nre.sys.exit()\n",
    "own method called sys": "import re\nclass A:\n    def sys(self):\n        0\nre.sys.exit()\n",
    "getattr": "def f(x):\n    return getattr(x, 'y')\n",
    "type": "T = type('T', (), {})\n",
    "format": "def f(x):\n    return '{0.__class__}'.format(x)\n",
    "format unbound": "def f(x):\n    return str.format('{0.__class__}', x)\n",
    "own method called format": (
        "class A:\n    def format(self):\n        return ''\ndef f(x):\n    return '{}'.format(x)\n"
    ),
    "dunder": "def f(x):\n    return x.__class__\n",
    "dunder of a normalised spelling": "def f(x):\n    return x.__\u1d48ict__\n",
    "builtin of a normalised spelling": "def f(x):\n    return \uff45val(x)\n",
    "shared table of a function": "import heapq\nheapq.merge.__annotations__['x'] = 1\n",
    "class that names a table": (
        "import heapq\nclass A:\n    x: int\nheapq.merge.__annotations__['x'] = 1\n"
    ),
    "frame": "def f():\n    g = (g.gi_frame for _ in [1])\n    return next(g)\n",
    "own method called as a frame": (
        "class A:\n    def gi_frame(self):\n        pass\ndef f(g):\n    return g.gi_frame\n"
    ),
    "traceback": "def f(e):\n    return e.with_traceback(None).tb_frame\n",
    "equality": "class A:\n    def __eq__(self, other):\n        return True\n",
    "hash": "class A:\n    def __hash__(self):\n        return 1\n",
    "finaliser": "class A:\n    def __del__(self):\n        pass\n",
    "class pattern": "def f(x):\n    match x:\n        case object(real=r):\n            r\n",
    "registration": "from collections import Counter\nCounter.register(int)\n",
    "async": "async def f(x):\n    await x\n",
    "attrgetter": "from operator import attrgetter\n",
    "random": "import random\nrandom.seed(1)\n",
    "input": "def f(x):\n    return input()\n",
    "relative import": "from . import copy\n",
    "relative member": "from .re import match\n",
    "given wraps": "def f(x):\n    return wraps(len)(x)\n",
    "given attrgetter": "def f(x):\n    return attrgetter('__globals__')(x)\n",
    "given module and own name": "class A:\n    modules = 0\ndef f(x):\n    return sys.modules\n",
    "given metaclass": "class M(Type):\n    pass\n",
    "metaclass of typing": "from typing import Type\nclass M(Type[int]):\n    pass\n",
    "metaclass by attribute": "import typing\nclass M(typing.Type):\n    pass\n",
    "own text": "class T(str):\n    def __getitem__(self, i):\n        return 'a'\n",
    "own text by attribute": "import typing\nclass T(typing.Dict):\n    pass\n",
    "own text by subscript": "from typing import List\nclass T(List[int]):\n    pass\n",
    "own text under another name": "object = str\nclass T(object):\n    pass\n",
    "own text as a local name": "def f(object):\n    class T(object):\n        pass\n",
    "own text imported as object": (
        "from collections import Counter as object\nclass T(object):\n    pass\n"
    ),
    "own text as a global name": (
        "def g():\n    global object\n    object = str\n"
        "def f(x):\n    class T(object):\n        pass\n"
    ),
    "two bases": "class T(object, str):\n    pass\n",
    "starred bases": "class T(*[str]):\n    pass\n",
    "metaclass": "def make(*rest):\n    return []\nclass seen(metaclass=make):\n    pass\n",
    "named metaclass": "class A(object, metaclass=print):\n    pass\n",
    "base computed": "class T(str if 1 > 0 else int):\n    pass\n",
    "base called": "class T(max(str, key=len)):\n    pass\n",
    "base after many names": (
        "".join(f"a{number} = {number}\n" for number in range(300)) + "class T(str):\n    pass\n"
    ),
    "object bound after many names": (
        "".join(f"a{number} = {number}\n" for number in range(300))
        + "object = str\nclass T(object):\n    pass\n"
    ),
    "copy with an own table": (
        "import copy\nclass A:\n    def get(self, key, shared):\n        shared.append(1)\n"
        "copy.deepcopy([], A())\n"
    ),
    "copy with a named tuple": (
        "from copy import deepcopy\nfrom collections import namedtuple\n"
        "deepcopy([], namedtuple('A', 'g' + 'et')(print))\n"
    ),
    "groups of a pattern": "class A:\n    groupindex = 0\ndef f(p):\n    return p.groupindex\n",
    "generator that cleans up": (
        "def g():\n    try:\n        yield 1\n    finally:\n        print(1)\n"
    ),
    "generator that catches": (
        "def g():\n    try:\n        yield 1\n    except:\n        print(1)\n"
    ),
    "generator over a thing to close": (
        "class A:\n    def __iter__(self):\n        return self\n    def __next__(self):\n"
        "        return 1\n    def close(self):\n        print(1)\ndef g():\n    yield from A()\n"
    ),
    "too many names": "".join(f"a{number}.real\n" for number in range(300)),
}


@pytest.mark.parametrize("name", ADMITTED)
def test_ordinary_programs_may_share_a_process(name: str) -> None:
    assert admission.can_share(compiled(ADMITTED[name]))


@pytest.mark.parametrize("name", REFUSED)
def test_programs_that_could_leave_a_trace_may_not(name: str) -> None:
    assert not admission.can_share(compiled(REFUSED[name]))


KEEPS = [
    ("def f(x: list[int]) -> int:\n    return x\n", False),
    ("import math\nMOD = 10**9 + 7\ndef f(x, y=(1, 2)):\n    return x\n", False),
    ("class Solution:\n    '''Text.'''\n    def f(self, x):\n        return x\n", False),
    ("def f(x):\n    seen = {}\n    def g(y):\n        seen[y] = 1\n    return g(x)\n", False),
    ("seen = {}\ndef f(x):\n    seen[x] = 1\n", True),
    ("def f(x, seen=[]):\n    seen.append(x)\n", True),
    ("def f(x, *, seen=dict()):\n    seen[x] = 1\n", True),
    ("n = 0\ndef f(x):\n    global n\n    n += 1\n", True),
    ("class A:\n    seen = []\n    def f(self, x):\n        self.seen.append(x)\n", True),
    ("class A:\n    seen = set()\n    def f(self, x):\n        self.seen.add(x)\n", True),
    ("def make():\n    yield 1\ng = make()\ndef f(x):\n    return next(g)\n", True),
    ("from functools import cache\n@cache\ndef f(x):\n    return x\n", True),
    ("rows = [1 for _ in range(3)]\ndef f(x):\n    rows.pop()\n", True),
    ("(x): int = 3\ndef f(v):\n    __annotations__[v] = 1\n", True),
    ("x: int = 3\ndef f(v):\n    __annotations__[v] = 1\n", True),
]


@pytest.mark.parametrize(("source", "keeps"), KEEPS)
def test_what_a_program_can_carry_from_call_to_call_is_seen(source: str, keeps: bool) -> None:
    code = compiled(source)
    assert admission.can_share(code)
    assert admission.keeps_nothing(code) is not keeps


def test_names_that_are_given_need_the_same_leave_as_imported_ones() -> None:
    allowed = {name for names in admission.MEMBERS.values() for name in names.split()}
    known = set(sys.stdlib_module_names)
    for module in (*admission.MEMBERS, "json", "random", "statistics", "sys"):
        known |= set(dir(importlib.import_module(module)))
    given = [
        name
        for name in sorted(known)
        if name.isidentifier()
        and not keyword.iskeyword(name)
        and prelude_for(compiled(f"{name}\n"), entry_point="")
    ]
    assert {"sys", "wraps", "attrgetter", "Counter", "math"}.issubset(given)
    assert [
        name
        for name in given
        if admission.can_share(compiled(f"{name}\n"))
        and name not in allowed
        and name not in admission.MEMBERS
    ] == []


def test_every_allowed_name_of_a_module_exists_there() -> None:
    for module, names in admission.MEMBERS.items():
        for name in names.split():
            if name == "from_iterable":  # of itertools.chain
                continue
            assert hasattr(importlib.import_module(module), name), (module, name)


def test_no_allowed_attribute_leads_to_a_frame_or_a_module() -> None:
    for name in admission.ATTRIBUTES:
        assert not name.startswith(("_", "gi_", "f_", "tb_", "co_"))
        for module in admission.MEMBERS:
            found = getattr(importlib.import_module(module), name, None)
            assert not isinstance(found, types.ModuleType), (module, name)


OTHERS = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("admission", sys.argv[1])
admission = importlib.util.module_from_spec(spec)
spec.loader.exec_module(admission)
found = []
for source in json.load(sys.stdin):
    code = compile(source, "solution.py", "exec", dont_inherit=True)
    found.append([admission.can_share(code), admission.keeps_nothing(code)])
print(json.dumps(found))
"""


@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13", "3.14"])
def test_other_interpreters_are_read_alike_or_not_at_all(version: str) -> None:
    program = shutil.which(f"python{version}")
    sources = [*ADMITTED.values(), *REFUSED.values(), *(source for source, _ in KEEPS)]
    command = [program or "", "-c", OTHERS, admission.__file__]
    done = (
        subprocess.run(command, input=json.dumps(sources), capture_output=True, text=True)
        if (program)
        else None
    )
    if done is None or (done.returncode and "command not found" in done.stderr):
        pytest.skip(f"there is no python{version} here")
    found = json.loads(done.stdout)
    readable = version in ("3.11", "3.12", "3.13")
    shares = [readable] * len(ADMITTED) + [False] * len(REFUSED) + [readable] * len(KEEPS)
    assert [share for share, _ in found] == shares
    if readable:
        kept = [not nothing for _, nothing in found[len(ADMITTED) + len(REFUSED) :]]
        assert kept == [keeps for _, keeps in KEEPS]
