"""Numbers in, numbers out: intervals, paired tests, corrections and planning."""

from codequake.stats.bootstrap import bootstrap_mean, mean_interval, paired_interval
from codequake.stats.draws import pass_at_k
from codequake.stats.groups import group_difference, group_interval
from codequake.stats.multiple import benjamini_hochberg, holm
from codequake.stats.paired import (
    PairCounts,
    count_pairs,
    mcnemar_exact,
    minimum_detectable_effect,
    paired_score_interval,
    power_of_mcnemar,
)
from codequake.stats.proportions import clopper_pearson, wilson
from codequake.stats.results import Interval, Missing, mean
from codequake.stats.unpaired import fisher_exact, unpaired_interval

__all__ = [
    "Interval",
    "Missing",
    "PairCounts",
    "benjamini_hochberg",
    "bootstrap_mean",
    "clopper_pearson",
    "count_pairs",
    "fisher_exact",
    "group_difference",
    "group_interval",
    "holm",
    "mcnemar_exact",
    "mean",
    "mean_interval",
    "minimum_detectable_effect",
    "paired_interval",
    "paired_score_interval",
    "pass_at_k",
    "power_of_mcnemar",
    "unpaired_interval",
    "wilson",
]
