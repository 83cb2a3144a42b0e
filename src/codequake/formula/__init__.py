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
from codequake.formula.mutation import Mutant, Mutations, MutationStep, mutate
from codequake.formula.names import PAPER_NAMES, Names, declare, parse_names
from codequake.formula.nodes import Node, Op, coefficients_of, constants_of, variables_of
from codequake.formula.parser import parse
from codequake.formula.printer import Spacing, format_contract, format_formula, size_of
from codequake.formula.reduction import Reduction, ReductionStep, reduce_formula
from codequake.formula.rules import RULES, Keeps, Rule, Scope
from codequake.formula.sorts import Sort, sort_of
from codequake.formula.source import to_c, to_python
from codequake.formula.space import Distance, Move, back, distance, neighbours
from codequake.formula.truth import holds, parse_point
from codequake.formula.witness import Witness

__all__ = [
    "PAPER_NAMES",
    "RULES",
    "Assumption",
    "Atom",
    "BundledFormula",
    "Category",
    "Certificate",
    "Checker",
    "Distance",
    "Equivalence",
    "FormulaError",
    "Keeps",
    "Move",
    "Mutant",
    "MutationStep",
    "Mutations",
    "Names",
    "Node",
    "Op",
    "Reduction",
    "ReductionStep",
    "Relation",
    "Rule",
    "Scope",
    "Sort",
    "Spacing",
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
    "holds",
    "mutate",
    "neighbours",
    "nonzero",
    "parse",
    "parse_assumption",
    "parse_latex",
    "parse_names",
    "parse_point",
    "reduce_formula",
    "replace_atom",
    "size_of",
    "sort_of",
    "to_c",
    "to_python",
    "variables_of",
]
