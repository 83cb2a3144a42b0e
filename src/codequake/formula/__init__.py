"""Formulas: a grammar, exact mutations, proved distances, equivalence and reduction.

A library of its own: it knows nothing of prompts, models or programs.
"""

from codequake.formula.assumptions import (
    Assumption,
    Relation,
    excludes_zero,
    format_assumption,
    nonzero,
    parse_assumption,
)
from codequake.formula.checker import Checker
from codequake.formula.collection import BundledFormula, Category, formula_set
from codequake.formula.contracts import Atom, atoms_of, replace_atom
from codequake.formula.equivalence import Certificate, Equivalence, Verdict, equivalent
from codequake.formula.evaluation import evaluate
from codequake.formula.exact import exact_value
from codequake.formula.faults import FormulaError
from codequake.formula.latex import format_latex
from codequake.formula.latex_reader import parse_latex
from codequake.formula.moves import Mode, Move, back, neighbours
from codequake.formula.mutation import Mutant, Mutations, MutationStep, Sampler, mutate
from codequake.formula.names import PAPER_NAMES, Names, declare, parse_names
from codequake.formula.nodes import Node, Op, coefficients_of, constants_of, variables_of
from codequake.formula.parser import parse
from codequake.formula.printer import Spacing, format_contract, format_formula, size_of
from codequake.formula.reduction import Form, Reduction, ReductionStep, reduce_formula
from codequake.formula.reductions import REDUCTIONS, ReductionRule
from codequake.formula.renaming import free_names
from codequake.formula.rules import (
    EQUATION_TYPES,
    EXPRESSION_TYPES,
    RULES,
    Keeps,
    Kind,
    Rule,
    Scope,
    Source,
    kind_of,
)
from codequake.formula.sorts import Sort, sort_of
from codequake.formula.source import to_c, to_python
from codequake.formula.space import Distance, distance
from codequake.formula.strategies import (
    MeasuredPrompt,
    Profile,
    Strategy,
    profile,
    profile_of_weights,
)
from codequake.formula.truth import holds, parse_point
from codequake.formula.witness import Witness

__all__ = [
    "EQUATION_TYPES",
    "EXPRESSION_TYPES",
    "PAPER_NAMES",
    "REDUCTIONS",
    "RULES",
    "Assumption",
    "Atom",
    "BundledFormula",
    "Category",
    "Certificate",
    "Checker",
    "Distance",
    "Equivalence",
    "Form",
    "FormulaError",
    "Keeps",
    "Kind",
    "MeasuredPrompt",
    "Mode",
    "Move",
    "Mutant",
    "MutationStep",
    "Mutations",
    "Names",
    "Node",
    "Op",
    "Profile",
    "Reduction",
    "ReductionRule",
    "ReductionStep",
    "Relation",
    "Rule",
    "Sampler",
    "Scope",
    "Sort",
    "Source",
    "Spacing",
    "Strategy",
    "Verdict",
    "Witness",
    "atoms_of",
    "back",
    "coefficients_of",
    "constants_of",
    "declare",
    "distance",
    "equivalent",
    "evaluate",
    "exact_value",
    "excludes_zero",
    "format_assumption",
    "format_contract",
    "format_formula",
    "format_latex",
    "formula_set",
    "free_names",
    "holds",
    "kind_of",
    "mutate",
    "neighbours",
    "nonzero",
    "parse",
    "parse_assumption",
    "parse_latex",
    "parse_names",
    "parse_point",
    "profile",
    "profile_of_weights",
    "reduce_formula",
    "replace_atom",
    "size_of",
    "sort_of",
    "to_c",
    "to_python",
    "variables_of",
]
