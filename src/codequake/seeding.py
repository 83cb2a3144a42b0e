"""Random generators that depend on what an item is, never on when it is worked on."""

from __future__ import annotations

import hashlib
import random

from codequake.canonical import canonical_json

__all__ = ["generator_for", "seed_for"]


def seed_for(study_seed: int, *names: str | int) -> int:
    """Return the 64-bit seed (0 .. 2**64 - 1) of the item called ``names`` in a study.

    The same names give the same seed in any order of work, process or machine; any other name,
    number of names or type of name gives an unrelated one (BLAKE2b over canonical JSON).
    """
    text = canonical_json([study_seed, *names])
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8"), digest_size=8).digest(), "big")


def generator_for(study_seed: int, *names: str | int) -> random.Random:
    """Return a fresh ``random.Random`` for the item called ``names`` in a study."""
    return random.Random(seed_for(study_seed, *names))  # noqa: S311 - reproducible on purpose
