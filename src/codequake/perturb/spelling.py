"""Slips of the pen: a word with one letter doubled, dropped, or changed for its neighbour.

Words that carry a rule (``strictly``, ``least``, ``between``) are never touched, since a slip there
may leave a reader in doubt of the task itself.
"""

from __future__ import annotations

import random
import re

__all__ = ["LOAD_BEARING", "may_slip", "misspelt", "slip"]

_SHORTEST = 5
_AROUND = re.compile(r"^([\"'(]*)([A-Za-z]+)([\"').,;:!?]*)$")

# fmt: off
LOAD_BEARING = frozenset((
    "about", "above", "after", "again", "along", "among", "before", "below", "beneath", "beside",
    "besides", "between", "beyond", "count", "counts", "different", "distinct", "divisible",
    "double", "either", "empty", "equal", "equals", "every", "exactly", "except", "fewer",
    "fewest", "first", "greater", "greatest", "higher", "highest", "inclusive", "inside",
    "integer", "integers", "large", "larger", "largest", "latest", "least", "longer", "longest",
    "lower", "lowest", "maximum", "minimum", "negative", "neighbour", "neighbours", "neither",
    "never", "nothing", "number", "numbers", "older", "other", "others", "outside", "positive",
    "product", "reverse", "second", "several", "shorter", "shortest", "single", "small",
    "smaller", "smallest", "sorted", "strictly", "three", "total", "twice", "under", "unless",
    "until", "whole", "within", "without", "younger",
))
# fmt: on
"""Words that a slip must not touch."""


def may_slip(word: str) -> bool:
    """Tell whether a word is long enough, plain, and free of meaning that a slip could change."""
    return (
        len(word) >= _SHORTEST
        and word.isascii()
        and word.isalpha()
        and word.islower()
        and word not in LOAD_BEARING
        and not word.endswith("est")
    )


def slip(word: str, rng: random.Random) -> str:
    """Return a word with one slip inside; its first and its last letter stay.

    The word is returned unchanged where all its inner letters are the same.
    """
    found = sorted(set(_slips(word)) - {word})
    return rng.choice(found) if found else word


def _slips(word: str) -> list[str]:
    inner = range(1, len(word) - 1)
    doubled = [word[:at] + word[at] + word[at:] for at in inner]
    dropped = [word[:at] + word[at + 1 :] for at in inner]
    swapped = [
        word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 2)
    ]
    return [*doubled, *dropped, *swapped]


def misspelt(clean: str, found: str) -> bool:
    """Tell whether ``found`` is ``clean`` with one slip; the marks around the word are the same."""
    one, two = _AROUND.match(clean), _AROUND.match(found)
    if one is None or two is None or (one[1], one[3]) != (two[1], two[3]):
        return False
    return may_slip(one[2]) and two[2] != one[2] and two[2] in _slips(one[2])
