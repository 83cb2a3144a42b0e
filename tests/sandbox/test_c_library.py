"""The library of the fast path, beside the C library as gcc links it, on random input.

A program gets many inputs at a time and prints all that a function tells: what it returned, what it
stored, and where it stopped.  The two must agree to the byte.
"""

from __future__ import annotations

import json
import string
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from codequake.sandbox import BubblewrapBackend, Job, Limits, Mode
from codequake.tasks import Language

LIMITS = Limits(cpu_seconds=2.0, wall_factor=20.0, memory_bytes=512 << 20)
FOLDER = Path(__file__).parent / "c_library"
SLOW = settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # the message names the input; to shrink lists of them takes minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

# -- inputs --------------------------------------------------------------------------------------

NUMBER = st.one_of(
    st.integers(-(2**65), 2**65).map(str),
    st.floats(allow_nan=False).map(repr),
    st.from_regex(r"\A[+-]?(0x)?[0-9a-f]{1,9}(\.[0-9]{0,5})?(e[+-]?[0-9]{1,3})?\Z"),
    st.sampled_from(
        ["inf", "-INFINITY", "nan", "0x", "0x1.8p3", "+", "-.", "1e", "1e+", ".5.", "09"]
    ),
)
BLANK = st.text(" \t\n,", min_size=0, max_size=3)
WORD = st.text(string.ascii_letters + string.digits + "%[],.-+", max_size=9)
PIECES = st.lists(st.one_of(NUMBER, BLANK, WORD), max_size=12).map("".join)
BITS = st.one_of(
    st.integers(0, 2**64 - 1),
    st.floats(-1e6, 1e6).map(lambda x: struct.unpack("=Q", struct.pack("=d", x))[0]),
)
LINE = st.text(string.printable.replace("\n", "").replace("\r", ""), max_size=30)
FORMATS = st.tuples(BITS, st.integers(-30, 30), st.integers(0, 25))
STEP = st.tuples(st.integers(0, 3), st.integers(0, 15), st.integers(0, 300))


def rows(strategy: st.SearchStrategy[tuple[int, ...]], size: int) -> st.SearchStrategy[str]:
    lists = st.lists(strategy, max_size=size)
    return lists.map(lambda found: "".join(" ".join(map(str, row)) + "\n" for row in found))


CASES = {
    "scanf": PIECES,
    "reading": PIECES,
    "printf": rows(FORMATS, 6),
    "numbers": PIECES,
    "strings": st.tuples(LINE, LINE).map("\n".join),
    "mathematics": rows(st.tuples(BITS, BITS), 6),
    "heap": rows(STEP, 20),
}


@pytest.mark.parametrize("name", CASES)
def test_the_library_is_that_of_gcc(backend: BubblewrapBackend, name: str) -> None:
    source = (FOLDER / f"{name}.c").read_text("utf-8")

    @SLOW
    @given(st.lists(CASES[name], min_size=25, max_size=60))
    def compare(texts: list[str]) -> None:
        inputs = tuple(json.dumps(text) for text in texts)
        job = Job(Language.C, source, Mode.STDIN, None, inputs, LIMITS)
        workers = backend._ladder._fast_workers()
        assert workers is not None, "the tests of the fast path need libtcc-dev"
        (fast,) = workers.run([job])
        assert fast is not None
        (sure,) = backend._ladder._gcc.run([job], lambda _: True)
        assert sure is not None
        for text, found, wanted in zip(texts, fast.runs, sure.runs, strict=True):
            assert found.output == wanted.output, text

    compare()
