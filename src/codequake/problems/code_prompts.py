"""Prompts of code, such as HumanEval's: a signature, and a docstring that says what to write.

Such a prompt stays as it is.  Its parts are found by its syntax tree, so that the words of the task
can change while the code around them and the examples stay to the letter; and it gets a structured
statement, which tells the same in sections, for rewrites that need them.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from codequake.canonical import parse_json
from codequake.problems.doc_examples import DocExample, is_example_line, read_doc_examples
from codequake.problems.python_prompts import with_body
from codequake.problems.rendering import show_arguments, show_value
from codequake.statements import Section, SectionKind, Sentence, Span, SpanKind, Statement

__all__ = [
    "CodePrompt",
    "code_statement",
    "join_code_prompt",
    "marked_sentences",
    "protected_pieces",
    "read_code_prompt",
]

_QUOTES = re.compile(r"[rRuU]?(\"\"\"|'''|\"|')")
_PIECES = re.compile(
    r"`[^`\n]+`"
    r"|'[^'\n]{1,40}'(?!\w)|\"[^\"\n]{1,40}\""
    r"|(?<![\w.])-?\d+(?:\.\d+)?(?!\w)"
    r"|\b[A-Za-z]\w*_\w+\b"
)
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z\"'`(])")


@dataclass(frozen=True, slots=True)
class CodePrompt:
    """The parts of a prompt of code.

    ``lead`` is everything up to the first word of the docstring, ``tail`` everything behind its
    last one; ``task`` are the lines of prose and ``examples`` those from the first example on.
    All lines but the first of the docstring lost ``indent``, where they are not blank.
    ``function`` is the open function, ``None`` where the prompt is a text alone.
    """

    lead: str
    indent: str
    task: tuple[str, ...]
    examples: tuple[str, ...]
    tail: str
    function: ast.FunctionDef | None
    before: str

    @property
    def name(self) -> str | None:
        """The name of the function to be written, where the prompt gives it."""
        return None if self.function is None else self.function.name


def read_code_prompt(text: str) -> CodePrompt | None:
    """Return the parts of a prompt of code; ``None`` for any other text.

    It is Python that ends in an open function with a docstring and nothing else, or it is one
    string (as in MBPP+).  ``join_code_prompt`` gives the text again.
    """
    tree = _parsed(with_body(text)) or _parsed(text)
    if tree is None or not tree.body:
        return None
    last = tree.body[-1]
    function: ast.FunctionDef | None = None
    if isinstance(last, ast.FunctionDef):
        words = [node for node in last.body if not isinstance(node, ast.Pass | ast.Import)]
        if len(words) != 1:
            return None
        function, holder = last, words[0]
    elif len(tree.body) == 1:
        holder = last
    else:
        return None
    place = _place(text, holder)
    if place is None:
        return None
    start, end = place
    before = "" if function is None else _before(text, function)
    return _parts(text, start, end, function, before)


def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _place(text: str, node: ast.stmt) -> tuple[int, int] | None:
    """Return where the words of a string statement begin and end in the text."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
        return None
    if not isinstance(node.value.value, str):
        return None
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    lines = text.encode("utf-8").splitlines(keepends=True)
    if len(text.splitlines()) != len(lines):
        return None  # other line ends than Python's own
    first = len(b"".join(lines[: node.lineno - 1]) + lines[node.lineno - 1][: node.col_offset])
    rest = lines[node.end_lineno - 1][: node.end_col_offset]
    last = len(b"".join(lines[: node.end_lineno - 1]) + rest)
    whole = text.encode("utf-8")
    start = len(whole[:first].decode("utf-8"))
    end = len(whole[:last].decode("utf-8"))
    quotes = _QUOTES.match(text, start)
    if quotes is None or not text[start:end].endswith(quotes[1]):
        return None
    words_start, words_end = quotes.end(), end - len(quotes[1])
    inner = text[words_start:words_end]
    if not inner.strip():
        return None
    return (
        words_start + len(inner) - len(inner.lstrip()),
        words_end - len(inner) + len(inner.rstrip()),
    )


def _before(text: str, function: ast.FunctionDef) -> str:
    first = min([function.lineno, *(item.lineno for item in function.decorator_list)])
    return "".join(text.splitlines(keepends=True)[: first - 1]).strip("\n")


def _parts(
    text: str, start: int, end: int, function: ast.FunctionDef | None, before: str
) -> CodePrompt:
    first, *rest = text[start:end].split("\n")
    full = [line for line in rest if line.strip()]
    indent = ""
    if full:
        depths = [line[: len(line) - len(line.lstrip())] for line in full]
        indent = min(depths, key=len)
        if not all(line.startswith(indent) for line in full):
            indent = ""
    lines = [first, *(line[len(indent) :] if line.strip() else line for line in rest)]
    name = None if function is None else function.name
    at = next(
        (number for number, line in enumerate(lines) if is_example_line(line, name)), len(lines)
    )
    while at and not lines[at - 1].strip():
        at -= 1
    return CodePrompt(
        text[:start], indent, tuple(lines[:at]), tuple(lines[at:]), text[end:], function, before
    )


def join_code_prompt(lead: str, indent: str, groups: Sequence[Sequence[str]], tail: str) -> str:
    """Return the text of a prompt from its lines; the first of them stands behind ``lead``."""
    lines = [line for group in groups for line in group]
    rest = [indent + line if line.strip() else line for line in lines[1:]]
    return lead + "\n".join([*lines[:1], *rest]) + tail


def protected_pieces(lines: Sequence[str]) -> tuple[str, ...]:
    """Return what no rewrite of prose may touch: numbers, quoted words, names of programs."""
    return tuple(match[0] for match in _PIECES.finditer("\n".join(lines)))


def code_statement(text: str) -> Statement | None:
    """Return what a prompt of code says in sections: task, input, output and examples.

    Lines among the examples that are none are kept there as they are.  ``None`` for any other text.
    """
    prompt = read_code_prompt(text)
    if prompt is None:
        return None
    sections = [Section(SectionKind.TASK, "", _task(prompt))]
    if prompt.function is not None:
        given = _input(prompt.function, prompt.before)
        if given:
            sections.append(Section(SectionKind.INPUT, "Input", given))
        if prompt.function.returns is not None:
            returned = f"`{ast.unparse(prompt.function.returns)}`"
            sections.append(Section(SectionKind.OUTPUT, "Output", (_protected(returned),)))
    examples = _examples(prompt)
    if examples:
        sections.append(Section(SectionKind.EXAMPLES, "Examples", examples))
    return Statement(tuple(sections))


def _task(prompt: CodePrompt) -> tuple[Sentence, ...]:
    found = []
    if prompt.function is not None:
        arguments = ast.unparse(prompt.function.args)
        returns = prompt.function.returns
        shown = f"{prompt.name}({arguments})"
        shown += "" if returns is None else f" -> {ast.unparse(returns)}"
        ask = Span(SpanKind.TEXT, "Write a Python function ")
        found.append(Sentence((ask, Span(SpanKind.PROTECTED, f"`{shown}`"), _text("."))))
    prose = " ".join(" ".join(prompt.task).split())
    return (*found, *marked_sentences(prose))


def marked_sentences(prose: str) -> tuple[Sentence, ...]:
    """Return the sentences of a paragraph, what no rewrite may touch protected in them."""
    return tuple(_marked(sentence) for sentence in _SENTENCE_END.split(prose)) if prose else ()


def _text(text: str) -> Span:
    return Span(SpanKind.TEXT, text)


def _protected(text: str) -> Sentence:
    return Sentence((Span(SpanKind.PROTECTED, text),))


def _marked(sentence: str) -> Sentence:
    """Return a sentence with its numbers, quoted words and names of programs protected."""
    spans = []
    at = 0
    for match in _PIECES.finditer(sentence):
        if match.start() > at:
            spans.append(_text(sentence[at : match.start()]))
        spans.append(Span(SpanKind.PROTECTED, match[0]))
        at = match.end()
    if at < len(sentence):
        spans.append(_text(sentence[at:]))
    return Sentence(tuple(spans))


def _input(function: ast.FunctionDef, before: str) -> tuple[Sentence, ...]:
    arguments = [*function.args.posonlyargs, *function.args.args]
    found = [
        _protected(f"`{item.arg}: {ast.unparse(item.annotation)}`")
        if item.annotation is not None
        else _protected(f"`{item.arg}`")
        for item in arguments
    ]
    if before:
        found.append(Sentence((_text("This stands before the function:"),)))
        found += [_protected(line) for line in before.split("\n") if line.strip()]
    return tuple(found)


def _examples(prompt: CodePrompt) -> tuple[Sentence, ...]:
    read = read_doc_examples(prompt.examples, prompt.name)
    found: list[Sentence] = []
    for number, example in enumerate(read.examples, start=1):
        found += [_protected(line) for line in _shown(example, number, prompt.function)]
    found += [_protected(line.strip()) for line in read.others]
    return tuple(found)


def _shown(example: DocExample, number: int, function: ast.FunctionDef | None) -> list[str]:
    values = parse_json(example.arguments)
    named = [] if function is None else [*function.args.posonlyargs, *function.args.args]
    names = [item.arg for item in named][: len(values)]
    if len(names) != len(values):
        names = [f"argument_{place}" for place in range(1, len(values) + 1)]
    return [
        f"Example {number}:",
        f"Input: {show_arguments(names, values)}",
        f"Output: {show_value(parse_json(example.result))}",
    ]
