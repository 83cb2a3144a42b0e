"""Problems: the bundled sets, people's own, and the check that runs all that they claim."""

from codequake.problems.building import build_tests, rebuild_file
from codequake.problems.checking import FORMULA_INPUTS, check_problems
from codequake.problems.contrast import DISCRIMINATING, contrast_with, has_new_oracle
from codequake.problems.drawing import fresh_inputs
from codequake.problems.findings import Finding, Report, Rules
from codequake.problems.judging import Agree
from codequake.problems.redrawing import can_redraw, redraw
from codequake.problems.rendering import (
    input_stands_in,
    render_statement,
    shown_output,
)
from codequake.problems.sampling import sample_inputs
from codequake.problems.sets import (
    Origin,
    ProblemFile,
    find_problem,
    load_set,
    problem_set,
    read_problem_file,
    read_set,
    set_from,
    set_names,
    whole_set,
)
from codequake.problems.showing import shown_tests

__all__ = [
    "DISCRIMINATING",
    "FORMULA_INPUTS",
    "Agree",
    "Finding",
    "Origin",
    "ProblemFile",
    "Report",
    "Rules",
    "build_tests",
    "can_redraw",
    "check_problems",
    "contrast_with",
    "find_problem",
    "fresh_inputs",
    "has_new_oracle",
    "input_stands_in",
    "load_set",
    "problem_set",
    "read_problem_file",
    "read_set",
    "rebuild_file",
    "redraw",
    "render_statement",
    "sample_inputs",
    "set_from",
    "set_names",
    "shown_output",
    "shown_tests",
    "whole_set",
]
