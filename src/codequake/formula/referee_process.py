"""The process of the referee: reads one question, answers it with SymPy, and ends.

Started by ``codequake.formula.referee``; nothing else imports it.
"""

from __future__ import annotations

import json
import resource
import sys
from typing import Any

__all__ = ["main"]

Value = Any
"""An expression of SymPy, which ships no types."""

_ARITHMETIC = ("add", "subtract", "multiply", "divide", "power", "equation")
_CALLS = ("sin", "cos", "tan", "sqrt", "exp")
_PRIMES = {"call": "", "derivative": "'", "second_derivative": "''"}


class _UnsupportedError(Exception):
    """A node of which SymPy is not told."""


def main() -> None:
    """Read a question from standard input and write the answer to standard output."""
    question = json.load(sys.stdin)
    megabytes = question["megabytes"] * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (megabytes, megabytes))
    resource.setrlimit(resource.RLIMIT_CPU, (question["cpu"], question["cpu"]))
    import sympy

    try:
        equal = _decide(sympy, question)
    except Exception:  # noqa: BLE001 - whatever SymPy raises on odd formulas is no answer
        equal = False
    json.dump({"equal": equal, "version": sympy.__version__}, sys.stdout)


def _decide(sympy: Any, question: dict[str, Any]) -> bool:
    built = _Builder(sympy, question).build()
    first, second = built[question["first"]], built[question["second"]]
    kind = question["kind"]
    if kind == "value":
        return any(form(first - second) == 0 for form in _forms(sympy))
    if not kind.startswith(("zero", "order")):
        return False
    if first == 0 or second == 0 or (sympy.simplify(first) == 0 or sympy.simplify(second) == 0):
        return bool(sympy.simplify(first) == sympy.simplify(second) == 0)
    # A factor with a pole could be 0 the other way round, so its inverse is looked at too.
    factors = (sympy.simplify(second / first), sympy.simplify(first / second))
    if kind.startswith("order"):
        return all(factor.is_positive is True for factor in factors)
    return all(factor.is_zero is False and factor.is_real is True for factor in factors)


def _forms(sympy: Any) -> tuple[Any, ...]:
    return (
        sympy.expand,
        sympy.simplify,
        lambda value: sympy.simplify(sympy.expand_log(sympy.expand(value))),
        lambda value: sympy.simplify(sympy.expand_trig(sympy.expand(value))),
        lambda value: sympy.simplify(sympy.powsimp(sympy.expand_power_base(value))),
    )


class _Builder:
    """Builds the expressions of SymPy from the steps of a question."""

    def __init__(self, sympy: Any, question: dict[str, Any]) -> None:
        self._sympy = sympy
        self._steps = question["steps"]
        self._known: dict[str, dict[str, bool]] = {}
        for left, relation, right in question["facts"]:
            self._learn(left, relation, right)

    def _learn(self, left: int, relation: str, right: int) -> None:
        """Note what a fact such as ``x > 0`` says of a name; other facts are not used."""
        op, text, _ = self._steps[left]
        below, zero, _ = self._steps[right]
        if op not in ("coefficient", "variable") or below != "number":
            return
        number = self._sympy.Rational(zero)
        known = self._known.setdefault(text, {})
        if relation == ">":
            known["positive"] = True
        elif relation == ">=":
            known["positive" if number > 0 else "nonnegative"] = True
        elif number == 0:
            known[{"!=": "nonzero", "<": "negative", "<=": "nonpositive"}[relation]] = True

    def build(self) -> list[Value]:
        built: list[Value] = []
        for op, text, kids in self._steps:
            built.append(self._one(op, text, [built[kid] for kid in kids]))
        return built

    def _one(self, op: str, text: str, kids: list[Value]) -> Value:
        sympy = self._sympy
        if op == "number":
            return sympy.Rational(text)
        if op in ("coefficient", "variable"):
            return sympy.Symbol(text, real=True, **self._known.get(text, {}))
        if op == "constant":
            return sympy.pi if text == "pi" else sympy.E
        if op == "paren":
            return kids[0]
        if op == "negate":
            return -kids[0]
        if op in _ARITHMETIC:
            return self._arithmetic(op, *kids)
        if op == "logarithm":
            return sympy.log(kids[1]) / sympy.log(kids[0])
        if op in _PRIMES:
            return self._call(op, text, kids[0])
        raise _UnsupportedError(op)

    def _arithmetic(self, op: str, left: Value, right: Value) -> Value:
        match op:
            case "add":
                return left + right
            case "multiply":
                return left * right
            case "divide":
                return left / right
            case "power":
                return left**right
            case _:
                return left - right

    def _call(self, op: str, text: str, argument: Value) -> Value:
        sympy = self._sympy
        if op == "call" and text in _CALLS:
            return getattr(sympy, text)(argument)
        if op == "call" and text == "abs":
            return sympy.Abs(argument)
        if op == "call" and text == "ln":
            return sympy.log(argument)
        if op == "call" and text == "log":
            return sympy.log(argument) / sympy.log(10)
        return sympy.Function(text + _PRIMES[op], real=True)(argument)


if __name__ == "__main__":
    main()
