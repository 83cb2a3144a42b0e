"""LaTeX to trees: LaTeX is turned into the tokens of plain text, and those are parsed.

Braces become tokens of their own, which hold together and are not seen.  What lies outside of
the formulas that this package knows, such as integrals, matrices and limits, is refused.
"""

from __future__ import annotations

import re

from codequake.formula.faults import FormulaError
from codequake.formula.latex_words import CONNECTIVES, FUNCTIONS, GREEK, HINTS, RELATIONS, SIGNS
from codequake.formula.names import PAPER_NAMES, Names
from codequake.formula.nodes import MAX_DEPTH, Node
from codequake.formula.parser import TokenParser
from codequake.formula.tokens import MAX_DIGITS, MAX_TEXT, Kind, Token

__all__ = ["parse_latex"]


def parse_latex(text: str, names: Names = PAPER_NAMES) -> Node:
    r"""Return the tree of a formula in LaTeX.

    Known: ``\frac``, ``\sqrt``, ``\cdot``, ``\times``, ``^{}``, subscripts, Greek letters,
    ``\left`` and ``\right``, ``\sin`` and its kin with an argument in brackets or of one symbol,
    ``\sin^2``, ``\log_{b}``, ``\pi``, ``\sum`` and ``\prod`` with bounds, derivatives as ``y'(x)``
    or ``\frac{dy}{dx}``, relations, and the signs of contracts.  Letters side by side are a
    product, as LaTeX has it; names of several letters stand in ``\mathrm{}``.  ``e`` is Euler's
    number where that is declared and ``e`` is not.  Raises ``FormulaError``, with the place, for
    everything else, and for what ``parse`` refuses.
    """
    tokens = _Translator(text, names).tokens()
    return TokenParser(text, tokens, names, latex=True).formula()


_PIECE = re.compile(
    r"(?P<blank>(?:[ \t\r\n~]|\\[,;:! \t\n]|\\q?quad\b|\\displaystyle\b|\\limits\b)+)"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<word>\\(?:left|right)\s*(?:[()|\[\]]|\\[a-zA-Z]+)|\\[a-zA-Z]+|\\.|\.\.)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_SIGNS = frozenset("+-*/=<>()[],|")
_UPRIGHT = frozenset({"\\mathrm", "\\mathit", "\\text", "\\operatorname", "\\textit", "\\textrm"})
_OPENERS = {"(": ")", "\\left(": "\\right)", "{": "}", "\\left|": "\\right|"}
_CLOSERS = frozenset({")", "\\right)", "}", "\\right|", "]", "\\right]"})
# What ends the body of a sum sign.
_ENDS = frozenset({"+", "-", ",", ":", *RELATIONS, *CONNECTIVES, "..", *_CLOSERS})
_D = r"(?:d|\\mathrm\s*\{\s*d\s*\})\s*"
_SYMBOL = r"((?:[A-Za-z]|\\[A-Za-z]+)(?:_(?:[A-Za-z0-9]|\{[A-Za-z0-9]+\}))?)\s*"
_TWO = r"\^\s*(?:2|\{\s*2\s*\})\s*"
_FIRST = re.compile(rf"\\frac\s*\{{\s*{_D}{_SYMBOL}\}}\s*\{{\s*{_D}{_SYMBOL}\}}")
_OPERATOR = re.compile(rf"\\frac\s*\{{\s*{_D}\}}\s*\{{\s*{_D}{_SYMBOL}\}}")
_SECOND = re.compile(rf"\\frac\s*\{{\s*{_D}{_TWO}{_SYMBOL}\}}\s*\{{\s*{_D}{_SYMBOL}{_TWO}\}}")


class _Translator:
    """One pass over the pieces of a text, writing tokens."""

    def __init__(self, text: str, names: Names) -> None:
        if len(text) > MAX_TEXT:
            raise FormulaError(f"formula has {len(text)} characters; allowed: at most {MAX_TEXT}")
        self._text = text
        self._names = names
        self._pieces = [
            (re.sub(r"\s", "", match.group()), match.lastgroup, match.start())
            for match in _PIECE.finditer(text)
            if match.lastgroup != "blank"
        ]
        self._pieces.append(("", "end", len(text)))
        self._at = 0
        self._depth = 0
        self._out: list[Token] = []

    def tokens(self) -> list[Token]:
        while self._piece():
            self._item()
        self._write(Kind.END, "", len(self._text))
        return self._out

    def _piece(self) -> str:
        return self._pieces[self._at][0]

    def _place(self) -> int:
        return self._pieces[self._at][2]

    def _kind(self) -> str:
        return str(self._pieces[self._at][1])

    def _write(self, kind: Kind, text: str, place: int) -> None:
        self._out.append(Token(kind, text, place + 1))

    def _sign(self, text: str, place: int) -> None:
        self._write(Kind.SIGN, text, place)

    def _fault(self, message: str, place: int | None = None) -> FormulaError:
        where = self._place() if place is None else place
        return FormulaError(message, text=self._text, column=where + 1)

    def _item(self) -> None:
        """Translate one piece, with all that belongs to it."""
        self._deeper()
        piece, place = self._piece(), self._place()
        if self._kind() == "number":
            if len(piece) > MAX_DIGITS:
                raise self._fault(f"number has more than {MAX_DIGITS} characters")
            self._at += 1
            self._write(Kind.NUMBER, piece, place)
        elif self._starts_name():
            self._write(Kind.NAME, self._name(), place)
        elif piece in _OPENERS:
            self._enclosed()
        elif piece == "^":
            self._power()
        elif piece == "\\frac":
            self._fraction()
        elif piece == "\\sqrt" or piece[1:] in FUNCTIONS:
            self._function()
        elif piece in ("\\sum", "\\prod"):
            self._aggregate()
        else:
            self._simple(piece, place)
        self._depth -= 1

    def _deeper(self) -> None:
        """Count what is open, so that Python's stack never overflows."""
        self._depth += 1
        if self._depth > 2 * MAX_DEPTH:
            raise self._fault(f"formula is nested deeper than {MAX_DEPTH} levels")

    def _simple(self, piece: str, place: int) -> None:
        self._at += 1
        if piece == "'":
            self._write(Kind.PRIME, "'", place)
        elif piece in ("\\forall", "\\exists"):
            self._write(Kind.NAME, piece[1:], place)
        elif piece == ":" and self._names.contract:
            self._sign("::", place)
        elif piece == "." and self._upright() == "Length":
            self._sign(f".{self._name()}", place)
        elif piece in SIGNS or piece in _SIGNS:
            sign = SIGNS.get(piece, piece)
            kind = Kind.NAME if sign == "in" else Kind.SIGN
            self._write(kind, "==" if sign == "=" and self._names.contract else sign, place)
        elif piece in _CLOSERS:
            raise self._fault(f"{piece!r} closes nothing here", place)
        else:
            hint = HINTS.get(piece, "see the documentation for the LaTeX that is read")
            raise self._fault(f"{piece[:40]!r} is not part of a formula; {hint}", place)

    def _starts_name(self) -> bool:
        piece = self._piece()
        return (
            (len(piece) == 1 and piece.isascii() and piece.isalpha())
            or piece[1:] in GREEK
            or piece in _UPRIGHT
        )

    def _upright(self) -> str:
        r"""Return the letters of a name in ``\mathrm{}`` that stands here, without its digits."""
        if self._piece() not in _UPRIGHT:
            return ""
        rest = re.match(
            r"\\[a-z]+\s*\{\s*([A-Za-z]+)", self._text[self._place() : self._place() + 100]
        )
        return rest.group(1) if rest else ""

    def _name(self) -> str:
        """Take a name with its subscript."""
        place = self._place()
        piece = self._piece()
        self._at += 1
        name = self._word_in_braces() if piece in _UPRIGHT else piece.removeprefix("\\")
        if name[0].isdigit():
            raise self._fault("a name begins with a letter", place)
        if self._piece() == "_":
            self._at += 1
            name += f"_{self._subscript()}"
        if len(name) > MAX_DIGITS:
            raise self._fault(f"name has more than {MAX_DIGITS} characters", place)
        if name == "e" and "E" in self._names.constants:
            declared = self._names.coefficients | self._names.variables | self._names.functions
            return name if name in declared and piece == "e" else "E"
        return name

    def _subscript(self) -> str:
        piece = self._piece()
        if piece == "{":
            return self._word_in_braces()
        if len(piece) == 1 and piece.isascii() and piece.isalnum():
            self._at += 1
            return piece
        raise self._fault("a subscript is one letter or digit, or several in braces")

    def _word_in_braces(self) -> str:
        """Take letters and digits in braces, such as those of an upright name."""
        if self._piece() != "{":
            raise self._fault("'{' is missing here")
        self._at += 1
        if self._piece() in _UPRIGHT:
            self._at += 1
            word = self._word_in_braces()
        else:
            word = ""
            while (piece := self._piece()) and piece.isascii() and piece.isalnum():
                word += piece
                self._at += 1
                if len(word) > MAX_DIGITS:
                    raise self._fault(f"name has more than {MAX_DIGITS} characters")
        if self._piece() != "}" or not word:
            raise self._fault("only letters and digits make a name")
        self._at += 1
        return word

    def _enclosed(self, sign: str | None = None) -> None:
        """Translate what stands in brackets or braces; ``sign`` replaces an opening brace."""
        opener, place = self._piece(), self._place()
        self._deeper()
        self._at += 1
        kind, opens, closes = self._form(opener, sign, place)
        self._write(kind, opens, place)
        while self._piece() != _OPENERS[opener]:
            if not self._piece():
                raise self._fault("this bracket is never closed", place)
            self._item()
        self._write(kind, closes, self._place())
        self._at += 1
        self._depth -= 1

    def _form(self, opener: str, sign: str | None, place: int) -> tuple[Kind, str, str]:
        if opener == "\\left|":
            if self._names.contract:
                return Kind.SIGN, "|", "|"
            self._write(Kind.NAME, "abs", place)
            return Kind.SIGN, "(", ")"
        if opener == "{" and sign is None:
            return Kind.GROUP, "{", "}"
        return Kind.SIGN, "(", ")"

    def _power(self) -> None:
        place = self._place()
        self._at += 1
        prime = [piece for piece, _, _ in self._pieces[self._at : self._at + 3]]
        if prime[:1] == ["\\prime"] or prime == ["{", "\\prime", "}"]:
            self._at += 1 if prime[0] == "\\prime" else 3
            self._write(Kind.PRIME, "'", place)
            return
        self._sign("^", place)
        self._symbol("an exponent")

    def _symbol(self, what: str) -> None:
        """Translate braces, or the one symbol that LaTeX takes where none stand."""
        piece, place = self._piece(), self._place()
        if piece == "{":
            self._enclosed()
        elif self._starts_name() or (self._kind() == "number" and len(piece) == 1):
            self._write(Kind.GROUP, "{", place)
            self._item()
            self._write(Kind.GROUP, "}", place)
        else:
            raise self._fault(f"{what} of more than one symbol stands in braces")

    def _fraction(self) -> None:
        place = self._place()
        if self._derivative():
            return
        self._at += 1
        self._write(Kind.GROUP, "{", place)
        self._symbol("a part of a fraction")
        self._sign("/", place)
        self._symbol("a part of a fraction")
        self._write(Kind.GROUP, "}", place)

    def _derivative(self) -> bool:
        """Translate a derivative in Leibniz's form; refuse what only looks like one."""
        place = self._place()
        if _OPERATOR.match(self._text, place):
            raise self._fault("a derivative is written \\frac{dy}{dx}")
        for pattern, primes in ((_FIRST, 1), (_SECOND, 2)):
            match = pattern.match(self._text, place)
            if match is None:
                continue
            of, by = (re.sub(r"[\\{}\s]", "", part) for part in match.groups())
            known = self._names.variables | self._names.functions
            if of not in known or by not in self._names.variables or of == by:
                raise self._fault(
                    f"this looks like a derivative, and {of[:20]!r} by {by[:20]!r} is none; "
                    "write d \\cdot for a product"
                )
            self._write(Kind.NAME, of, place)
            for _ in range(primes):
                self._write(Kind.PRIME, "'", place)
            self._sign("(", place)
            self._write(Kind.NAME, by, place)
            self._sign(")", place)
            while self._place() < match.end() and self._piece():
                self._at += 1
            return True
        return False

    def _function(self) -> None:
        r"""Translate ``\sin`` and its kin: ``\sin(x)``, ``\sin x``, ``\sin^2 x``, ``\log_2 x``."""
        piece, place = self._piece(), self._place()
        self._at += 1
        name = piece[1:]
        if name == "sqrt" and self._piece() == "[":
            raise self._fault("a root with an index is not read; write a power")
        if name == "log" and self._piece() == "_":
            self._at += 1
            name = f"log_{self._subscript()}"
        power: list[Token] = []
        if self._piece() == "^" and name != "sqrt":
            start = len(self._out)
            self._power()
            power = self._out[start:]
            del self._out[start:]
            if [token.text for token in power] == ["^", "{", "-", "1", "}"]:
                raise self._fault(f"{piece}^{{-1}} has two meanings; write a quotient", place)
            self._write(Kind.GROUP, "{", place)
        self._write(Kind.NAME, name, place)
        self._function_argument(piece)
        if power:
            self._write(Kind.GROUP, "}", place)
            self._out += power

    def _function_argument(self, name: str) -> None:
        piece, place = self._piece(), self._place()
        if piece in ("(", "\\left("):
            self._enclosed()
            return
        if piece == "{":
            self._enclosed("(")
        elif self._starts_name() or piece == "\\frac" or self._kind() == "number":
            self._sign("(", place)
            self._item()
            self._sign(")", place)
        else:
            raise self._fault(f"{name} needs an argument; write {name}(x)")
        if name != "\\sqrt" and self._goes_on():
            raise self._fault(f"the argument of {name} may end here or go on; put it in brackets")

    def _goes_on(self) -> bool:
        """Say whether a factor or an exponent follows, which could still belong to an argument."""
        piece = self._piece()
        return (
            self._kind() == "number"
            or self._starts_name()
            or piece in ("^", "_", "'", "(", "\\left(", "{", "\\left|", "\\frac")
        )

    def _aggregate(self) -> None:
        r"""Translate ``\sum_{i=1}^{n}`` and its body, which ends where a sum or a side does."""
        piece, place = self._piece(), self._place()
        self._at += 1
        self._write(Kind.NAME, "sum" if piece == "\\sum" else "product", place)
        self._sign("(", place)
        how = f"bounds are written {piece}_{{i=1}}^{{n}}"
        if self._piece() != "_" or self._pieces[self._at + 1][0] != "{":
            raise self._fault(how)
        self._at += 2
        if not self._starts_name():
            raise self._fault(how)
        self._write(Kind.NAME, self._name(), place)
        if self._piece() != "=":
            raise self._fault(how)
        self._sign("=", self._place())
        self._at += 1
        while self._piece() != "}":
            if not self._piece():
                raise self._fault("this bracket is never closed", place)
            self._item()
        self._at += 1
        if self._piece() != "^":
            raise self._fault(how)
        self._at += 1
        self._sign("..", self._place())
        self._symbol("a bound")
        self._sign(",", self._place())
        self._body()
        self._sign(")", self._place())

    def _body(self) -> None:
        self._deeper()
        if self._piece() == "-":
            self._item()
        elif SIGNS.get(self._piece(), self._piece()) in _ENDS or not self._piece():
            raise self._fault("what is added or multiplied is missing here")
        while self._piece() and SIGNS.get(self._piece(), self._piece()) not in _ENDS:
            self._item()
        self._depth -= 1
