"""The candidate's side of a Python job: load the program, call it, give back plain data.

This file runs inside the sandbox, on whatever interpreter is there (3.9 or newer), in a process
of its own for each input, and imports nothing of codequake but its prelude.  It is loaded with a
private copy of the builtins, and binds what it needs from other modules when it is loaded, since a
program may replace both.
"""

from __future__ import annotations

import builtins
import io
import sys
import types
from _sitebuiltins import Quitter
from json import loads
from json.encoder import encode_basestring
from os import _exit

from codequake.sandbox.prelude import prelude_for

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, TypeAlias

    Emit: TypeAlias = Callable[[str, str], None]

__all__ = ["NotDataError", "check_syntax", "compiled", "decode", "describe", "encode", "find_entry"]
__all__ += [
    "forget_streams",
    "leave",
    "load_entry",
    "make_streams",
    "new_module",
    "open_streams",
    "run_call",
    "run_stdin",
    "syntax_problem",
]

MAX_DEPTH = 400
FILE_NAME = "solution.py"
_streams: dict[str, io.TextIOWrapper] = {}
_show_error = sys.__excepthook__
_bases_of = type.__dict__["__mro__"].__get__
_name_of = type.__dict__["__name__"].__get__


class NotDataError(Exception):
    """A value has no plain form."""


def check_syntax(source: str, emit: Emit) -> None:
    """Compile the program and report ``built``, or ``syntax`` with the reason."""
    if compiled(source, emit) is not None:
        emit("built", "")


def compiled(source: str, emit: Emit) -> types.CodeType | None:
    """Return the code of the program; report ``syntax`` with the reason when it has none."""
    try:
        return compile(source, FILE_NAME, "exec", dont_inherit=True)
    except (MemoryError, RecursionError) as error:
        emit("syntax", f"{type(error).__name__}: the program is nested too deeply to compile")
    except (SyntaxError, ValueError, OverflowError) as error:
        emit("syntax", syntax_problem(error))
    return None


def syntax_problem(error: Exception) -> str:
    """Return in one line why a program cannot be compiled."""
    line = getattr(error, "lineno", None)
    place = f" (line {line})" if line else ""
    return f"{type(error).__name__}: {getattr(error, 'msg', None) or error}{place}"


def load_entry(
    source: str, entry_point: str, code: types.CodeType | None = None
) -> tuple[types.ModuleType, Any]:
    """Load the program; return its module and its entry point, ``None`` when it has none.

    ``code`` is the program where it is compiled already.  Raises whatever the program raises.
    """
    module = new_module("solution")
    code = code or compile(source, FILE_NAME, "exec", dont_inherit=True)
    module.__dict__.update(prelude_for(code, entry_point=entry_point))
    exec(code, module.__dict__)  # noqa: S102
    return module, find_entry(module, entry_point)


def run_call(
    source: str, entry_point: str, arguments: str, emit: Emit, code: types.CodeType | None = None
) -> NoReturn:
    """Load the program, call its entry point, report how that ended and leave at once."""
    values = decode(loads(arguments))
    try:
        _, function = load_entry(source, entry_point, code)
        if function is None:
            emit("missing", "")
        else:
            emit("value", encode(function(*values)))
    except NotDataError as error:
        emit("not_data", str(error))
    except MemoryError:
        emit("memory", "MemoryError")
    except BaseException as error:  # noqa: BLE001 - whatever a program raises is its own result
        emit("error", describe(error))
    _exit(0)


def run_stdin(source: str, emit: Emit, code: types.CodeType | None = None) -> None:
    """Run the program as ``__main__``; an exception leaves as the interpreter itself would."""
    module = new_module("__main__")
    try:
        code = code or compile(source, FILE_NAME, "exec", dont_inherit=True)
        exec(code, module.__dict__)  # noqa: S102
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a program raises is its own result
        emit("memory" if isinstance(error, MemoryError) else "error", describe(error))
        trace = error.__traceback__
        _show_error(type(error), error, trace.tb_next if trace is not None else None)
        raise SystemExit(1) from None


def open_streams() -> None:
    """Put fresh text streams on file descriptors 0, 1 and 2, as at the interpreter's start."""
    if not _streams:
        make_streams()
    for name, text in _streams.items():
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)


def make_streams() -> None:
    """Make the streams that the next programs get, who are copies of this process.

    What they learn of the descriptors here, a file and two pipes or the like, must still hold.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        raw = io.FileIO(number, "r" if number == 0 else "w", closefd=False)
        raw.name = f"<{name}>"
        text = io.TextIOWrapper(
            io.BufferedReader(raw) if number == 0 else io.BufferedWriter(raw),
            encoding="utf-8",
            errors="backslashreplace" if number == 2 else "surrogateescape",
            newline="\n",
            line_buffering=number == 2,
        )
        vars(text)["mode"] = "r" if number == 0 else "w"
        _streams[name] = text


def forget_streams() -> None:
    """Leave the streams to the program alone, so that they end when it lets them go."""
    _streams.clear()


def leave() -> None:
    """Write what is printed and end at once; come back when that is not all that there is to do.

    Only for programs of which nothing acts while the interpreter is taken down.
    """
    for name in ("stdout", "stderr"):
        text = _streams[name]
        try:
            if getattr(sys, name) is not text:
                return
            # A method that the program put on a stream is called at the end of the interpreter.
            if vars(text) != {"mode": "w"} or vars(text.buffer):
                return
            io.TextIOWrapper.flush(text)
        except BaseException:  # noqa: BLE001 - the end of the interpreter finds the same and says so
            return
    _exit(0)


def new_module(name: str) -> types.ModuleType:
    """Return the module that a program is loaded into, with its place among the others."""
    module = types.ModuleType(name)
    module.__dict__.update(__file__=FILE_NAME, __builtins__=builtins)
    for word in ("exit", "quit"):  # what ``site`` would add, which is not loaded
        setattr(builtins, word, Quitter(word, "Ctrl-D"))
    for known in [key for key in sys.modules if key.partition(".")[0] == "codequake"]:
        del sys.modules[known]
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.modules[name] = module
    sys.argv[:] = [FILE_NAME]
    return module


def find_entry(module: types.ModuleType, name: str) -> Any:
    """A free function, else a method of ``Solution``, else of the only class that has it.

    Where several have it, classes of tests do not count.
    """
    found = module.__dict__.get(name)
    if callable(found):
        return found
    solution = module.__dict__.get("Solution")
    if isinstance(solution, type) and callable(getattr(solution, name, None)):
        return getattr(solution(), name)
    owners = {
        id(value): value
        for value in module.__dict__.values()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and callable(getattr(value, name, None))
    }
    chosen = list(owners.values())
    if len(chosen) > 1:
        chosen = [kind for kind in chosen if not any(map(_is_of_tests, _bases_of(kind)))]
    return getattr(chosen[0](), name) if len(chosen) == 1 else None


def _is_of_tests(kind: type) -> bool:
    name = str.__str__(_name_of(kind))
    return name.startswith("Test") or name.endswith(("Test", "Tests", "TestCase"))


def describe(error: BaseException) -> str:
    """One line about an exception; a hostile ``__str__`` must not matter."""
    if isinstance(error, SystemExit):
        return "SystemExit: the program ended instead of returning"
    try:
        text = str(error)[:400].strip().split("\n")[0]
    except BaseException:  # noqa: BLE001 - the text of an exception is the program's own code
        text = ""
    kind = str.__str__(_name_of(type(error)))
    return f"{kind}: {text}" if text else kind


def decode(value: Any) -> Any:
    """Turn tagged JSON into the values it stands for; the inverse of ``encode``."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((tag, inner),) = value.items()
        if tag == "$float":
            return float(inner)
        if tag == "$set":
            return {_frozen(decode(item)) for item in inner}
        if tag == "$bytes":
            return bytes.fromhex(inner)
        if tag == "$dict":
            return {_frozen(decode(key)): decode(item) for key, item in inner}
    return {key: decode(item) for key, item in value.items()}


def _frozen(key: Any) -> Any:
    if isinstance(key, list):
        return tuple(_frozen(item) for item in key)
    return frozenset(key) if isinstance(key, set) else key


def encode(value: Any, depth: int = 0) -> str:
    """Return JSON text of a value that is plain data; no method of the value itself is called.

    Tuples become lists, subclasses what their base holds; ``$float`` carries NaN and infinities,
    ``$set``, ``$bytes`` and ``$dict`` (keys that are not strings) the rest.  Raises
    ``NotDataError`` for everything else.
    """
    if depth > MAX_DEPTH:
        raise NotDataError("the result is nested too deeply or contains itself")
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    kind = type(value)
    for base in _bases_of(kind):
        for known, write in _WRITERS:
            if base is known:
                return write(value, depth + 1)
    raise NotDataError(f"the result has the type {_name_of(kind)}, which is not plain data")


def _float(value: float, _depth: int) -> str:
    text = float.__repr__(value)
    return text if text not in ("nan", "inf", "-inf") else '{"$float":"' + text + '"}'


def _items(items: Any, depth: int) -> list[str]:
    return [encode(item, depth) for item in items]


def _dict(value: dict[Any, Any], depth: int) -> str:
    pairs = []
    plain = True
    for key, item in dict.items(value):
        plain = plain and type(key) is str and not key.startswith("$")
        pairs.append((encode(key, depth), encode(item, depth)))
    pairs.sort()
    if plain:
        return "{" + ",".join([key + ":" + item for key, item in pairs]) + "}"
    return '{"$dict":[' + ",".join(["[" + key + "," + item + "]" for key, item in pairs]) + "]}"


def _set(items: Any, depth: int) -> str:
    return '{"$set":[' + ",".join(sorted(_items(items, depth))) + "]}"


_WRITERS: tuple[tuple[type, Callable[[Any, int], str]], ...] = (
    (int, lambda value, _: int.__repr__(value)),
    (str, lambda value, _: encode_basestring(str.__getitem__(value, slice(None)))),
    (list, lambda value, depth: "[" + ",".join(_items(list.__iter__(value), depth)) + "]"),
    (tuple, lambda value, depth: "[" + ",".join(_items(tuple.__iter__(value), depth)) + "]"),
    (float, _float),
    (dict, _dict),
    (set, lambda value, depth: _set(set.__iter__(value), depth)),
    (frozenset, lambda value, depth: _set(frozenset.__iter__(value), depth)),
    (bytes, lambda value, _: '{"$bytes":"' + bytes.hex(value) + '"}'),
)
