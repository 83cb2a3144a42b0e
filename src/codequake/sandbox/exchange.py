"""Plain data between the two processes of a test: the statements and the program they call.

This file runs inside the sandbox on an interpreter of 3.9 or newer and imports nothing of
codequake.  Values become JSON and back; nothing is pickled or evaluated, and no method of a value
itself is called.  Everything stays apart that an assertion can tell apart: numbers by their type,
lists from tuples, the order of a dictionary.  Containers that can change (lists, dictionaries,
sets, deques, byte arrays) are numbered and sent as a flat table, so that two names for one list
are still two names for one list, also after a call that changed it.
"""

from __future__ import annotations

import builtins
from collections import deque
from json import JSONDecoder, encoder
from os import read, write

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "ERROR_TYPES",
    "GoneError",
    "NotPlainError",
    "Packer",
    "PlainError",
    "TooDeepError",
    "TooLongError",
    "Unpacker",
    "error_name",
    "read_frame",
    "same",
    "write_frame",
]

MAX_DEPTH = 400
HEADER_BYTES = 12
PIECE = 1 << 16
ERROR_TYPES = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
_ERROR_NAMES = {value: name for name, value in ERROR_TYPES.items() if value.__name__ == name}
_ATOMS = frozenset((type(None), bool, int, float, str))
_bases_of = type.__dict__["__mro__"].__get__
_name_of = type.__dict__["__name__"].__get__
_module_of = type.__dict__["__module__"].__get__
# The parts of json that are written in C: a program may replace the others under our feet.
_make_encoder: Any = vars(encoder)["c_make_encoder"]
_write_json = _make_encoder(
    None, None, encoder.encode_basestring_ascii, None, ":", ",", False, False, True
)
_read_json = vars(JSONDecoder())["scan_once"]


class NotPlainError(Exception):
    """A value has no plain form."""


class TooDeepError(NotPlainError):
    """A value is nested too deeply."""


class PlainError(Exception):
    """What came is not what a ``Packer`` writes."""


class TooLongError(Exception):
    """A frame is longer than its reader allows."""


class GoneError(Exception):
    """The other side is gone."""


def error_name(error: BaseException) -> str:
    """Return the nearest builtin type of an exception: what ``except`` clauses can know of it."""
    for base in _bases_of(type(error)):
        if base in _ERROR_NAMES:
            return _ERROR_NAMES[base]
    return "RuntimeError"


def same(one: Any, other: Any) -> bool:
    """Whether two packed values are the same, types included."""
    return _text(one) == _text(other)


def _text(form: Any) -> str:
    return "".join(_write_json(form, 0))


class Packer:
    """Turns values into what JSON can hold.

    Atoms stand for themselves.  A list ``[tag, ...]`` is anything else: ``t`` tuple, ``f``
    frozenset, ``b`` bytes, ``c`` complex, ``r`` range, ``q`` fraction, ``n`` decimal number, and
    ``o`` the number of a container in the table, whose own tags are ``l`` list, ``m`` mapping,
    ``s`` set, ``k`` deque and ``a`` byte array.  ``known`` are containers that both sides have
    numbered already.
    """

    def __init__(self, known: list[Any] | None = None) -> None:
        self._objects = list(known or [])
        self._numbers = {id(item): number for number, item in enumerate(self._objects)}
        self._known = len(self._objects)
        self._wanted: list[int] = []

    @property
    def objects(self) -> list[Any]:
        """The containers, in the order of their numbers."""
        return self._objects

    def pack(self, value: Any, depth: int = 0) -> Any:
        """Return the form of a value.  Raises ``NotPlainError``."""
        kind = type(value)
        if kind in _ATOMS:
            return value
        if depth > MAX_DEPTH:
            raise TooDeepError("a value that is nested too deeply")
        for base in _bases_of(kind):
            if base in _CHANGING:
                return ["o", self._number(value)]
            if base in _FIXED:
                return _FIXED[base](self, value, depth + 1)
        write = _NUMBERS.get(str.__str__(_name_of(kind)))
        if write is not None and _module_of(kind) in ("fractions", "decimal"):
            return write(value)
        raise NotPlainError(f"a value of the type {_name_of(kind)}, which is not plain data")

    def want_all(self) -> None:
        """Ask for the contents of every known container, changed or not."""
        self._wanted.extend(range(self._known))

    def table(self) -> list[Any]:
        """Return the contents of the containers; ``None`` for a known one that nobody asked for.

        Raises ``NotPlainError``.
        """
        entries: dict[int, Any] = {}
        for number in self._wanted:  # grows while it is walked, so that depth costs no stack
            if number not in entries:
                entries[number] = self._contents(self._objects[number])
        return [entries.get(number) for number in range(len(self._objects))]

    def items(self, values: Any, depth: int = 0) -> list[Any]:
        """Return the forms of several values."""
        found = list(values)
        if set(map(type, found)) <= _ATOMS:
            return found
        return [self.pack(value, depth) for value in found]

    def _number(self, value: Any) -> int:
        number = self._numbers.setdefault(id(value), len(self._objects))
        if number == len(self._objects):
            self._objects.append(value)  # held, so that its id stays its own
        self._wanted.append(number)
        return number

    def _contents(self, value: Any) -> list[Any]:
        for base in _bases_of(type(value)):
            if base is list:
                return ["l", self.items(list.__iter__(value))]
            if base is dict:
                pairs = list(dict.items(value))
                keys = self.items([key for key, _ in pairs])
                return ["m", keys, self.items([item for _, item in pairs])]
            if base is set:
                return ["s", self.items(set.__iter__(value))]
            if base is deque:
                room = deque.__dict__["maxlen"].__get__(value)
                return ["k", room, self.items(deque.__iter__(value))]
            if base is bytearray:
                return ["a", bytearray.hex(value)]
        raise NotPlainError("a container of another kind")


_CHANGING = frozenset((list, dict, set, deque, bytearray))
_FIXED: dict[type, Any] = {
    tuple: lambda packer, value, depth: ["t", packer.items(tuple.__iter__(value), depth)],
    frozenset: lambda packer, value, depth: ["f", packer.items(frozenset.__iter__(value), depth)],
    bytes: lambda _, value, __: ["b", bytes.hex(value)],
    complex: lambda _, value, __: ["c", *_parts_of(value)],
    range: lambda _, value, __: ["r", value.start, value.stop, value.step],
    int: lambda _, value, __: int.__add__(value, 0),
    float: lambda _, value, __: float.__mul__(value, 1.0),
    str: lambda _, value, __: str.__getitem__(value, slice(None)),
}
# By name: their modules are imported only where somebody has such a number.
_NUMBERS: dict[str, Any] = {
    "Fraction": lambda value: ["q", int(value.numerator), int(value.denominator)],
    "Decimal": lambda value: ["n", str(value)],
}


def _parts_of(value: complex) -> tuple[float, float]:
    real, imag = complex.__dict__["real"], complex.__dict__["imag"]
    return real.__get__(value), imag.__get__(value)


class Unpacker:
    """Turns what a ``Packer`` wrote back into values, whoever wrote it.

    ``known`` are the containers that both sides have numbered; those that changed are changed in
    place.  Raises ``PlainError`` for a table that no ``Packer`` writes.
    """

    def __init__(self, table: Any, known: list[Any] | None = None) -> None:
        self._objects = list(known or [])
        count = len(self._objects)
        if type(table) is not list or len(table) < count:
            raise PlainError("no table")
        for entry in table[count:]:
            tag = entry[0] if type(entry) is list and entry else None
            self._objects.append(_empty(tag, entry))
        filled = [
            (self._objects[number], self._contents(entry, self._objects[number]))
            for number, entry in enumerate(table)
            if entry is not None
        ]
        for target, content in filled:
            _fill(target, content)

    @property
    def objects(self) -> list[Any]:
        """The containers, in the order of their numbers."""
        return self._objects

    def unpack(self, form: Any, depth: int = 0) -> Any:
        """Return the value of a form."""
        if type(form) in _ATOMS:
            return form
        if type(form) is not list or len(form) < 2 or depth > MAX_DEPTH + 1:
            raise PlainError("no form of a value")
        try:
            return self._unpack(form[0], form[1:], depth + 1)
        except (TypeError, ValueError, ArithmeticError, IndexError) as error:
            raise PlainError("no form of a value") from error

    def _unpack(self, tag: Any, rest: list[Any], depth: int) -> Any:
        if tag == "o":
            if type(rest[0]) is not int or rest[0] < 0:
                raise PlainError("no number of a container")
            return self._objects[rest[0]]
        if tag == "t":
            return tuple(self._items(rest[0], depth))
        if tag == "f":
            return frozenset(self._items(rest[0], depth))
        if tag == "b":
            return bytes.fromhex(rest[0])
        if tag == "c":
            return complex(float(rest[0]), float(rest[1]))
        if tag == "r":
            return range(*rest)
        return _number_of(tag, rest)

    def _items(self, forms: Any, depth: int = 0) -> list[Any]:
        if type(forms) is not list:
            raise PlainError("no list of values")
        if set(map(type, forms)) <= _ATOMS:
            return forms
        return [self.unpack(form, depth) for form in forms]

    def _contents(self, entry: Any, target: Any) -> Any:
        if type(entry) is not list or len(entry) < 2 or type(entry[0]) is not str:
            raise PlainError("no contents of a container")
        if not isinstance(target, _KINDS.get(entry[0], ())):
            raise PlainError("no contents of that container")
        if entry[0] == "m":
            keys, values = self._items(entry[1]), self._items(entry[-1])
            if len(keys) != len(values):
                raise PlainError("no pairs")
            return _hashed(dict, zip(keys, values))  # noqa: B905 - Python 3.9
        if entry[0] == "s":
            return _hashed(set, self._items(entry[1]))
        if entry[0] == "a":
            return self.unpack(["b", entry[1]])
        return self._items(entry[-1])


_KINDS: dict[Any, type] = {"l": list, "m": dict, "s": set, "k": deque, "a": bytearray}


def _hashed(kind: Any, items: Any) -> Any:
    try:
        return kind(items)
    except TypeError as error:
        raise PlainError("a key that cannot be one") from error


def _empty(tag: Any, entry: Any) -> Any:
    if type(tag) is not str or tag not in _KINDS:
        raise PlainError("no container")
    if tag != "k":
        return _KINDS[tag]()
    room = entry[1] if len(entry) > 1 else None
    if room is not None and (type(room) is not int or not 0 <= room < 1 << 62):
        raise PlainError("no size of a deque")
    return deque(maxlen=room)


def _fill(target: Any, content: Any) -> None:
    """Give a container its contents; the test's own may be of a subclass."""
    if isinstance(target, (list, bytearray)):
        target[:] = content
        return
    target.clear()
    if isinstance(target, deque):
        target.extend(content)
    else:
        target.update(content)


def _number_of(tag: Any, rest: list[Any]) -> Any:
    if tag == "q" and all(type(part) is int for part in rest):
        from fractions import Fraction

        return Fraction(*rest)
    if tag == "n" and type(rest[0]) is str:
        from decimal import Decimal

        return Decimal(rest[0])
    raise PlainError("no form of a value")


def write_frame(fd: int, message: Any) -> None:
    """Write one message.  Raises ``GoneError``."""
    body = _text(message).encode("ascii")
    data = memoryview(b"%0*d" % (HEADER_BYTES, len(body)) + body)
    try:
        while data:
            data = data[write(fd, data) :]
    except OSError:
        raise GoneError from None


def read_frame(fd: int, most: int, wait: Any = None) -> tuple[Any, int]:
    """Read one message and its length.

    ``wait`` is called before each read.  Raises ``GoneError`` at the end, ``TooLongError`` above
    ``most`` bytes and ``PlainError`` for anything that ``write_frame`` does not write.
    """
    head = _read(fd, HEADER_BYTES, wait)
    if not head.isdigit():
        raise PlainError("no length of a message")
    if int(head) > most:
        raise TooLongError
    body = _read(fd, int(head), wait)
    try:
        message, end = _read_json(body.decode("ascii"), 0)
    except (ValueError, RecursionError, StopIteration) as error:
        raise PlainError("no message") from error
    if end != len(body):
        raise PlainError("more than a message")
    return message, end


def _read(fd: int, count: int, wait: Any) -> bytes:
    """Read exactly so many bytes."""
    pieces = []
    while count:
        if wait is not None:
            wait()
        try:
            piece = read(fd, min(count, PIECE))
        except OSError:
            raise GoneError from None
        if not piece:
            raise GoneError
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)
