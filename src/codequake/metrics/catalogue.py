"""What each metric is, in words and as a formula: one definition for code, report and docs."""

from __future__ import annotations

from dataclasses import dataclass

from codequake.registry import Table

__all__ = ["METRICS", "Metric"]


@dataclass(frozen=True, slots=True)
class Metric:
    """The definition of a number.

    ``unit`` is ``share`` (0 to 1), ``difference`` (-1 to 1) or ``p value`` (0 to 1).  In
    ``formula``, ``c``, ``v`` and ``r`` are a problem's mean outcomes (0 to 1) on the clean prompt,
    the changed prompts and the repeated clean prompt, and ``mean`` runs over problems.
    """

    name: str
    title: str
    unit: str
    definition: str
    formula: str


METRICS: Table[Metric] = Table("metric")


def _define(name: str, title: str, unit: str, formula: str, definition: str) -> None:
    METRICS.add(name)(Metric(name, title, unit, definition, formula))


_define(
    "pass_at_1",
    "Pass@1",
    "share",
    "mean(v), over all problems attempted",
    "The share of problems that one reply solves: all tests of the scope pass. Several variants or "
    "samples of a problem are averaged within the problem first. A reply without a program counts "
    "as a failure. A reply that is pending counts as neither: the value rests on the problems that "
    "have a reply, and stands beside what it would be if all pending replies failed or passed.",
)
_define(
    "pass_at_1_clean",
    "Pass@1 of the clean prompt on the same problems",
    "share",
    "mean(c), over the problems of the row",
    "Pass@1 of the clean prompt, only on the problems that the family has variants for: the "
    "number that the row's Pass@1 is compared with.",
)
_define(
    "pass_at_1_all_variants",
    "Pass@1, rejected variants included",
    "share",
    "mean(v) over accepted and rejected variants",
    "Pass@1 over all variants of the family, also those that failed a preservation check.",
)
_define(
    "pass_at_1_rejected_variants",
    "Pass@1 of rejected variants",
    "share",
    "mean(v) over rejected variants",
    "Pass@1 over the variants that failed a preservation check; they stand in no headline figure.",
)
_define(
    "rejected_variants",
    "Rejected variants",
    "share",
    "variants that failed a check / variants made",
    "The share of a family's variants that failed a preservation check.",
)
_define(
    "delta_to_clean",
    "Change against the clean prompt",
    "difference",
    "mean(v - c)",
    "The mean change of a problem's outcome from the clean to the changed prompt, on the problems "
    "that have both, with the same model id, decoding, budget and grader. Below 0: harm.",
)
_define(
    "delta_p",
    "p value of the change",
    "p value",
    "min(1, 2 P(X <= min(down, up))), X ~ Binomial(down + up, 1/2)",
    "The chance of a split at least as uneven between problems that fell and problems that rose if "
    "the change of words had no effect (exact McNemar test; with several replies a problem the "
    "exact sign test over problems).",
)
_define(
    "delta_p_holm",
    "p value, corrected",
    "p value",
    "Holm's step-down correction over the families and distances of one model",
    "The p value after correction for asking about every family of the table; below 0.05 a change "
    "is unlikely to be a chance find.",
)
_define(
    "minimum_detectable_effect",
    "Smallest change this study would likely find",
    "difference",
    "min d: power(exact McNemar, n, d, max(d, share of problems that differ)) >= 80 %",
    "The smallest true mean change that the test would find with a chance of 80 % at level 0.05, "
    "before correction. A smaller effect may exist and be missed.",
)
_define(
    "flips_down",
    "Broken by the change",
    "share",
    "mean(c (1 - v))",
    "The share of problems solved on the clean prompt and failed on the changed one.",
)
_define(
    "flips_up",
    "Solved only after the change",
    "share",
    "mean((1 - c) v)",
    "The share of problems failed on the clean prompt and solved on the changed one.",
)
_define(
    "flips",
    "Changed outcomes",
    "share",
    "mean(c (1 - v) + (1 - c) v)",
    "The share of problems whose outcome differs between the clean and the changed prompt, in "
    "either direction.",
)
_define(
    "noise_floor",
    "Noise floor of the change",
    "difference",
    "mean(r - c)",
    "The mean change of a problem's outcome when the same clean prompt is asked again: what a "
    "change against the clean prompt has to be read against.",
)
_define(
    "noise_flips",
    "Noise floor of the flips",
    "share",
    "mean(c (1 - r) + (1 - c) r)",
    "The share of problems whose outcome differs when the same clean prompt is asked again. "
    "Outcomes that change no more often than this show nothing about wording.",
)
_define(
    "delta_beyond_floor",
    "Change beyond the repeat's",
    "difference",
    "mean((v - c) - (r - c)) = mean(v - r)",
    "The change against the clean prompt less the change that asking the clean prompt again gave, "
    "paired by problem.",
)
_define(
    "flips_beyond_floor",
    "Flips beyond the noise floor",
    "difference",
    "mean((c (1 - v) + (1 - c) v) - (c (1 - r) + (1 - c) r))",
    "How much more often an outcome changes, in either direction, under other words than under "
    "plain repetition.",
)
_define(
    "status_share",
    "Share of replies by ending",
    "share",
    "replies with this status / replies planned",
    "How the programs of the accepted variants ended; pending replies have a row of their own.",
)
_define(
    "robust_pass_at_1",
    "Robust Pass@1",
    "share",
    "mean(min over the clean prompt and the accepted variants)",
    "The share of problems solved under the worst of the wordings that were tried. It falls with "
    "the number of variants, so that number stands beside it. Repairs (reduced prompts) and "
    "repeats are not among the wordings.",
)
_define(
    "worst_of_repeats",
    "Worst of plain repeats",
    "share",
    "mean(min(c, r))",
    "The share of problems solved in both the clean prompt and its repeat: how far a minimum falls "
    "by noise alone. It rests on fewer draws than a worst case over many wordings, which falls "
    "further by noise.",
)
_define(
    "reduction_recovery",
    "Recovery by reduction",
    "difference",
    "mean(v of the reduced prompt - v of the formula variant it was made from)",
    "The mean change of a problem's outcome when the mutated formula in the prompt is first "
    "reduced again. Above 0: the repair helps.",
)
_define(
    "reduction_recovery_p",
    "p value of the recovery",
    "p value",
    "as for the change against the clean prompt, not corrected",
    "The exact p value of the recovery by reduction.",
)
