"""Names that called Python programs may use without importing them, as on LeetCode.

This file runs inside the sandbox and imports nothing of codequake.  A module is imported only when
the program mentions one of its names.  Main programs get no prelude.
"""

from __future__ import annotations

import types

__all__ = ["PRELUDE_VERSION", "prelude_for"]

PRELUDE_VERSION = 1

_MODULES = (
    *("array", "bisect", "collections", "copy", "datetime", "functools", "heapq", "itertools"),
    *("json", "math", "operator", "random", "re", "statistics", "string", "sys", "typing"),
)
_MEMBERS = {
    "typing": (
        "Any Callable DefaultDict Deque Dict FrozenSet Generator Generic Iterable Iterator List "
        "Literal Mapping NamedTuple Optional Sequence Set Tuple Type TypeVar Union"
    ),
    "collections": "ChainMap Counter OrderedDict defaultdict deque namedtuple",
    "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
    "bisect": "bisect_left bisect_right insort insort_left insort_right",
    "functools": "cache cached_property cmp_to_key lru_cache partial reduce total_ordering wraps",
    "itertools": (
        "accumulate chain combinations combinations_with_replacement compress count cycle "
        "dropwhile groupby islice pairwise permutations product repeat starmap takewhile tee "
        "zip_longest"
    ),
    "math": (
        "acos asin atan atan2 ceil comb cos degrees e exp factorial floor gcd hypot inf isclose "
        "isqrt lcm log log10 log2 nan perm pi prod radians sin sqrt tan tau"
    ),
    "operator": "itemgetter attrgetter",
}
_HOME = {name: module for module, names in _MEMBERS.items() for name in names.split()}


def prelude_for(code: types.CodeType, *, entry_point: str) -> dict[str, object]:
    """Return the names of the prelude that a program mentions, with their values.

    Never the entry point: a program must define that itself.
    """
    found: dict[str, object] = {}
    for name in _mentioned(code):
        if name in _MODULES:
            found[name] = __import__(name)
        elif name in _HOME:
            member = getattr(__import__(_HOME[name]), name, None)
            if member is not None:  # an older interpreter may lack it
                found[name] = member
    found.pop(entry_point, None)
    return found


def _mentioned(code: types.CodeType) -> set[str]:
    """The global names and attributes of a program, in all of its functions."""
    names: set[str] = set()
    waiting = [code]
    while waiting:
        current = waiting.pop()
        names.update(current.co_names)
        waiting.extend(item for item in current.co_consts if isinstance(item, types.CodeType))
    return names
