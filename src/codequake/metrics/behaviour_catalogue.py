"""What the numbers on the behaviour of programs are, in the words of the catalogue."""

from __future__ import annotations

from codequake.metrics.catalogue import METRICS, Metric

__all__ = ["AGREEING_PAIRS", "BEHAVIOUR", "CONSISTENT_BUT_WRONG", "FIRST_BEHAVIOUR"]

BEHAVIOUR = "behaviour_share"
FIRST_BEHAVIOUR = "first_behaviour_share"
AGREEING_PAIRS = "agreeing_pairs"
CONSISTENT_BUT_WRONG = "consistent_but_wrong"

for _metric in (
    Metric(
        name=BEHAVIOUR,
        title="Failing programs by behaviour",
        unit="share",
        formula="mean(failing programs with the label / failing programs that can be asked)",
        definition=(
            "Of the programs that fail on a changed prompt, the share with a label, averaged "
            "within the problem first. A program may have several labels; one that a rule cannot "
            "be asked about is left out of that label's row."
        ),
    ),
    Metric(
        name=FIRST_BEHAVIOUR,
        title="Failing programs by the first label that holds",
        unit="share",
        formula="mean(failing programs named by the label / failing programs)",
        definition=(
            "The same with one label a program: the first that holds in the order of the rules. "
            "What no rule matches is `other`."
        ),
    ),
    Metric(
        name=AGREEING_PAIRS,
        title="Pairs of prompts with equal outputs",
        unit="share",
        formula="mean(pairs of programs that give the same on every test / pairs)",
        definition=(
            "How often two prompts of a problem lead to programs that give the same on every "
            "test, be it right or wrong."
        ),
    ),
    Metric(
        name=CONSISTENT_BUT_WRONG,
        title="Failures that are consistent",
        unit="share",
        formula="mean(failing programs that give what another prompt's gives / failing programs)",
        definition=(
            "Of the failing programs, the share that is wrong in the same way as the program of "
            "another prompt of the problem; the rest are wrong each in their own."
        ),
    ),
):
    METRICS.add(_metric.name)(_metric)
