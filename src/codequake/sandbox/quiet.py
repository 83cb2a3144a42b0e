"""Which main programs say nothing more once their last line has run.

This file runs inside the sandbox and imports nothing of codequake.  The interpreter takes itself
down piece by piece at its end, which costs a forked process most of its time, since it copies
every page that it writes to.  A program can notice only when something of its own acts then: a
``__del__``, a generator that is not finished, a thread, a file with text that is not written yet,
an exit handler.  What is read here is the compiled code; all lists but that of risky names say
what is allowed, and a program that is not seen to be quiet ends as any other does.
"""

from __future__ import annotations

import sys
import types

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ends_quietly"]

_GENERATORS = 0x20 | 0x80 | 0x200  # generators, coroutines and both at once
_GENERATOR_EXPRESSION = "<genexpr>"
_MODULES = frozenset(
    (
        *("array", "bisect", "collections", "copy", "datetime", "decimal", "fractions"),
        *("functools", "heapq", "itertools", "math", "operator", "random", "re", "statistics"),
        *("string", "sys", "typing", "__future__"),
    )
)
_OTHER_MODULES = frozenset(getattr(sys, "stdlib_module_names", ())) - _MODULES
# What makes code of a text, or looks behind the objects that it was given.
_RISKY = frozenset(
    (
        *("__del__", "open", "exec", "eval", "compile", "__import__", "globals", "vars", "type"),
        *("setattr", "getattr", "delattr", "__builtins__", "__dict__", "__class__", "modules"),
        *("__subclasses__", "__getattribute__", "settrace", "setprofile", "addaudithook"),
        *("excepthook", "unraisablehook", "breakpointhook", "displayhook", "breakpoint", "detach"),
        *("meta_path", "path_hooks", "set_asyncgen_hooks", "set_coroutine_origin_tracking_depth"),
        *("__stdout__", "__stderr__", "__stdin__", "finalize", "ref", "raw"),
        *("locals", "_getframe", "monitoring", "attrgetter", "methodcaller", "get_field"),
        *("Formatter", "get_type_hints", "ForwardRef", "update_wrapper", "wraps"),
        *("__setattr__", "__reduce__", "__reduce_ex__", "__self__", "__code__", "__globals__"),
        *("f_globals", "f_locals", "f_builtins", "gi_frame", "tb_frame", "__loader__", "__spec__"),
    )
)


def ends_quietly(code: types.CodeType) -> bool:
    """Whether taking the interpreter down after this program can show nothing."""
    if not _OTHER_MODULES:
        return False  # an interpreter that does not know the names of its modules
    waiting = [code]
    for part in waiting:  # grows while it is walked
        if part.co_flags & _GENERATORS and part.co_name != _GENERATOR_EXPRESSION:
            return False
        if _are_risky(part.co_names) or "__del__" in part.co_varnames:
            return False
        for item in part.co_consts:
            if isinstance(item, types.CodeType):
                waiting.append(item)
            elif isinstance(item, str) and "__" in item and "__del__" in item:
                return False
            elif isinstance(item, tuple) and _are_risky(n for n in item if isinstance(n, str)):
                return False  # a pattern of a class has the attributes that it reads there
    return True


def _are_risky(names: Iterable[str]) -> bool:
    tops = {name.partition(".")[0] for name in names}
    # A module that another one has imported is there by its name, behind a dash at most.
    inner = {name.lstrip("_") for name in tops if name.startswith("_")}
    return bool((tops | inner) & _OTHER_MODULES or tops & _RISKY)
