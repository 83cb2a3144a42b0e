"""Run called programs one after the other in this process, and write a record of each.

This file runs inside the sandbox, in a child of the zygote, and imports nothing of codequake but
its neighbours there.  A record is a line ``<index> <kind> <microseconds> <bytes>`` and so many
bytes: of kind ``data`` one line of JSON for each input, of kind ``mixed`` a JSON list of
``[ending, detail, output]``, of kind ``syntax`` the reason, of ``missing`` or ``none`` nothing.
"""

from __future__ import annotations

import json
import json.encoder
import marshal
import os
import re
import sys
import typing
from os import write
from time import process_time_ns
from types import CodeType, ModuleType

from codequake.sandbox import admission, candidate
from codequake.sandbox.prelude import prelude_for

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    # Its index, text, entry point, and packed inputs.
    Program = tuple[int, str, str, tuple[bytes, ...]]
    _Run = tuple[str, str, str | None]

__all__ = ["Ready", "encode_result", "pack_arguments", "prepare", "run_one", "run_together"]
__all__ += ["send", "warm_up"]

_unpack = marshal.loads
_pack = marshal.dumps
_dumps = json.dumps
_loads = json.loads
_encode = candidate.encode
_find = candidate.find_entry
_describe = candidate.describe
_NotData = candidate.NotDataError
_number = int.__repr__
_typing_tables: list[Callable[[], None]] = getattr(typing, "_cleanups", [])
_SINK_FD = 2
_WARM_TURNS = 40
_WITHOUT_REFERENCES = 2  # the format of marshal that writes a value out wherever it stands


class Ready:
    """A program that is compiled, with the names of the prelude that it uses; or why it is not."""

    __slots__ = ("code", "kind", "names", "why")

    def __init__(
        self,
        kind: str,
        why: str,
        code: CodeType | None = None,
        names: dict[str, object] | None = None,
    ) -> None:
        self.kind = kind
        self.why = why
        self.code = code
        self.names = names or {}


def pack_arguments(text: str) -> bytes:
    """Return the arguments of a call in a form that gives fresh values quickly, each time."""
    return _pack(candidate.decode(_loads(text)), _WITHOUT_REFERENCES)


def _refuse(value: object) -> None:
    raise TypeError(f"{value!r} is not plain")


# Tables, NaN and infinities are left to the careful way.
_make = getattr(json.encoder, "c_make_encoder", None)
_text = json.encoder.encode_basestring
_write_plain: Callable[[Any, int], tuple[str, ...]] = (
    _make(None, _refuse, _text, None, ":", ",", False, False, False)
    if _make is not None
    else lambda value, _: (_encode(value),)
)


def encode_result(value: Any) -> str:
    """Return what ``candidate.encode`` returns, faster for results of exact built-in types.

    ``marshal`` writes exact built-in types only and calls no method of what it writes, so a value
    that it accepts cannot misbehave in the encoder of ``json``, which would believe subclasses.
    """
    kind = type(value)
    if kind is int:
        return _number(value)
    if kind is list or kind is tuple or kind is str:
        try:
            if b"{" not in _pack(value, _WITHOUT_REFERENCES):
                text = "".join(_write_plain(value, 0))
                if text.count("[") <= candidate.MAX_DEPTH:  # else it may be nested too deeply
                    return text
        except (TypeError, ValueError):
            pass
    return _encode(value)


def prepare(source: str, entry_point: str) -> Ready:
    """Compile a program, and give its code only when it may run beside others.

    ``kind`` is ``syntax`` with the reason in ``why`` when the text is no program, ``none`` when it
    must be run elsewhere: it is not seen to be harmless, or needs more room to be compiled.
    """
    try:
        code = compile(source, candidate.FILE_NAME, "exec", dont_inherit=True)
    except (MemoryError, RecursionError):
        return Ready("none", "")
    except (SyntaxError, ValueError, OverflowError) as error:
        return Ready("syntax", candidate.syntax_problem(error))
    if not admission.can_share(code):
        return Ready("none", "")
    return Ready("ready", "", code, prelude_for(code, entry_point=entry_point))


def run_together(programs: list[Program], report: int) -> None:
    """Compile and run one program after the other, and write their records to ``report``.

    They are compiled here and not before the fork, since running a code writes to its pages, and
    each that is shared with the parent would be copied.
    """
    for index, source, entry_point, inputs in programs:
        ready = prepare(source, entry_point)
        if ready.code is None:
            send(report, index, ready.kind.encode(), ready.why, 0)
        else:
            run_one(index, ready, entry_point, inputs, report)
            _forget()


def _forget() -> None:
    """Empty what shared code keeps of a program: tables of equal, not same, keys, and its prints.

    The next program would else get a type hint that reads as the one before, or find no room in
    the file for its own prints.
    """
    for empty in _typing_tables:
        empty()
    re.purge()
    _empty_sink()
    sys.stdout.flush()
    _empty_sink()


def _empty_sink() -> None:
    if os.fstat(_SINK_FD).st_size:
        os.ftruncate(_SINK_FD, 0)
        os.lseek(_SINK_FD, 0, os.SEEK_SET)


def run_one(
    index: int, ready: Ready, entry_point: str, inputs: tuple[bytes, ...], report: int
) -> None:
    """Run a program on its packed inputs and write its record.

    The program cannot look at the table of modules, so it is not in it.
    """
    assert ready.code is not None
    started = process_time_ns()
    module = ModuleType("solution")
    module.__dict__.update(ready.names)
    kind, payload = _run(module, ready.code, entry_point, inputs)
    send(report, index, kind, payload, (process_time_ns() - started) // 1000)


def send(report: int, index: int, kind: bytes, payload: str, microseconds: int) -> None:
    """Write one record."""
    data = payload.encode("utf-8", "surrogatepass")
    data = b"%d %s %d %d\n%s" % (index, kind, microseconds, len(data), data)
    while data:
        data = data[write(report, data) :]


def warm_up(report: int) -> None:
    """Run a program of ours until the interpreter has settled how to execute this file.

    Children then find it so, instead of each writing its own copy of these pages.  The records go
    to ``report`` as well.
    """
    text = "import math\ndef warm(number, items):\n    return [number, math.pi, *items]\n"
    inputs = (pack_arguments('[1,["a",null,true,2.5]]'),) * 3
    run_together([(0, text, "warm", inputs)] * _WARM_TURNS, report)


def _run(
    module: ModuleType, code: CodeType, entry_point: str, inputs: tuple[bytes, ...]
) -> tuple[bytes, str]:
    outputs: list[str] = []
    loaded = False
    try:
        exec(code, module.__dict__)  # noqa: S102
        if _find(module, entry_point) is None:
            return b"missing", ""
        loaded = True
        for packed in inputs:
            # Not a comprehension: what was there before an exception is needed.
            outputs.append(_call(module, entry_point, packed))  # noqa: PERF401
    except BaseException as error:  # noqa: BLE001 - whatever a program raises is its own result
        ended = _ending(error)
    else:
        return b"data", "\n".join(outputs)
    if not loaded:
        return b"mixed", _dumps([ended] * len(inputs))
    runs: list[_Run] = [("returned", "", text) for text in outputs]
    runs.append(ended)
    for packed in inputs[len(runs) :]:
        try:
            runs.append(("returned", "", _call(module, entry_point, packed)))
        except BaseException as error:  # noqa: BLE001 - whatever a program raises is its own result
            runs.append(_ending(error))
    return b"mixed", _dumps(runs)


def _call(module: ModuleType, entry_point: str, packed: bytes) -> str:
    # The entry point is looked up each time: a method gets a fresh object, as in a fresh process.
    function = _find(module, entry_point)
    return encode_result(function(*_unpack(packed)))


def _ending(error: BaseException) -> _Run:
    if isinstance(error, _NotData):
        return "not_data", str(error), None
    if isinstance(error, MemoryError):
        return "memory_limit", "MemoryError", None
    if isinstance(error, SystemExit):
        return "crashed", "SystemExit: the program ended instead of returning", None
    return "crashed", _describe(error), None
