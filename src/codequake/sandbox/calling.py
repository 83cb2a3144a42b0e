"""Run called programs one after the other in this process, and write a record of each.

This file runs inside the sandbox, in a child of the zygote, and imports nothing of codequake but
its neighbours there.  A record is a line ``<index> <kind> <microseconds> <bytes>`` and so many
bytes: of kind ``data`` one line of JSON for each input, of kind ``mixed`` a JSON list of
``[ending, detail, output]``, of kind ``missing`` nothing.
"""

from __future__ import annotations

import json
import json.encoder
import marshal
from os import write
from time import process_time_ns
from types import CodeType, ModuleType

from codequake.sandbox import candidate

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    # Its index, code, entry point, prelude, and packed inputs.
    Program = tuple[int, CodeType, str, dict[str, object], tuple[bytes, ...]]
    _Run = tuple[str, str, str | None]

__all__ = ["encode_result", "pack_arguments", "run_programs", "warm_up"]

_unpack = marshal.loads
_pack = marshal.dumps
_dumps = json.dumps
_loads = json.loads
_encode = candidate.encode
_find = candidate.find_entry
_describe = candidate.describe
_NotData = candidate.NotDataError
_number = int.__repr__
_WARM_TURNS = 40
_WITHOUT_REFERENCES = 2  # the format of marshal that writes a value out wherever it stands


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
                return "".join(_write_plain(value, 0))
        except (TypeError, ValueError):
            pass
    return _encode(value)


def run_programs(programs: list[Program], report: int) -> None:
    """Run each program on its packed inputs and write its record to the descriptor ``report``.

    The programs cannot look at the table of modules, so they are not in it; to touch that table
    would copy many pages.
    """
    for index, code, entry_point, names, inputs in programs:
        started = process_time_ns()
        module = ModuleType("solution")
        module.__dict__.update(names)
        kind, payload = _run(module, code, entry_point, inputs)
        data = payload.encode("utf-8", "surrogatepass")
        used = (process_time_ns() - started) // 1000
        data = b"%d %s %d %d\n%s" % (index, kind, used, len(data), data)
        while data:
            data = data[write(report, data) :]


def warm_up() -> None:
    """Run a program of ours until the interpreter has settled how to execute this file.

    Children then find it so, instead of each writing its own copy of these pages.
    """
    text = "def warm(number, items):\n    return [number, *items]\n"
    code = compile(text, candidate.FILE_NAME, "exec", dont_inherit=True)
    inputs = (pack_arguments('[1,["a",null,true,2.5]]'),) * 3
    for _ in range(_WARM_TURNS):
        kind, payload = _run(ModuleType("solution"), code, "warm", inputs)
        assert (kind, payload.count("\n")) == (b"data", 2)


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
