"""What mutants, distances and reductions cost, and how SymPy's ``simplify`` does beside.

    python benchmarks/formula.py [--mutants 20] [--contract-mutants 2] [--sympy 100] [--json]

Assured mutants of the 52 bundled formulas at distances 1 to 5, each with its proof of distance and
its independent check.  Contracts are counted apart, and fewer of their mutants are checked, since
the check tries every small state; ``seconds_walks`` is the time of the walks and proofs alone, for
the same full number of mutants in both groups.
``seconds_*`` are CPU seconds of this process on one core; ``megabytes_above_import`` is the growth
of its largest resident size.  The mutants at distance 5 are then reduced: ``share_back`` is how
many are at most as large as the original again, ``ms_reduce_*`` the time of a reduction without
its check.  SymPy simplifies some of the same mutants in the same run (an equation as the
difference of its sides), and its result is measured by the same count of symbols.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import time
from dataclasses import dataclass, field

from codequake.formula import (
    BundledFormula,
    Mode,
    Mutant,
    Node,
    Op,
    Sampler,
    equivalent,
    formula_set,
    kind_of,
    parse,
    parse_assumption,
    size_of,
)
from codequake.formula.nodes import walk
from codequake.formula.reduction import reduced
from codequake.formula.rules import types_for
from codequake.formula.sampling import Walker

DISTANCES = (1, 2, 3, 4, 5)


@dataclass
class Group:
    """What was seen of the formulas of one sort."""

    seconds: dict[int, float] = field(default_factory=lambda: dict.fromkeys(DISTANCES, 0.0))
    mutants: dict[int, int] = field(default_factory=lambda: dict.fromkeys(DISTANCES, 0))
    walks: float = 0.0
    by_size: list[tuple[int, float]] = field(default_factory=list)
    farthest: list[tuple[BundledFormula, Mutant]] = field(default_factory=list)
    unproved: int = 0
    unconfirmed: int = 0


def walk_only(one: BundledFormula, count: int, group: Group) -> None:
    """Walk to as many different formulas at each distance, with proofs and without checks."""
    kind = kind_of(one.node, one.names)
    started = time.process_time()
    walker = Walker(
        one.node,
        dict.fromkeys(types_for(kind), 1.0),
        mode=Mode.RELATION,
        free=(),
        barred=frozenset(),
        assured=True,
        kind=kind,
    )
    for distance in DISTANCES:
        rng = random.Random(distance)
        found: set[Node] = set()
        while len(found) < count:
            chain = walker.walk(distance, rng)
            if chain is not None:
                found.add(chain.formula)
    group.walks += time.process_time() - started


def sample(one: BundledFormula, count: int, group: Group) -> None:
    """Sample one formula at all distances."""
    # An assumption with == says that two lengths are equal, which no rule asks for.
    given = tuple(parse_assumption(text, one.names) for text in one.assumptions if "==" not in text)
    started = time.process_time()
    sampler = Sampler(one.node, assumptions=given, names=one.names)
    for distance in DISTANCES:
        before = time.process_time()
        found = sampler.sample(distance, count, random.Random(distance))
        group.seconds[distance] += time.process_time() - before
        group.mutants[distance] += len(found.mutants)
        group.unproved += found.unproved
        group.unconfirmed += found.unconfirmed
        if distance == DISTANCES[-1]:
            group.farthest += [(one, mutant) for mutant in found.mutants]
    group.by_size.append((size_of(one.node), time.process_time() - started))


def reduce_all(group: Group) -> dict[str, float]:
    """Reduce the mutants at the largest distance."""
    times, back, smaller = [], 0, 0
    for one, mutant in group.farthest:
        best = min(_timed(mutant) for _ in range(3))
        times.append(1000 * best)
        result = reduced(mutant.formula, mutant.assumptions).result
        back += size_of(result) <= size_of(one.node)
        smaller += size_of(result) < size_of(one.node)
    times.sort()
    return {
        "reduced_mutants": len(times),
        "share_back": back / len(times),
        "share_smaller": smaller / len(times),
        "ms_reduce_median": statistics.median(times),
        "ms_reduce_p95": times[int(0.95 * len(times))],
    }


def _timed(mutant: Mutant) -> float:
    started = time.process_time()
    reduced(mutant.formula, mutant.assumptions)
    return time.process_time() - started


def simplify_some(group: Group, count: int) -> dict[str, float]:
    """Let SymPy simplify some of the mutants, and reduce the same ones."""
    import sympy
    from formula_equivalence import to_sympy

    known = [(one, mutant) for one, mutant in group.farthest if _is_plain(mutant.formula)]
    drawn = random.Random(0).sample(known, min(count, len(known)))
    times, ours, back, ours_back = [], [], 0, 0
    for one, mutant in drawn:
        asked = to_sympy(mutant.formula)
        started = time.process_time()
        answer = sympy.simplify(asked)
        times.append(1000 * (time.process_time() - started))
        ours.append(1000 * _timed(mutant))
        text = str(answer).replace("**", "^").replace("log(", "ln(")
        # An equation that is written as a difference lacks its "= 0".
        size = size_of(parse(text, one.names)) + 2 * (mutant.formula.op is Op.EQUATION)
        back += size <= size_of(one.node)
        ours_back += size_of(reduced(mutant.formula).result) <= size_of(one.node)
    return {
        "sympy_mutants": len(times),
        "sympy_share_back": back / len(times),
        "sympy_ms_median": statistics.median(times),
        "sympy_ms_p95": sorted(times)[int(0.95 * len(times))],
        "beside_sympy_share_back": ours_back / len(times),
        "beside_sympy_ms_median": statistics.median(ours),
        "ratio_sympy": statistics.median(times) / statistics.median(ours),
    }


_KNOWN = frozenset(
    {
        *(Op.NUMBER, Op.COEFFICIENT, Op.VARIABLE, Op.NEGATE, Op.PAREN, Op.EQUATION),
        *(Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.POWER),
    }
)


def _is_plain(formula: Node) -> bool:
    """Say whether SymPy has all that the formula has under names that are read back."""
    return all(
        node.op in _KNOWN or (node.op is Op.CALL and node.text in ("sin", "cos", "tan", "ln"))
        for node in walk(formula)
    )


def figures_of(group: Group) -> dict[str, object]:
    """Return what is said of one group."""
    sizes = sorted(group.by_size)
    third = max(1, len(sizes) // 3)
    return {
        "formulas": len(sizes),
        "seconds_walks": group.walks,
        "seconds_assured": sum(group.seconds.values()),
        "mutants": sum(group.mutants.values()),
        "unproved": group.unproved,
        "unconfirmed": group.unconfirmed,
        "ms_per_mutant_by_distance": {
            str(distance): 1000 * group.seconds[distance] / max(1, group.mutants[distance])
            for distance in DISTANCES
        },
        "seconds_per_formula_by_size": [
            {
                "from": part[0][0],
                "to": part[-1][0],
                "seconds": statistics.fmean(seconds for _, seconds in part),
            }
            for part in (sizes[start : start + third] for start in range(0, len(sizes), third))
        ],
        **reduce_all(group),
    }


def main() -> int:
    """Run all and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=20, help="mutants at each distance")
    parser.add_argument("--sympy", type=int, default=100, help="mutants that SymPy simplifies")
    parser.add_argument("--contract-mutants", type=int, default=2, help="the same, of contracts")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    formulas = formula_set()
    equivalent(parse("a"), parse("a"))  # loads python-flint, which belongs to the import
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    plain, contracts = Group(), Group()
    for one in formulas:
        group = contracts if one.names.contract else plain
        walk_only(one, options.mutants, group)
        sample(one, options.contract_mutants if one.names.contract else options.mutants, group)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024
    figures: dict[str, object] = {
        "megabytes_above_import": grown,
        "seconds_walks": plain.walks + contracts.walks,
        "plain": figures_of(plain),
        "contracts": figures_of(contracts),
    }
    figures["sympy"] = simplify_some(plain, options.sympy)
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        show(figures)
    return 0


def show(figures: dict[str, object], indent: str = "") -> None:
    """Print the figures, one a line."""
    for name, value in figures.items():
        if isinstance(value, dict):
            print(f"{indent}{name}:")
            show(value, indent + "  ")
        elif isinstance(value, float):
            print(f"{indent}{name}: {value:.4g}")
        else:
            print(f"{indent}{name}: {value}")


if __name__ == "__main__":
    raise SystemExit(main())
