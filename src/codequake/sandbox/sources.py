"""The text of process 1: our files for the inside of a sandbox, as one script without files."""

from __future__ import annotations

import base64
import functools
import importlib.util
import marshal
import zlib
from importlib import resources
from types import CodeType

__all__ = ["gcc_source", "own_magic", "runner_source"]

_BASE = ("watching", "prelude", "candidate")
_STATEMENTS = ("exchange", "judging", "pair")  # what only tests by statements need
# For each process 1 the files that it loads at once, and those that it loads when it needs them.
_PARTS = {
    "alone": ((*_BASE, "inside", "alone"), (*_STATEMENTS, "pattern")),
    "zygote": ((*_BASE, "admission", "calling", "zygote"), ()),
    "origin": ((*_BASE, "inside", *_STATEMENTS, "first", "quiet", "copies", "origin"), ()),
}
_GCC_PARTS = ("watching", "gcc_inside")
_LOADER = """\
import sys
sys.path[:] = [entry for entry in sys.path if entry]
import builtins, types
{compiled}
package = sys.modules["codequake.sandbox"] = types.ModuleType("codequake.sandbox")
def load(parts):
    for name, code in compiled(parts):
        module = types.ModuleType("codequake.sandbox." + name)
        module.__dict__["__builtins__"] = dict(vars(builtins))
        sys.modules[module.__name__] = module
        exec(code, module.__dict__)
        setattr(package, name, module)
package.load_rest = lambda: load({rest!r})
load({parts!r})
package.{main}.main()
"""
_FROM_TEXT = """\
def compiled(parts):
    for name, source in parts:
        yield name, compile(source, "codequake.sandbox." + name, "exec", dont_inherit=True)
"""
_FROM_CODE = """\
def compiled(parts):
    import binascii, marshal, zlib
    return marshal.loads(zlib.decompress(binascii.a2b_base64(parts)))
"""


def own_magic() -> str:
    """Return what says which compiled code this interpreter understands."""
    return importlib.util.MAGIC_NUMBER.hex()


@functools.cache
def runner_source(kind: str = "alone", *, magic: str | None = None) -> str:
    """Return the script of a process 1: ``alone``, ``zygote`` or ``origin``.

    ``magic`` is that of the interpreter that will run it.  Where it understands the code that we
    compile, it gets that instead of text, which saves it most of its start.
    """
    parts, rest = _PARTS[kind]
    if magic == own_magic():
        return _LOADER.format(
            compiled=_FROM_CODE, parts=_packed(parts), rest=_packed(rest), main=parts[-1]
        )
    texts = [(name, _text(name)) for name in parts]
    others = [(name, _text(name)) for name in rest]
    return _LOADER.format(compiled=_FROM_TEXT, parts=texts, rest=others, main=parts[-1])


def gcc_source() -> str:
    """Return the script of a sandbox where gcc compiles many programs."""
    texts = [(name, _text(name)) for name in _GCC_PARTS]
    return _LOADER.format(compiled=_FROM_TEXT, parts=texts, rest=[], main=_GCC_PARTS[-1])


def _text(name: str) -> str:
    return resources.files("codequake.sandbox").joinpath(f"{name}.py").read_text("utf-8")


def _packed(names: tuple[str, ...]) -> str:
    codes: list[tuple[str, CodeType]] = [
        (name, compile(_text(name), f"codequake.sandbox.{name}", "exec", dont_inherit=True))
        for name in names
    ]
    return base64.b64encode(zlib.compress(marshal.dumps(codes))).decode("ascii")
