"""Which programs may share a process with others: those whose code can leave no trace.

This file runs inside the sandbox, on the interpreter that runs the programs, and imports nothing
of codequake.  It reads the compiled code, not the text: what it sees is what will be executed,
whatever spelling, escape or syntax it came from.  All lists below say what is allowed; everything
else is refused, and a refused program merely runs in a process of its own.

Why this holds.  To reach another program, or the runner, a program needs an object that both can
see and a way to change it or to look through it.  Shared objects are the modules, classes and
functions of the standard library.  Here attributes are never stored or deleted, only names without
underscores from closed lists are read, and functions that would do either by a string (``getattr``,
``str.format``, ``attrgetter``, ``wraps``, ``type``) are not on the lists; classes cannot define
the methods that shared caches and tables would call (``__eq__``, ``__hash__``, ``__del__``, ...),
and they derive from nothing that such a cache would take for a text, a number or a metaclass.
"""

from __future__ import annotations

import builtins
import collections
import datetime as dt
import fractions
import functools
import opcode
import re
import sys
import types

TYPE_CHECKING = False  # typing takes milliseconds to import, in every sandbox
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ATTRIBUTES", "MEMBERS", "READABLE", "can_share", "keeps_nothing"]

READABLE = (3, 11) <= sys.version_info[:2] <= (3, 13)
"""Whether the code of this interpreter is known here; without it no program shares a process."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MEMBERS = {
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "copy": "copy deepcopy",
    "datetime": "date datetime time timedelta MINYEAR MAXYEAR",
    "fractions": "Fraction",
    "functools": "cache cmp_to_key lru_cache partial reduce",
    "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
    "itertools": (
        "accumulate chain combinations combinations_with_replacement compress count cycle "
        "dropwhile filterfalse groupby islice pairwise permutations product repeat starmap "
        "takewhile tee zip_longest from_iterable"
    ),
    "math": (
        "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e "
        "erf erfc exp exp2 expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose "
        "isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nan nextafter perm "
        "pi pow prod radians remainder sin sinh sqrt tan tanh tau trunc ulp"
    ),
    "operator": (
        "add and_ concat contains countOf eq floordiv ge getitem gt index indexOf inv invert is_ "
        "is_not itemgetter le lshift lt matmul mod mul ne neg not_ or_ pos pow rshift sub truediv "
        "truth xor"
    ),
    "re": (
        "A ASCII DOTALL I IGNORECASE M MULTILINE S VERBOSE X compile escape findall finditer "
        "fullmatch match search split sub subn"
    ),
    "string": (
        "ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits "
        "printable punctuation whitespace"
    ),
    "typing": (
        "Any Callable DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable Iterable "
        "Iterator List Literal Mapping MutableMapping MutableSequence Optional Sequence Set Tuple "
        "TypeVar Union"
    ),
}
_MODULES = frozenset(MEMBERS)
_IMPORTED = frozenset(name for names in MEMBERS.values() for name in names.split())

_SAFE_BUILTINS = _words(
    "ArithmeticError AssertionError AttributeError EOFError Exception False IndexError KeyError "
    "LookupError NameError None NotImplemented NotImplementedError OverflowError RecursionError "
    "RuntimeError StopIteration True TypeError UnicodeDecodeError UnicodeEncodeError UnicodeError "
    "ValueError ZeroDivisionError abs all any ascii bin bool bytearray bytes callable "
    "chr classmethod complex dict divmod enumerate filter float format frozenset hex int "
    "isinstance issubclass iter len list map max min next object oct ord pow print property range "
    "repr reversed round set slice sorted staticmethod str sum tuple zip"
)
# Names with underscores have a list of their own below.
_UNSAFE_BUILTINS = (
    frozenset(name for name in dir(builtins) if not name.startswith("_")) - _SAFE_BUILTINS
)
# What a program that merely mentions them finds among its names, though it may not import them.
_UNSAFE_GIVEN = _words(
    "ChainMap NamedTuple Type array attrgetter cached_property json random statistics sys "
    "total_ordering wraps"
)
_UNSAFE_NAMES = _UNSAFE_BUILTINS | _UNSAFE_GIVEN
# A text or a number of an own class would equal a plain one, but act otherwise, as the key of a
# shared cache; a class that derives from ``type`` makes classes with any methods.
_BASES = frozenset(
    name
    for name in _SAFE_BUILTINS
    if name == "object" or name.endswith("Error") or name in ("Exception", "StopIteration")
)

# Names with underscores that a class or a main guard needs.  No method here is called by a table,
# a cache or the collector on behalf of somebody else.
_UNDERSCORED = _words(
    "_ __name__ __init__ __module__ __qualname__ __doc__ __annotations__ __lt__ __gt__ __le__ "
    "__ge__ __repr__ __str__ __len__ __iter__ __next__ __call__ __getitem__ __contains__ __add__ "
    "__sub__ __mul__ __bool__ __static_attributes__ __firstlineno__"
)

_PLAIN_TYPES = (
    *(bool, bytearray, bytes, complex, dict, float, frozenset, int, list, range, set, slice, str),
    *(tuple, collections.Counter, collections.OrderedDict, collections.defaultdict),
    *(collections.deque, fractions.Fraction, dt.date, dt.datetime, dt.time),
    *(dt.timedelta, re.Pattern, re.Match),
)
# str.format and str.format_map read any attribute that a text names; Match.re and Match.string are
# names of modules that other modules hold; Pattern.groupindex is a view of a dictionary, which a
# comparison hands to the other side.
_TELLING = _words("format format_map groupindex mro re register string with_traceback")
_NEVER_OWN_PREFIXES = ("_", "ag_", "co_", "cr_", "f_", "gi_", "tb_")
ATTRIBUTES = (
    frozenset(name for kind in _PLAIN_TYPES for name in dir(kind) if not name.startswith("_"))
    | _IMPORTED
    | _words("args cache_clear cache_info close send value setter getter")
) - _TELLING
_LIBRARY = frozenset(name for module in MEMBERS for name in dir(__import__(module)))
# A program's own methods may have any name, but for those that mean more on somebody else.
_NEVER_OWN = (_LIBRARY - _IMPORTED) | _TELLING | frozenset(dir(functools.partial))

# What an interpreter has not is not looked for; STORE_ATTR, DELETE_ATTR, MATCH_CLASS, IMPORT_STAR,
# LOAD_SUPER_ATTR and all that waits for coroutines are left out on purpose.
_ALLOWED = _words(
    "BEFORE_WITH BINARY_OP BINARY_SLICE BINARY_SUBSCR BUILD_CONST_KEY_MAP BUILD_LIST BUILD_MAP "
    "BUILD_SET BUILD_SLICE BUILD_STRING BUILD_TUPLE CACHE CALL CALL_FUNCTION_EX CALL_INTRINSIC_1 "
    "CALL_KW CHECK_EXC_MATCH CLEANUP_THROW COMPARE_OP CONTAINS_OP CONVERT_VALUE COPY "
    "COPY_FREE_VARS DELETE_DEREF DELETE_FAST DELETE_GLOBAL DELETE_NAME DELETE_SUBSCR DICT_MERGE "
    "DICT_UPDATE END_FOR END_SEND EXTENDED_ARG FORMAT_SIMPLE FORMAT_VALUE FORMAT_WITH_SPEC "
    "FOR_ITER GET_ITER GET_LEN GET_YIELD_FROM_ITER IMPORT_FROM IMPORT_NAME IS_OP JUMP_BACKWARD "
    "JUMP_BACKWARD_NO_INTERRUPT JUMP_FORWARD JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP KW_NAMES "
    "LIST_APPEND LIST_EXTEND LIST_TO_TUPLE LOAD_ASSERTION_ERROR LOAD_ATTR LOAD_BUILD_CLASS "
    "LOAD_CLASSDEREF LOAD_CLOSURE LOAD_CONST LOAD_DEREF LOAD_FAST LOAD_FAST_AND_CLEAR "
    "LOAD_FAST_CHECK LOAD_FAST_LOAD_FAST LOAD_FROM_DICT_OR_DEREF LOAD_FROM_DICT_OR_GLOBALS "
    "LOAD_GLOBAL LOAD_LOCALS LOAD_METHOD LOAD_NAME MAKE_CELL MAKE_FUNCTION MAP_ADD MATCH_KEYS "
    "MATCH_MAPPING MATCH_SEQUENCE NOP POP_EXCEPT POP_JUMP_BACKWARD_IF_FALSE "
    "POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE POP_JUMP_BACKWARD_IF_TRUE "
    "POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_NONE POP_JUMP_FORWARD_IF_NOT_NONE "
    "POP_JUMP_FORWARD_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE "
    "POP_JUMP_IF_TRUE POP_TOP PRECALL PUSH_EXC_INFO PUSH_NULL RAISE_VARARGS RERAISE RESUME "
    "RETURN_CONST RETURN_GENERATOR RETURN_VALUE SEND SETUP_ANNOTATIONS SET_ADD "
    "SET_FUNCTION_ATTRIBUTE SET_UPDATE STORE_DEREF STORE_FAST STORE_FAST_LOAD_FAST "
    "STORE_FAST_STORE_FAST STORE_GLOBAL STORE_NAME STORE_SLICE STORE_SUBSCR SWAP TO_BOOL "
    "UNARY_INVERT UNARY_NEGATIVE UNARY_NOT UNARY_POSITIVE UNPACK_EX UNPACK_SEQUENCE "
    "WITH_EXCEPT_START YIELD_VALUE"
)
# The numbers of CALL_INTRINSIC_1 for StopIteration in generators, unary plus, and lists to tuples;
# others print, import all names of a module, or make generic types.
_STOP_ITERATION = 3
_INTRINSICS = frozenset((_STOP_ITERATION, 5, 6))
_PLAIN_AT_TOP = _words(
    "BINARY_OP BINARY_SUBSCR BUILD_TUPLE CACHE CALL COPY EXTENDED_ARG IMPORT_FROM IMPORT_NAME "
    "LOAD_ATTR LOAD_BUILD_CLASS LOAD_CONST LOAD_NAME MAKE_FUNCTION NOP POP_TOP PRECALL PUSH_NULL "
    "RESUME RETURN_CONST RETURN_VALUE SET_FUNCTION_ATTRIBUTE STORE_NAME"
)


def _numbers(names: frozenset[str]) -> frozenset[int]:
    return frozenset(opcode.opmap[name] for name in names if name in opcode.opmap)


_KNOWN_OPS = _numbers(_ALLOWED)
_TOP_OPS = _numbers(_PLAIN_AT_TOP)
_EXTENDED = opcode.opmap["EXTENDED_ARG"]
_ATTRIBUTE_OPS = _numbers(_words("LOAD_ATTR LOAD_METHOD"))
_IMPORT_NAME = opcode.opmap["IMPORT_NAME"]
_IMPORT_FROM = opcode.opmap["IMPORT_FROM"]
_GLOBAL_STORES = _numbers(_words("STORE_GLOBAL DELETE_GLOBAL"))
_CALLS = _numbers(_words("CALL CALL_KW"))
_INTRINSIC = opcode.opmap.get("CALL_INTRINSIC_1", -1)
_CLEANUP = opcode.opmap.get("CLEANUP_THROW", -1)  # the end of "yield from"
# From 3.12 on, the lowest bit of an attribute's number says whether it is a method.
_ATTRIBUTE_SHIFT = 1 if sys.version_info >= (3, 12) else 0
_BUILD_CLASS = opcode.opmap["LOAD_BUILD_CLASS"]
_NUMBERED_OPS = _ATTRIBUTE_OPS | {_IMPORT_NAME, _IMPORT_FROM, _INTRINSIC}
_MOST_NAMES = 255 >> _ATTRIBUTE_SHIFT
_MAKE_FUNCTION = opcode.opmap["MAKE_FUNCTION"]
# What comes right before the arguments of a call are taken.
_TAKES = opcode.opmap.get("PRECALL", opcode.opmap.get("CALL", -1))
_CACHE = opcode.opmap.get("CACHE", -1)
_LOAD_NAME = opcode.opmap["LOAD_NAME"]
_LOAD_GLOBAL = opcode.opmap["LOAD_GLOBAL"]
_SET_ATTRIBUTE = opcode.opmap.get("SET_FUNCTION_ATTRIBUTE", -1)
_DELEGATE = opcode.opmap["GET_YIELD_FROM_ITER"]
_SUSPENDS = 0x20 | 0x80 | 0x200  # generators, coroutines and both, as inspect has them
_NAME_STORES = _numbers(_words("STORE_NAME STORE_GLOBAL"))
_IS_CLASS_BODY = "__qualname__"


def can_share(code: types.CodeType) -> bool:
    """Whether a program may run in a process that other programs have used and will use."""
    if not READABLE:
        return False
    parts = list(_parts(code))
    own = {name for part in parts if _IS_CLASS_BODY in part.co_names for name in part.co_names}
    if not (
        _derives_from_nothing(parts) and _copies_blindly(parts, own) and _ends_silently(parts, own)
    ):
        return False
    own = {name for name in own - _NEVER_OWN if not name.startswith(_NEVER_OWN_PREFIXES)}
    return all(_is_harmless(part, own) for part in parts)


def keeps_nothing(code: types.CodeType) -> bool:
    """Whether a program that ``can_share`` also carries nothing from one call to the next.

    So is a program whose top level only defines functions, classes and constants that cannot
    change, and whose functions store no global names.  Its calls may then follow each other in one
    process: a call gives what it would give in a fresh one.
    """
    return all(
        _fills_only_once(part)
        if part is code or _IS_CLASS_BODY in part.co_names
        else not _GLOBAL_STORES.intersection(part.co_code[::2])
        for part in _parts(code)
    )


def _parts(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            yield from _parts(item)


def _is_harmless(code: types.CodeType, own: set[str]) -> bool:
    operations = code.co_code[::2]
    if not _KNOWN_OPS.issuperset(operations) or not _UNSAFE_NAMES.isdisjoint(code.co_names):
        return False
    # A relative import may have the empty name.
    if any(name[:1] == "_" and name not in _UNDERSCORED for name in code.co_names):
        return False
    if _NUMBERED_OPS.isdisjoint(operations):
        return True
    if len(code.co_names) > _MOST_NAMES:
        return False  # the number of a name would need an extended argument
    if _IMPORT_NAME in operations and not _imports_absolutely(code):
        return False
    attributes = ATTRIBUTES | own if own else ATTRIBUTES
    return all(
        _may_do(code, operation, argument, attributes)
        for operation, argument in zip(operations, code.co_code[1::2])  # noqa: B905 - Python 3.9
        if operation in _NUMBERED_OPS
    )


def _may_do(
    code: types.CodeType, operation: int, argument: int, attributes: frozenset[str]
) -> bool:
    if operation == _INTRINSIC:
        return argument in _INTRINSICS
    if operation == _IMPORT_NAME:
        return code.co_names[argument] in _MODULES
    if operation == _IMPORT_FROM:
        return code.co_names[argument] in _IMPORTED
    return code.co_names[argument >> _ATTRIBUTE_SHIFT] in attributes


def _derives_from_nothing(parts: list[types.CodeType]) -> bool:
    """Whether each class statement has no base but one of ``_BASES``, and no keyword."""
    bases: set[str] = set()
    for part in parts:
        if _BUILD_CLASS in part.co_code[::2]:
            found = _bases(part)
            if found is None:
                return False
            bases |= found
    # The base is what the interpreter means by that name when the program never binds it.
    return not bases or not any(
        operation in _NAME_STORES and part.co_names[index] in bases
        for part in parts
        for operation, index in _steps(part)
    )


def _bases(code: types.CodeType) -> set[str] | None:
    """The bases of the class statements in a code; ``None`` when one has another header.

    After the function of its body comes the name of a class, then at most one base, then the call.
    """
    found: set[str] = set()
    steps = list(_steps(code))
    for start, (operation, _) in enumerate(steps):
        if operation != _BUILD_CLASS:
            continue
        place = start
        while steps[place][0] != _MAKE_FUNCTION:
            place += 1
        while steps[place + 1][0] == _SET_ATTRIBUTE:
            place += 1
        after, index = steps[place + 2]
        if after in (_LOAD_NAME, _LOAD_GLOBAL) and steps[place + 3][0] == _TAKES:
            # The lowest bit of a global's number tells something else.
            name = code.co_names[index if after == _LOAD_NAME else index >> 1]
            if name not in _BASES:
                return None
            found.add(name)
        elif after != _TAKES:
            return None
    return found


def _steps(code: types.CodeType) -> Iterator[tuple[int, int]]:
    """The operations of a code with their whole numbers."""
    extended = 0
    for operation, low in zip(code.co_code[::2], code.co_code[1::2]):  # noqa: B905 - Python 3.9
        number = extended << 8 | low
        extended = number if operation == _EXTENDED else 0
        if operation not in (_EXTENDED, _CACHE):
            yield operation, number


def _copies_blindly(parts: list[types.CodeType], own: set[str]) -> bool:
    """Whether ``deepcopy`` can be given no table of the program's own making.

    It would hand a list that all its calls share to the method ``get`` of that table.
    """
    names = {name for part in parts for name in part.co_names}
    return "deepcopy" not in names or not ("get" in own or "namedtuple" in names)


def _ends_silently(parts: list[types.CodeType], own: set[str]) -> bool:
    """Whether no code of the program runs when a generator that it left behind is closed.

    The collector does that in somebody else's time, and an empty ``raise`` there finds the
    exception that the other program handles.  Closing runs handlers, and calls the method
    ``close`` of what the generator iterates for another.
    """
    generators = [part for part in parts if part.co_flags & _SUSPENDS]
    if any(_handles(part) for part in generators):
        return False
    return "close" not in own or not any(_DELEGATE in part.co_code[::2] for part in generators)


def _handles(code: types.CodeType) -> bool:
    """Whether a generator has handlers of its own; Python 3.12 gives some to each, without code."""
    numbers = iter(code.co_exceptiontable)
    for first in numbers:
        _number_from(first, numbers)  # where it starts
        _number_from(next(numbers), numbers)  # how long it is
        target = 2 * _number_from(next(numbers), numbers)
        _number_from(next(numbers), numbers)  # how deep the stack is
        handler, argument = code.co_code[target : target + 2]
        if handler != _CLEANUP and (handler, argument) != (_INTRINSIC, _STOP_ITERATION):
            return True
    return False


def _number_from(first: int, numbers: Iterator[int]) -> int:
    """Read a number of the table of handlers: six bits a byte, the seventh says that more come."""
    value = first & 63
    while first & 64:
        first = next(numbers)
        value = value << 6 | first & 63
    return value


def _imports_absolutely(code: types.CodeType) -> bool:
    """Whether no import starts at the package of the program, which is what ``__name__`` says."""
    steps = list(_steps(code))
    return all(
        code.co_consts[steps[place - 2][1]] == 0  # two constants come first: level and names
        for place, (operation, _) in enumerate(steps)
        if operation == _IMPORT_NAME
    )


def _fills_only_once(code: types.CodeType) -> bool:
    operations = code.co_code[::2]
    calls = sum(operations.count(number) for number in _CALLS)
    return _TOP_OPS.issuperset(operations) and calls == operations.count(_BUILD_CLASS)
