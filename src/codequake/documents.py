"""Files that other tools wrote, read in pieces of bounded size: lines, JSON documents, gzip.

Nothing here holds a whole file, and nothing trusts what a file says of its own size.
"""

from __future__ import annotations

import contextlib
import gzip
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from codequake.errors import CodequakeError, DataError

__all__ = ["Piece", "first_byte", "json_pieces", "numbered_lines", "open_document", "utf8_text"]

_CHUNK = 1 << 16
_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_BLANKS = re.compile(rb"[ \t\r\n]*")
_IN_STRING = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_OUTSIDE = re.compile(rb'[^"{}\[\]]*')
_SCALAR = re.compile(rb"[^ \t\r\n,:{}\[\]\"]*")
_KEY_BYTES = 1 << 16


@contextlib.contextmanager
def open_document(name: str) -> Iterator[BinaryIO]:
    """Open a file for reading, unpacked when it is gzip; ``-`` is standard input.

    The file can be sought; a byte order mark is passed over.  Raises ``DataError`` when it cannot
    be read, also while the block runs.
    """
    try:
        with contextlib.ExitStack() as stack:
            plain = stack.enter_context(_seekable(name))
            packed = plain.read(2) == _GZIP
            plain.seek(0)
            file = cast("BinaryIO", gzip.GzipFile(fileobj=plain)) if packed else plain
            if file.read(3) != _BOM:
                file.seek(0)
            yield file
    except (OSError, EOFError, zlib.error) as error:
        if isinstance(error, CodequakeError):
            raise
        why = getattr(error, "strerror", None) or str(error) or "cut off"
        raise DataError(f"cannot be read: {why}", place=name) from error


@contextlib.contextmanager
def _seekable(name: str) -> Iterator[BinaryIO]:
    if name != "-":
        with Path(name).open("rb") as file:
            yield file
        return
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
        copy.seek(0)
        yield cast("BinaryIO", copy)


def first_byte(file: BinaryIO) -> bytes:
    """Return the first byte that is no blank, empty at the end; the position stays."""
    start = file.tell()
    found = b""
    while not found and (chunk := file.read(_CHUNK)):
        found = chunk.lstrip(b" \t\r\n")[:1]
    file.seek(start)
    return found


def numbered_lines(file: BinaryIO, most: int) -> Iterator[tuple[int, bytes | None]]:
    """Yield (number, line) from 1 on; ``None`` stands for a line of more than ``most`` bytes."""
    number = 0
    while line := file.readline(most + 1):
        number += 1
        if len(line) <= most:
            yield number, line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(1 << 20)
        yield number, None


def utf8_text(raw: bytes, place: str) -> str:
    """Decode bytes.  Raises ``DataError`` with the first byte that is not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 at byte {error.start}", place=place) from error


@dataclass(frozen=True, slots=True)
class Piece:
    """One value inside a JSON document: the keys and indices that lead to it, its line, its text.

    ``raw`` is ``None`` when it has more bytes than were asked for.  It is balanced, and need not
    be JSON: whoever parses it finds that out.
    """

    path: tuple[str | int, ...]
    line: int
    raw: bytes | None

    def place(self, name: str) -> str:
        """Return ``file:line``, and the number of the record where it stands in an array.

        Whole arrays often are one line.
        """
        index = self.path[-1] if self.path else None
        number = f" (record {index + 1})" if isinstance(index, int) else ""
        return f"{name}:{self.line}{number}"


Descend = Callable[[tuple[str | int, ...]], bool]


def json_pieces(file: BinaryIO, name: str, descend: Descend, most: int) -> Iterator[Piece]:
    """Yield the values of one JSON document, in order, without holding the document.

    An array or object is opened where ``descend`` says so of its path, and is one piece
    elsewhere.  Raises ``DataError`` with file and line where the document is cut off or is no
    JSON; what came before has then been given.
    """
    scanner = _Scanner(file, name)
    yield from _walk(scanner, (), descend, most)
    if scanner.peek():
        raise scanner.fault("not JSON: there is text after the end of the document")


def _walk(
    scanner: _Scanner, path: tuple[str | int, ...], descend: Descend, most: int
) -> Iterator[Piece]:
    first = scanner.peek()
    if first not in (b"[", b"{") or not descend(path):
        line = scanner.line()
        yield Piece(path, line, scanner.value(most))
        return
    scanner.skip()
    closing = b"]" if first == b"[" else b"}"
    index = 0
    while scanner.peek() != closing:
        if index:
            scanner.expect(b",")
        key: str | int = index
        if first == b"{":
            key = scanner.key()
            scanner.expect(b":")
        yield from _walk(scanner, (*path, key), descend, most)
        index += 1
    scanner.skip()


class _Scanner:
    """Walks over JSON text, a chunk at a time."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
        self._data = b""
        self._at = 0
        self._line = 1
        self._counted = 0

    def line(self) -> int:
        """The number of the line that the next byte stands in."""
        self._line += self._data.count(b"\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def fault(self, message: str) -> DataError:
        """Return an error that names the file and the line reached."""
        return DataError(message, place=f"{self._name}:{self.line()}")

    def _more(self) -> bool:
        """Have a byte to look at; false at the end of the file."""
        if self._at < len(self._data):
            return True
        self.line()
        self._data = self._file.read(_CHUNK)
        self._at = self._counted = 0
        return bool(self._data)

    def peek(self) -> bytes:
        """Pass over blanks and return the next byte, empty at the end."""
        while self._more():
            found = _BLANKS.match(self._data, self._at)
            assert found is not None
            self._at = found.end()
            if self._at < len(self._data):
                return self._data[self._at : self._at + 1]
        return b""

    def skip(self) -> None:
        """Pass over the byte that ``peek`` has shown."""
        self._at += 1

    def expect(self, byte: bytes) -> None:
        """Pass over one byte.  Raises ``DataError`` for another."""
        found = self.peek()
        if found != byte:
            shown = repr(found.decode("latin-1")) if found else "the end of the file"
            raise self.fault(f"not JSON: {shown} stands where {byte.decode()!r} should")
        self.skip()

    def key(self) -> str:
        """Read the key of an object."""
        if self.peek() != b'"':
            self.expect(b'"')
        raw = self.value(_KEY_BYTES)
        if raw is None:
            raise self.fault(f"a key has more than {_KEY_BYTES} bytes")
        return utf8_text(raw, f"{self._name}:{self.line()}")[1:-1]

    def value(self, most: int) -> bytes | None:
        """Read one balanced value; ``None`` when it has more than ``most`` bytes."""
        found = _Collected(most)
        first = self.peek()
        if first == b'"':
            self._string(found)
        elif first in (b"[", b"{"):
            self._nested(found)
        else:
            self._run(_SCALAR, found)
            if not found.size:
                raise self.fault(
                    "not JSON: a value is missing" if first else "cut off before its end"
                )
        return found.bytes()

    def _run(self, pattern: re.Pattern[bytes], found: _Collected) -> None:
        """Take what a pattern matches, over the ends of chunks."""
        while self._more():
            match = pattern.match(self._data, self._at)
            assert match is not None
            found.add(match[0])
            self._at = match.end()
            if self._at < len(self._data):
                return

    def _byte(self, found: _Collected) -> bytes:
        """Take one byte.  Raises ``DataError`` at the end of the file."""
        if not self._more():
            raise self.fault("cut off before its end")
        byte = self._data[self._at : self._at + 1]
        found.add(byte)
        self._at += 1
        return byte

    def _string(self, found: _Collected) -> None:
        self._byte(found)
        while True:
            self._run(_IN_STRING, found)
            # The end of the string, or a backslash whose partner stands in the next chunk.
            if self._byte(found) == b'"':
                return
            self._byte(found)

    def _nested(self, found: _Collected) -> None:
        depth = 0
        while True:
            self._run(_OUTSIDE, found)
            if self._more() and self._data[self._at : self._at + 1] == b'"':
                self._string(found)
                continue
            depth += 1 if self._byte(found) in b"[{" else -1
            if depth == 0:
                return


class _Collected:
    """Bytes that are kept up to a limit, and only counted beyond it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self.size = 0

    def add(self, part: bytes) -> None:
        self.size += len(part)
        if self.size <= self._most:
            self._parts.append(part)
        else:
            self._parts.clear()

    def bytes(self) -> bytes | None:
        return b"".join(self._parts) if self.size <= self._most else None
