"""The fifty C programs of ``c_programs.toml``, with inputs drawn from their domains."""

from __future__ import annotations

import random
import tomllib
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Kind", "inputs_of", "load_kinds"]


@dataclass(frozen=True, slots=True)
class Kind:
    """One program: its name, the domains of what it reads, its text, and that of a wrong one."""

    name: str
    reads: tuple[str, ...]
    program: str
    wrong: str


def load_kinds() -> list[Kind]:
    """Read the programs."""
    text = Path(__file__).with_name("c_programs.toml").read_text("utf-8")
    return [
        Kind(
            item["name"],
            tuple(item["reads"]),
            item["program"],
            item["program"].replace(item["wrong"][0], item["wrong"][1]),
        )
        for item in tomllib.loads(text)["program"]
    ]


def inputs_of(kind: Kind, count: int) -> list[str]:
    """Draw inputs from the domains of a program, the same ones each time."""
    draw = random.Random(kind.name)
    return [" ".join(_number(draw, spec) for spec in kind.reads) + "\n" for _ in range(count)]


def _number(draw: random.Random, spec: str) -> str:
    what, *rest = spec.split()
    if what == "list":
        size = draw.randint(1, int(rest[3]))
        return " ".join([str(size), *(_number(draw, " ".join(rest[:3])) for _ in range(size))])
    low, high = (float(end) for end in rest)
    return (
        str(draw.randint(int(low), int(high)))
        if what == "int"
        else f"{draw.uniform(low, high):.3f}"
    )
