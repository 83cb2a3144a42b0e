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


# What a pickle can do to whoever loads it: opcodes by hand, for some are never written by Python.
ATTACKS: dict[str, bytes] = {
    "import by name": b"cos\nsystem\n(S'true'\ntR.",
    "import from the stack": b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.",
    "call without import": b"(S'true'\ntR.",
    "an instance": b"(S'true'\nios\nsystem\n.",
    "an object": b"(cos\nsystem\nS'true'\no.",
    "a new object": b"\x80\x02cos\nsystem\n(S'true'\nt\x81.",
    "a new object with names": b"\x80\x04cos\nsystem\n)}\x92.",
    "a state": b"\x80\x02U\x01a}b.",
    "an extension code": b"\x80\x02\x82\x01.",
    "a long extension code": b"\x80\x02\x84\x01\x00\x00\x00.",
    "a persistent id": b"Pfile\n.",
    "a persistent id from the stack": b"\x80\x02U\x04fileQ.",
    "a buffer from outside": b"\x80\x05\x97.",
    "what was remembered": b"\x80\x02U\x01aq\x00h\x00.",
    "what was remembered, by text": b"S'a'\np0\ng0\n.",
    "text that is thrown away": b"Va\n0Vb\n.",
    "text twice over": b"Va\n2.",
    "a list": b"]Va\na.",
    "a tuple": b"(Va\nt.",
    "a dictionary": b"}Va\nVb\ns.",
    "a set": b"\x80\x04\x8f(\x8c\x01a\x90.",
    "bytes": b"\x80\x03C\x01a.",
    "a byte array": b"\x80\x05\x96\x01\x00\x00\x00\x00\x00\x00\x00a.",
    "a number": b"I1\n.",
    "a truth value": b"\x80\x02\x88.",
    "an old string with escapes": b"S'\\x61'\n.",
    "another program behind the end": b"Va\n.cos\nsystem\n(S'true'\ntR.",
    "a string that is longer than the file": b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7fa.",
    "a frame that is longer than the file": b"\x80\x04\x95" + b"\xff" * 7 + b"\x7f\x8c\x01a",
    "half of a character": b"\x80\x04\x8c\x01\xff.",
    "an opcode that there is not": b"\xfe.",
    "no end": b"Va\n",
}


@pytest.mark.parametrize("name", ATTACKS)
def test_each_attack_is_one_sentence(name: str) -> None:
    packed = base64.b64encode(zlib.compress(ATTACKS[name])).decode()
    with pytest.raises(DataError) as caught:
        unpack_text(packed)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 300
    assert "pickle" in message


def test_data_behind_the_end_is_refused() -> None:
    whole = zlib.compress(pickle.dumps("[]"))
    packed = base64.b64encode(whole + zlib.compress(pickle.dumps("[1]"))).decode()
    with pytest.raises(DataError, match="goes on after its end"):
        unpack_text(packed)
