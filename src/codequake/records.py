"""The records that pass between the stages: frozen, plain data, no behaviour.

``Problem -> Variant -> Completion -> Verdict -> Estimate``.  Values whose type depends on the
problem (arguments, results) are held as canonical JSON text (``JsonText``), so that every record
can be hashed, compared and stored in one column.  ``None`` means "not there" and never zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from codequake.statements import Statement
from codequake.statuses import Status, StopReason, TestStatus
from codequake.tasks import (
    Change,
    ChangeKind,
    ChangeNature,
    Comparison,
    Constant,
    ConstantRole,
    Difficulty,
    FormulaKind,
    FormulaSlot,
    Interface,
    JsonText,
    Language,
    OutputOrder,
    PromptClass,
    Reference,
    Symbol,
    Test,
)

__all__ = [
    "SCHEMA_VERSION",
    "Change",
    "ChangeKind",
    "ChangeNature",
    "Check",
    "Comparison",
    "Completion",
    "Constant",
    "ConstantRole",
    "Difficulty",
    "Estimate",
    "Failure",
    "FormulaKind",
    "FormulaSlot",
    "Interface",
    "JsonText",
    "Language",
    "LeftOut",
    "Measurement",
    "Message",
    "OutputOrder",
    "Planned",
    "Problem",
    "PromptClass",
    "Reference",
    "Reply",
    "Request",
    "Status",
    "Step",
    "StopReason",
    "Symbol",
    "TaskKind",
    "Test",
    "TestOutcome",
    "TestStatus",
    "TokenScore",
    "Variant",
    "Verdict",
]

SCHEMA_VERSION = 1


class TaskKind(StrEnum):
    """Whether a perturbation keeps the task (same oracle) or changes it (new oracle)."""

    KEPT = "kept"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Problem:
    """A task with its statement, tests and reference programs.

    ``problem_id`` is ``<set>/<slug>``.  ``generator`` is Python source that defines
    ``generate(rng, size)`` and returns one input; it runs in the sandbox like any program.
    ``wrong`` are plausible mistakes that the tests must reject; simulated coders write them.

    ``assertions`` is given for a function that is tested by statements instead of by inputs: the
    ``input`` of each test is then Python text (a JSON string) that calls the entry point, or
    ``candidate``, and raises when it is not content; ``expected`` is ``null``, and the value of
    ``assertions`` is Python text that runs before each test (often empty).  ``checker`` is Python
    source that defines ``accepts(arguments, output, expected)`` and says whether one of several
    right outputs was given; without it outputs are compared.

    ``relaxed`` are programs of a simpler task that models fall back to.  ``validator`` is Python
    source of ``valid`` with the parameters of the entry point (``valid(text)`` for a program on
    standard input), which says whether an input keeps the constraints.  ``large`` is a second
    generator, for the inputs that only a good algorithm answers in time.  ``change`` is given for
    a problem that was made from another one.
    ``redistributable`` is false where the text of the statement belongs to somebody who does not
    let it be passed on: reports then show everything but that text.  ``environment`` says what its
    programs need to run that the sandbox does not give; such a problem can be read and reworded,
    and is never run.
    """

    problem_id: str
    title: str
    language: Language
    interface: Interface
    entry_point: str | None
    parameters: tuple[str, ...]
    statement: str
    structure: Statement | None
    tests: tuple[Test, ...]
    references: tuple[Reference, ...]
    wrong: tuple[Reference, ...]
    generator: str | None
    comparison: Comparison
    formula: FormulaSlot | None
    difficulty: Difficulty | None
    topics: tuple[str, ...]
    source: str
    licence: str
    assertions: str | None = None
    checker: str | None = None
    redistributable: bool = True
    environment: str = ""
    relaxed: tuple[Reference, ...] = ()
    constants: tuple[Constant, ...] = ()
    validator: str | None = None
    large: str | None = None
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the chain that made a variant; ``arguments`` is canonical JSON."""

    name: str
    arguments: JsonText


@dataclass(frozen=True, slots=True)
class Check:
    """One check that a variant was put to, and what came out."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Variant:
    """One prompt text made from a problem, with the proof of how it was made.

    ``family`` groups variants in tables.  ``oracle_id`` names the problem whose tests judge it.
    ``entry_point`` is the name that its program must define.  ``distance`` is the number of
    formula mutations, ``None`` where there is no formula.  ``base_id`` is the variant that a
    mitigation was applied to.  ``gated`` is true when every check passed; a variant that fails
    one is kept and reported, but stands in no headline figure.  ``shown_tests`` are the indices of
    the oracle's tests whose input stands in the text; ``None`` where it was not looked for, and
    the tests themselves say whether they are visible.  ``contrast_id`` is given where the task is
    changed: it names a problem with the same inputs and the answers of the original task, which
    tells who solved the task that was not asked.
    """

    variant_id: str
    problem_id: str
    family: str
    task: TaskKind
    chain: tuple[Step, ...]
    seed: int
    text: str
    entry_point: str | None
    oracle_id: str
    base_id: str | None
    formula: str | None
    distance: int | None
    distance_proved: bool | None
    assumptions: tuple[str, ...]
    checks: tuple[Check, ...]
    gated: bool
    shown_tests: tuple[int, ...] | None = None
    contrast_id: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a request; ``role`` is ``system``, ``user`` or ``assistant``."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that decides what a model answers.

    ``engine`` names the weights or engine build where we know it, else it is empty.  ``decoding``
    is canonical JSON of the decoding parameters.  ``key`` is the content key of all other fields.
    """

    key: str
    model: str
    engine: str
    messages: tuple[Message, ...]
    decoding: JsonText
    sample: int


@dataclass(frozen=True, slots=True)
class TokenScore:
    """One token of a reply: its text and the natural logarithm of its probability (at most 0).

    ``entropy`` is that of the distribution it was drawn from, in nats, worked out from the
    alternatives that the provider gave with the rest of the probability as one outcome: a lower
    bound.  ``None`` where no alternatives were given.
    """

    text: str
    logprob: float
    entropy: float | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for a request.

    ``error`` is given exactly when ``stop_reason`` is ``error``; such a reply is pending: it is
    shown, retried, and never counts against the model.  ``reasoning_tokens`` are those of
    ``output_tokens`` that were spent on reasoning, ``None`` where the provider does not say.
    ``tokens`` are the tokens of the text with their scores, ``None`` where none were asked for or
    given.  ``refused`` names, sorted, the decoding parameters of the request that the provider
    refused and that this reply was made without.
    """

    key: str
    text: str
    reasoning: str | None
    model_reported: str
    stop_reason: StopReason
    input_tokens: int | None
    output_tokens: int | None
    error: str | None
    reasoning_tokens: int | None = None
    tokens: tuple[TokenScore, ...] | None = None
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """One reply to one variant.  ``key`` is as in ``Planned``; equal prompts share a reply.

    The fields of the reply are as in ``Reply``; in a style of several calls, the last one's.
    """

    problem_id: str
    variant_id: str
    model: str
    sample: int
    key: str
    text: str
    reasoning: str | None
    model_reported: str
    stop_reason: StopReason
    input_tokens: int | None
    output_tokens: int | None
    error: str | None
    reasoning_tokens: int | None = None
    tokens: tuple[TokenScore, ...] | None = None
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Planned:
    """One completion that a study will have: ``key`` is the request that answers it.

    The plan decides what is in a denominator, never what came back.  Several rows may share a
    key: prompts with equal messages are asked once.  ``decoding`` is canonical JSON.  In a style of
    several calls ``key`` is that of the chain of calls (``chains.parquet``), since the later ones
    are not known before the earlier ones are answered.
    """

    problem_id: str
    variant_id: str
    model: str
    sample: int
    decoding: JsonText
    key: str


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """How one test ended, and whether its input stands in the prompt that was answered."""

    __test__ = False  # not a test case for pytest

    visible: bool
    status: TestStatus


@dataclass(frozen=True, slots=True)
class Failure:
    """The first test that did not pass: its index, input, expected output and what came instead.

    ``got`` is ``None`` when the program gave no output for it.
    """

    test: int
    input: JsonText
    expected: JsonText
    got: JsonText | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a completion's program ended.

    ``program`` is what was extracted (empty when nothing was), ``extraction`` the rule that found
    it, ``grader`` the version of everything that decides the verdict.  ``source`` and ``licence``
    are those of the problem, whose tests its ``failure`` shows.  ``reply_key`` is the content key
    of the reply that was judged (see ``keys.reply_key``); it is empty in verdicts of before it was
    recorded, which are made again.  ``outputs`` has a mark a test, as
    ``codequake.grading.digests`` writes it; empty when all passed, and when none ran.
    """

    problem_id: str
    variant_id: str
    model: str
    sample: int
    status: Status
    tests: tuple[TestOutcome, ...]
    message: str
    program: str
    extraction: str
    failure: Failure | None
    grader: str
    source: str = ""
    licence: str = ""
    reply_key: str = ""
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Rows that a number does not rest on, and why."""

    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval, its numerator and denominator, and what was left out.

    ``value`` is ``None`` when there is no data; ``missing`` then says why.  ``low`` and ``high``
    bound it at confidence ``level`` by ``method``.  While replies are pending ``incomplete`` is
    true and ``bound_low``/``bound_high`` say what it would be if all of them failed or passed.
    Shares are 0 to 1, differences -1 to 1.
    """

    metric: str
    model: str
    family: str
    group: str
    scope: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    numerator: float | None
    denominator: int
    problems: int
    left_out: tuple[LeftOut, ...]
    incomplete: bool
    bound_low: float | None
    bound_high: float | None
    missing: str | None
    note: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """What is true of one run and of no identity: seconds, memory, where and when."""

    kind: str
    key: str
    seconds: float
    cpu_seconds: float | None
    memory_bytes: int | None
    host: str
    at: str
