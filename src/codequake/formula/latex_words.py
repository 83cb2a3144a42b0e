"""The words of LaTeX that formulas use, one table for reading and writing."""

from __future__ import annotations

__all__ = ["CONNECTIVES", "FUNCTIONS", "GREEK", "HINTS", "RELATIONS", "SIGNS"]

_LOWER = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon
phi chi psi omega
"""
_UPPER = "Gamma Delta Theta Lambda Xi Sigma Upsilon Phi Psi Omega"
GREEK = frozenset((_LOWER + _UPPER).split())
"""Names that are written with a backslash; ``pi`` is the number unless it is declared anew."""

FUNCTIONS = frozenset({"sin", "cos", "tan", "log", "ln", "exp"})
"""Functions that are commands of LaTeX; a root and a size have forms of their own."""

RELATIONS = {
    "=": "=",
    "!=": "\\neq",
    "<": "<",
    "<=": "\\leq",
    ">": ">",
    ">=": "\\geq",
    "in": "\\in",
    "!in": "\\notin",
}
"""Relations and how they are written."""

CONNECTIVES = {
    "&&": "\\land",
    "||": "\\lor",
    "==>": "\\Rightarrow",
    "<==>": "\\Leftrightarrow",
}
"""Connectives of contracts and how they are written."""

SIGNS = {
    "\\cdot": "*",
    "\\times": "*",
    "\\div": "/",
    "\\bmod": "%",
    "\\mod": "%",
    "\\le": "<=",
    "\\ge": ">=",
    "\\ne": "!=",
    "\\lt": "<",
    "\\gt": ">",
    "\\neg": "!",
    "\\lnot": "!",
    "\\wedge": "&&",
    "\\vee": "||",
    "\\implies": "==>",
    "\\iff": "<==>",
    "\\ldots": "..",
    "\\dots": "..",
    "..": "..",
    "\\left[": "[",
    "\\right]": "]",
    **{word: sign for sign, word in (*RELATIONS.items(), *CONNECTIVES.items()) if word[0] == "\\"},
}
"""What is read as a sign of plain text."""

HINTS = {
    "\\int": "an integral is no formula here; say it in words",
    "\\\\": "one formula stands on one line",
    "&": "one formula stands on one line",
    "\\lim": "a limit is no formula here; say it in words",
    "\\pm": "a formula has one sign; write + or -",
    "\\infty": "a bound is a number or a name",
    "$": "leave the dollar signs out",
    "\\dfrac": "write \\frac",
    "\\tfrac": "write \\frac",
}
"""What to do about some of what is not read."""
