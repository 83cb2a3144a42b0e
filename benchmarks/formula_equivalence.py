"""What one check of equivalence costs, against SymPy on the same pairs in the same run.

``python benchmarks/formula_equivalence.py [--json] [--mutants N] [--sympy N]``: mutants of school
formulas at distances 1 to 5, and the same mutants with one random slip each.  All times are CPU
times of this process, in microseconds, the lowest of three passes for each pair.  A pass makes a
new checker for each formula; ``set_up`` is what that costs, ``pair`` one check of one mutant.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable

import sympy
from slips import SCHOOL, slip, to_sympy

from codequake.formula import Assumption, Checker, Node, Op, Verdict, equivalent, mutate, parse

DISTANCES = (1, 2, 3, 4, 5)
PASSES = 3

Given = tuple[Assumption, ...]
Mutants = list[tuple[Node, Given]]


def equal_by(method: Callable[[sympy.Expr], sympy.Expr], first: Node, second: Node) -> bool:
    """Decide a pair by SymPy: the difference is 0, or the ratio of sides is free of variables."""
    one, two = to_sympy(first), to_sympy(second)
    if first.op is not Op.EQUATION:
        return bool(method(one - two) == 0)
    ratio = method(two / one)
    return ratio != 0 and not {str(name) for name in ratio.free_symbols} & set("xyz")


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU time of one call in microseconds."""
    start = time.process_time_ns()
    work()
    return (time.process_time_ns() - start) / 1000


def measure(groups: list[tuple[Node, Mutants]]) -> dict[str, list[float]]:
    """Return the lowest of three times for every pair, and for setting up each formula."""
    pairs: list[list[float]] = []
    set_up: list[list[float]] = []
    for _ in range(PASSES):
        pair_times, set_up_times = [], []
        for formula, mutants in groups:
            checker = Checker(formula)
            set_up_times.append(cpu(lambda f=formula: Checker(f).check(f, referee_seconds=0)))
            checker.check(formula, referee_seconds=0)
            pair_times += [
                cpu(lambda c=checker, m=mutant, g=given: c.check(m, g, referee_seconds=0))
                for mutant, given in mutants
            ]
        pairs.append(pair_times)
        set_up.append(set_up_times)
    alone = [
        cpu(lambda f=f, m=m, g=g: equivalent(f, m, g, referee_seconds=0))
        for f, mutants in groups
        for m, g in mutants
    ]
    return {
        "pair": [min(times) for times in zip(*pairs, strict=True)],
        "set_up": [min(times) for times in zip(*set_up, strict=True)],
        "alone": alone,
    }


def verdicts(groups: list[tuple[Node, Mutants]]) -> dict[str, int]:
    """Count the verdicts of all pairs."""
    counts = dict.fromkeys((verdict.value for verdict in Verdict), 0)
    for formula, mutants in groups:
        checker = Checker(formula)
        for mutant, given in mutants:
            counts[checker.check(mutant, given, referee_seconds=0).verdict.value] += 1
    return counts


def figures(times: list[float]) -> dict[str, float]:
    """Return count, median, mean and 95th percentile."""
    ordered = sorted(times)
    return {
        "count": len(ordered),
        "median_us": round(statistics.median(ordered), 1),
        "mean_us": round(statistics.fmean(ordered), 1),
        "p95_us": round(ordered[int(0.95 * (len(ordered) - 1))], 1),
    }


def run(count: int, sympy_count: int) -> dict[str, object]:
    """Make the pairs, measure both methods, and compare."""
    rng = random.Random(7)
    right: list[tuple[Node, Mutants]] = []
    broken: list[tuple[Node, Mutants]] = []
    for text in SCHOOL:
        formula = parse(text)
        mutants = [
            (mutant.formula, mutant.assumptions)
            for distance in DISTANCES
            for mutant in mutate(formula, distance, count, rng).mutants
        ]
        right.append((formula, mutants))
        broken.append((formula, [(slip(mutant, rng), given) for mutant, given in mutants]))
    result: dict[str, object] = {}
    medians = {}
    for name, groups in (("mutants", right), ("broken", broken)):
        times = measure(groups)
        result[name] = {
            "verdicts": verdicts(groups),
            **{kind: figures(values) for kind, values in times.items()},
        }
        medians[name] = statistics.median(times["pair"])
        pairs = [(formula, mutant) for formula, mutants in groups for mutant, _ in mutants]
        chosen = rng.sample(pairs, min(sympy_count, len(pairs)))
        for label, method in (("cancel", sympy.cancel), ("simplify", sympy.simplify)):
            sympy.core.cache.clear_cache()
            spent = [cpu(lambda f=f, m=m, k=method: equal_by(k, f, m)) for f, m in chosen]
            result[f"sympy_{label}_{name}"] = figures(spent)
            result[f"ratio_sympy_{label}_{name}"] = round(
                statistics.median(spent) / medians[name], 1
            )
    return result


def main() -> None:
    """Print the figures, as a table or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--mutants", type=int, default=20, help="mutants a distance (20)")
    parser.add_argument("--sympy", type=int, default=120, help="pairs for SymPy (120)")
    arguments = parser.parse_args()
    result = run(arguments.mutants, arguments.sympy)
    if arguments.json:
        print(json.dumps(result, indent=1))
        return
    for name, value in result.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
