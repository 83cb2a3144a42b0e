"""Packed tests are opened without running what is in them."""

from __future__ import annotations

import base64
import os
import pickle
import zlib
from pathlib import Path

import pytest

from codequake.errors import DataError
from codequake.problems.packed_tests import unpack_text


def pack(value: object, protocol: int = 4) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(value, protocol))).decode()


class Runs:
    """Unpickling one of these runs a command."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, ...]]:
        return os.system, (f"touch {self.path}",)


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("text", ["", "[]", 'é"\n' * 300, "\U0001d4b3"])
def test_a_plain_string_comes_out(text: str, protocol: int) -> None:
    assert unpack_text(pack(text, protocol)) == text


@pytest.mark.parametrize("protocol", range(6))
def test_a_program_is_refused_and_does_not_run(tmp_path: Path, protocol: int) -> None:
    mark = tmp_path / "ran"
    packed = pack(Runs(mark), protocol)
    with pytest.raises(DataError, match="so it was not opened; allowed: one plain string"):
        unpack_text(packed)
    assert not mark.exists()
    pickle.loads(zlib.decompress(base64.b64decode(packed)))
    assert mark.exists(), "the pickle of this test would have run"


@pytest.mark.parametrize(
    ("packed", "message"),
    [
        ("%%%", "not base64"),
        ("é", "not base64"),
        ("YWJj", "not zlib"),
        (base64.b64encode(zlib.compress(b"")).decode(), "a damaged pickle"),
        (base64.b64encode(zlib.compress(b"\xff\xff")).decode(), "a damaged pickle"),
        (base64.b64encode(zlib.compress(pickle.dumps("abc"))[:-6]).decode(), "cut off"),
        (base64.b64encode(zlib.compress(pickle.dumps("abc" * 99)[:-9])).decode(), "damaged pickle"),
        (pack(["a"]), "the opcode EMPTY_LIST"),
        (pack(b"a"), "the opcode SHORT_BINBYTES"),
        (pack(None), "the opcode NONE"),
        (base64.b64encode(zlib.compress(b"\x80\x04.")).decode(), "a pickle of 0 strings"),
        (base64.b64encode(zlib.compress(b"Va\nVb\n.")).decode(), "a pickle of 2 strings"),
    ],
)
def test_what_is_not_a_packed_string(packed: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        unpack_text(packed)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bomb_is_not_unpacked() -> None:
    packed = pack("a" * (4 << 20))
    assert len(packed) < 10_000
    with pytest.raises(DataError, match="unpacks to more than 1 MiB"):
        unpack_text(packed, most=1 << 20)
    assert len(unpack_text(packed)) == 4 << 20
