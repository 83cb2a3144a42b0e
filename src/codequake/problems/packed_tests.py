"""The private tests of LiveCodeBench: base64 of zlib of a pickle of one string, opened safely.

A pickle is a program, and whoever loads one runs it.  Here nothing is loaded: its opcodes are read
one by one, and anything but a plain string is refused.
"""

from __future__ import annotations

import base64
import binascii
import pickletools
import zlib

from codequake.errors import DataError

__all__ = ["MAX_UNPACKED", "unpack_text"]

MAX_UNPACKED = 256 << 20
"""Bytes that the tests of one problem may unpack to."""

_STRINGS = frozenset({"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE"})
_AROUND = frozenset({"PROTO", "FRAME", "MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT", "STOP"})


def unpack_text(packed: str, *, most: int = MAX_UNPACKED) -> str:
    """Return the string inside.  Raises ``DataError``, without running anything, for all else."""
    try:
        compressed = base64.b64decode(packed, validate=True)
    except (binascii.Error, ValueError) as error:
        raise DataError(f"not base64: {error}") from error
    unpacker = zlib.decompressobj()
    try:
        pickled = unpacker.decompress(compressed, most + 1)
    except zlib.error as error:
        raise DataError(f"not zlib: {error}") from error
    if len(pickled) > most:
        raise DataError(f"unpacks to more than {most >> 20} MiB")
    if not unpacker.eof:
        raise DataError("the packed data is cut off")
    if unpacker.unused_data:
        raise DataError("the packed data goes on after its end")
    return _string_in(pickled)


def _string_in(pickled: bytes) -> str:
    found: list[str] = []
    try:
        end = 0
        for opcode, argument, place in pickletools.genops(pickled):
            end = (place or 0) + 1
            if opcode.name in _STRINGS and isinstance(argument, str):
                found.append(argument)
            elif opcode.name not in _AROUND:
                raise DataError(
                    f"a pickle with the opcode {opcode.name}, so it was not opened; allowed: one "
                    "plain string"
                )
    except DataError:
        raise
    except (ValueError, UnicodeError, OverflowError, MemoryError) as error:
        raise DataError(f"a damaged pickle: {error}") from error
    if end != len(pickled):
        raise DataError("a pickle that goes on after its end")
    if len(found) != 1:
        raise DataError(f"a pickle of {len(found)} strings; allowed: one plain string")
    return found[0]
