"""The two sides of a test by statements: the judge, and the program that it calls.

This file runs inside the sandbox, in two processes for each test, on an interpreter of 3.9 or
newer.  The judge never runs a line of the program; the program's process has no letter of the
statements.  Between them pass plain data and the names of exceptions.
"""

from __future__ import annotations

import builtins
import os
import select
import sys

from codequake.sandbox.candidate import compiled, describe, load_entry
from codequake.sandbox.exchange import (
    ERROR_TYPES,
    GoneError,
    NotPlainError,
    Packer,
    PlainError,
    TooDeepError,
    TooLongError,
    Unpacker,
    error_name,
    read_frame,
    same,
    write_frame,
)

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType
    from typing import Any, NoReturn, TypeAlias

    Emit: TypeAlias = Callable[[str, str], None]

__all__ = ["Wires", "judge", "serve"]

DETAIL_LENGTH = 400
MOST_BYTES = 1 << 40
# Until the first answer everything that the judge does must be its own doing.
MOST_NAMES, LONGEST_NAME = 1000, 100
GREETING_BYTES = 1 << 20
RECURSION_LIMIT = 20_000
SETUP, TEST = "<setup>", "<test>"
_exit = os._exit


def judge(
    setup: str, statements: str, entry_point: str, wires: Wires, most: int, emit: Emit
) -> NoReturn:
    """Run the statements of one test and tell how that ended.

    ``ready`` is told before the program starts, ``answered`` with its first answer, then one of
    ``true`` and ``false`` (the statements ended, or raised), ``crashed``, ``memory``,
    ``not_data``, ``output`` and ``gone`` (what the program did), ``missing`` (no entry point) and
    ``broken``: the statements fail by themselves, before any answer could have had a part in it.

    The program is bound to the name of its entry point and to ``candidate``.  Other functions that
    it defines are there for names that neither the test nor Python knows: some tests call helpers
    that the prompt defined (``poly`` in HumanEval/32, ``encode_cyclic`` in 38, ``encode_shift`` in
    50), so that they are a part of the program.
    """
    sys.setrecursionlimit(RECURSION_LIMIT)
    known = dict(vars(builtins))
    names: dict[str, Any] = {"__name__": "__test__", "__builtins__": known}
    texts = {SETUP: setup, TEST: statements}
    try:
        if any("random" in text for text in texts.values()):
            import random

            random.seed(0)  # tests that draw their own inputs draw the same ones every time
        codes = [compile(text, name, "exec", dont_inherit=True) for name, text in texts.items()]
        exec(codes[0], names)  # noqa: S102
    except BaseException as error:  # noqa: BLE001 - a test may raise anything
        _end(emit, "broken", describe(error) + _place(error, texts))
    emit("ready", "")
    line = _Line(wires, most, emit)
    for name in line.greeting():
        known.setdefault(name, line.caller(name))
    names["candidate"] = names[entry_point] = line.caller("")
    try:
        exec(codes[1], names)  # noqa: S102
    except BaseException as error:  # noqa: BLE001 - a test may raise anything
        _end(emit, *_ending(error, line, texts))
    _end(emit, "true", "")


class Wires:
    """File descriptors of the judge; ``bell`` is closed by process 1 when the program ended."""

    def __init__(self, asks: int, answers: int, bell: int) -> None:
        self.asks = asks
        self.answers = answers
        self.bell = bell


def _ending(error: BaseException, line: _Line, texts: dict[str, str]) -> tuple[str, str]:
    """Say what the exception means that ended the statements.

    Once the program has answered, whatever goes wrong may come of its answers (``None + 1`` is a
    ``TypeError`` of the test), so the test has failed and is not broken: no program may make its
    own test look broken.  Nor may it by filling the folder that both can write to: an ``OSError``
    is a failure, too.
    """
    for raised, message in line.raised:
        if raised is error:
            return "crashed", message
    place = _place(error, texts)
    if isinstance(error, AssertionError):
        said = describe(error).partition(": ")[2]
        return "false", _line_of(error, texts) + (f": {said}" if said else "")
    if isinstance(error, NameError) and not isinstance(error, UnboundLocalError):
        why = "a name that neither the test nor the program defines"
        return "crashed", f"{describe(error)}, {why}"
    if not line.answered and not isinstance(error, OSError):
        return "broken", describe(error) + place
    if isinstance(error, MemoryError):
        return "memory", "MemoryError"
    return "false", describe(error) + place


def _place(error: BaseException, texts: dict[str, str]) -> str:
    line = _line_of(error, texts)
    return f" (in {line!r})" if line else ""


def _line_of(error: BaseException, texts: dict[str, str]) -> str:
    """The line of the test that an exception passed last."""
    found = ""
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name in texts:
            found = texts[name].split("\n")[trace.tb_lineno - 1].strip()
        trace = trace.tb_next
    return found[: DETAIL_LENGTH // 2]


def _end(emit: Emit, kind: str, detail: str) -> NoReturn:
    emit(kind, detail[:DETAIL_LENGTH])
    _exit(0)


class _Line:
    """The judge's end of the line to the program."""

    def __init__(self, wires: Wires, most: int, emit: Emit) -> None:
        self.raised: list[tuple[BaseException, str]] = []
        self.answered = False
        self._wires = wires
        self._left = most
        self._emit = emit
        self._count = 0
        self._poller = select.poll()
        self._poller.register(wires.answers, select.POLLIN)
        self._poller.register(wires.bell, select.POLLIN)

    def greeting(self) -> list[str]:
        """Wait until the program is loaded; return the names of what it defines."""
        kind, rest = self._answer(GREETING_BYTES)
        if kind == "missing":
            _end(self._emit, "missing", "")
        if kind == "syntax":
            _end(self._emit, "syntax", str(rest[0]))
        if kind == "error":
            _end(self._emit, "crashed", str(rest[1]))
        if kind != "ready" or type(rest[0]) is not list or set(map(type, rest[0])) - {str}:
            _end(self._emit, "crashed", "it does not answer as a program does")
        return list(rest[0])

    def caller(self, name: str) -> Callable[..., Any]:
        """Return a function that stands for one of the program; ``""`` is the entry point."""

        def call(*args: Any, **kwargs: Any) -> Any:
            return self._call(name, args, kwargs)

        return call

    def _call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._count += 1
        packer = Packer()
        try:
            forms = [packer.items(args), list(kwargs), packer.items(kwargs.values())]
            request = [self._count, name, *forms, packer.table()]
        except TooDeepError as error:
            _end(self._emit, "false" if self.answered else "broken", f"the test passes {error}")
        except NotPlainError as error:
            _end(self._emit, "broken", f"the test passes {error}")
        try:
            write_frame(self._wires.asks, request)
        except GoneError:
            _end(self._emit, "gone", "")
        kind, rest = self._answer()
        try:
            heap = Unpacker(rest[-1], packer.objects)
            if kind == "value":
                return heap.unpack(rest[0][0])
            raised = _rebuilt(rest[0], [heap.unpack(form) for form in rest[2]])
            message = str(rest[1])
        except (PlainError, LookupError, TypeError):
            _end(self._emit, "crashed", "its answer is no answer")
        self.raised.append((raised, message))
        raise raised

    def _answer(self, most: int | None = None) -> tuple[str, list[Any]]:
        """Wait for the next message; what ends a test at once never comes back from here."""
        most = self._left if most is None else most
        try:
            message, length = read_frame(self._wires.answers, most, self._wait)
            self._left -= length
            count, kind, *rest = message
        except GoneError:
            _end(self._emit, "gone", "")
        except TooLongError:
            _end(self._emit, "output", "")
        except (PlainError, ValueError, TypeError):
            kind = count = None
        if count != self._count or type(kind) is not str or not rest:
            _end(self._emit, "crashed", "something else wrote to the channel of its results")
        if kind in ("memory", "not_data"):
            _end(self._emit, kind, str(rest[0]))
        return kind, rest

    def _wait(self) -> None:
        """Wait until there is something to read, or until the program has ended without it."""
        while True:
            ready = [fd for fd, _ in self._poller.poll()]
            if self._wires.answers in ready:
                break
            # It may have answered right before it ended.
            if not select.select([self._wires.answers], [], [], 0)[0]:
                raise GoneError
        if self._count and not self.answered:
            self.answered = True
            self._emit("answered", "")


def _rebuilt(name: Any, args: list[Any]) -> BaseException:
    """Return an exception as the program raised it, as far as the test can tell."""
    kind = ERROR_TYPES.get(name, RuntimeError) if type(name) is str else RuntimeError
    try:
        return kind(*args)
    except Exception:  # noqa: BLE001 - any arguments may be wrong for any constructor
        return RuntimeError(*args)


# -- the program's side ----------------------------------------------------------------------


def serve(
    source: str,
    entry_point: str,
    asks: int,
    answers: int,
    code: CodeType | None = None,
    *,
    told: bool = True,
) -> NoReturn:
    """Load the program, answer calls until nobody asks any more, and leave at once.

    ``code`` is the program where it is compiled already; unless somebody was ``told`` that it can
    be, the greeting says that it cannot.
    """
    if code is None and not told:
        code = compiled(source, lambda kind, why: write_frame(answers, [0, kind, why]))
        if code is None:
            _exit(0)
    module, function, greeting = _loaded(source, entry_point, code)
    try:
        write_frame(answers, [0, *greeting])
        while module is not None:
            (count, name, args, keys, values, table), _ = read_frame(asks, MOST_BYTES)
            heap = Unpacker(table)
            given = [heap.unpack(form) for form in args]
            named = {key: heap.unpack(form) for key, form in zip(keys, values)}  # noqa: B905
            target = module.__dict__.get(name) if name else function
            write_frame(answers, [count, *_reply(target, given, named, heap.objects, table)])
    except GoneError:
        pass
    _exit(0)


def _loaded(
    source: str, entry_point: str, code: CodeType | None
) -> tuple[ModuleType | None, Any, list[Any]]:
    try:
        module, function = load_entry(source, entry_point, code)
        names = [
            str.__str__(name)
            for name, value in list(module.__dict__.items())
            if isinstance(name, str) and len(name) < LONGEST_NAME and callable(value)
        ][:MOST_NAMES]
    except MemoryError:
        return None, None, ["memory", "MemoryError"]
    except BaseException as error:  # noqa: BLE001 - whatever a program raises is its own result
        return None, None, ["error", error_name(error), describe(error)]
    if function is None:
        return None, None, ["missing", ""]
    return module, function, ["ready", names]


def _reply(
    target: Any, args: list[Any], kwargs: dict[str, Any], known: list[Any], table: list[Any]
) -> list[Any]:
    """Call the program; return the answer, with the containers of the arguments as they are now."""
    try:
        return ["value", *_state([target(*args, **kwargs)], known, table)]
    except NotPlainError as error:
        return ["not_data", f"the result is or holds {error}"]
    except MemoryError:
        return ["memory", "MemoryError"]
    except BaseException as error:  # noqa: BLE001 - whatever a program raises is its own result
        return _raised(error, known, table)


def _raised(error: BaseException, known: list[Any], table: list[Any]) -> list[Any]:
    message = describe(error)
    try:
        args = BaseException.__dict__["args"].__get__(error)
        forms, state = _state(list(args), known, table)
    except BaseException:  # noqa: BLE001 - the arguments of an exception are the program's own
        forms, state = _state([message.partition(": ")[2]], known, table)
    return ["error", error_name(error), message, forms, state]


def _state(values: list[Any], known: list[Any], before: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the forms of values, and the table with what has changed in it.

    Raises ``NotPlainError`` for a value.  An argument that now holds what is no data counts as
    unchanged, since the test may never look at it.
    """
    try:
        forms, table = _packed(values, known, everything=True)
    except NotPlainError:
        forms, table = _packed(values, known, everything=False)
    return forms, [
        None
        if entry is not None and number < len(before) and same(entry, before[number])
        else entry
        for number, entry in enumerate(table)
    ]


def _packed(
    values: list[Any], known: list[Any], *, everything: bool
) -> tuple[list[Any], list[Any]]:
    packer = Packer(known)
    if everything:
        packer.want_all()
    return packer.items(values), packer.table()
