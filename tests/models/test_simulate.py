from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest
from tests.models.worlds import RIGHT, WRONG, problem, variant

from codequake.errors import DataError, UnknownNameError, UsageError
from codequake.journal import Journal, read_journal
from codequake.keys import new_request
from codequake.models import SimContext, answer_requests, load_behaviour, open_model
from codequake.models.behaviour import Behaviour
from codequake.models.mutants import mutants
from codequake.models.simulate import Shape, Simulator, difficulty, solves
from codequake.records import (
    JsonText,
    Language,
    Message,
    Reference,
    StopReason,
    TaskKind,
    Variant,
)

PROBLEMS = tuple(problem(number) for number in range(300))
FAMILIES = ("clean", "repeat", "storytelling", "distracting_constraints", "reduced")
VARIANTS = tuple(variant(item, family) for item in PROBLEMS for family in FAMILIES)


def coder(behaviour: Behaviour, seed: int = 1) -> Simulator:
    return Simulator(SimContext(PROBLEMS, VARIANTS), behaviour, seed)


def ask(simulator: Simulator, what: Variant, sample: int = 0, *, greedy: bool = True) -> str:
    return simulator.answer([Message("user", what.text)], sample, greedy=greedy).text


def program_in(reply: str) -> str:
    return reply.partition("```python\n")[2].partition("\n```")[0] + "\n"


def test_a_planted_fall_is_exact_and_recovers() -> None:
    fragile = load_behaviour("fragile")
    simulator = coder(fragile)
    passed: dict[str, set[str]] = {family: set() for family in FAMILIES}
    for item in VARIANTS:
        right = program_in(ask(simulator, item)) == RIGHT
        assert right == (
            difficulty(1, item.problem_id)
            < {"storytelling": 0.6, "distracting_constraints": 0.45}.get(item.family, 0.9)
        )
        assert right == solves(fragile, 1, item)
        if right:
            passed[item.family].add(item.problem_id)
    assert passed["distracting_constraints"] < passed["storytelling"] < passed["clean"]
    assert passed["clean"] == passed["repeat"] == passed["reduced"]
    # 300 draws: three standard errors around the planted accuracies.
    assert abs(len(passed["clean"]) / 300 - 0.9) < 0.052
    assert abs(len(passed["storytelling"]) / 300 - 0.6) < 0.085


def test_distance_lowers_accuracy_step_by_step() -> None:
    item = problem(7)
    by_distance = {
        distance: variant(item, "formula", f"text {distance}", distance=distance)
        for distance in (1, 3, 5, 12)
    }
    fragile = load_behaviour("fragile")
    levels = {1: 0.75, 3: 0.5, 5: 0.3, 12: 0.15}
    for distance, level in levels.items():
        assert solves(fragile, 3, by_distance[distance]) == (difficulty(3, "world/p7") < level)


def test_wrong_replies_hold_the_known_mistake() -> None:
    simulator = coder(load_behaviour("sturdy"))
    wrong = [item for item in VARIANTS if not solves(load_behaviour("sturdy"), 1, item)]
    assert wrong
    assert {program_in(ask(simulator, item)) for item in wrong} == {WRONG}


def test_order_and_company_do_not_matter(tmp_path: Path) -> None:
    def run(folder: Path, order: list[Variant]) -> dict[str, str]:
        context = SimContext(PROBLEMS, VARIANTS)
        model = open_model("codequake/sim-messy", arguments={"seed": "4"}, context=context)
        requests = [
            new_request(
                model.name,
                model.engine,
                [Message("system", "Write code."), Message("user", f"Task:\n{item.text}\n")],
                JsonText('{"temperature":0.8}'),
                sample,
            )
            for item in order
            for sample in (0, 1)
        ]
        with Journal(folder) as journal:
            answer_requests(model, requests, journal)
        return {key: entry.reply.text for key, entry in read_journal(folder).items()}

    chosen = list(VARIANTS[:100])
    first = run(tmp_path / "1", chosen)
    second = run(tmp_path / "2", random.Random(1).sample(chosen, 60))
    assert (len(first), len(second)) == (200, 120)
    assert all(first[key] == text for key, text in second.items())


def test_samples_agree_at_temperature_zero_and_not_above() -> None:
    simulator = coder(load_behaviour("messy"))
    greedy = [{ask(simulator, item, n) for n in range(6)} for item in VARIANTS[:50]]
    warm = [{ask(simulator, item, n, greedy=False) for n in range(6)} for item in VARIANTS[:50]]
    assert all(len(texts) == 1 for texts in greedy)
    assert sum(len(texts) > 1 for texts in warm) > 25


def test_noise_moves_single_replies_only_above_temperature_zero() -> None:
    behaviour = dataclasses.replace(load_behaviour("sturdy"), default=0.5, noise=1.0)
    simulator = coder(behaviour)
    item = VARIANTS[0]

    def share(greedy: bool) -> float:
        rights = [
            simulator.answer([Message("user", item.text)], n, greedy=greedy).right
            for n in range(200)
        ]
        return sum(rights) / 200

    assert share(True) in (0.0, 1.0)
    assert abs(share(False) - 0.5) < 0.11


def test_shapes_come_at_their_rates_and_look_like_it() -> None:
    behaviour = dataclasses.replace(
        load_behaviour("sturdy"), truncated=0.2, prose=0.2, wrong_language=0.2, refused=0.2
    )
    simulator = coder(behaviour)
    replies = [simulator.answer([Message("user", v.text)], 0, greedy=True) for v in VARIANTS]
    for shape in Shape:
        found = [reply for reply in replies if reply.shape is shape]
        assert abs(len(found) / len(replies) - 0.2) < 0.035
        assert all(reply.shape is Shape.PROGRAM or not reply.right for reply in found)
    for reply in replies:
        match reply.shape:
            case Shape.PROGRAM:
                assert reply.text.count("```") == 2
            case Shape.TRUNCATED:
                assert reply.text.count("```") == 1
                assert RIGHT not in reply.text
            case Shape.PROSE:
                assert "```" not in reply.text
            case Shape.WRONG_LANGUAGE:
                assert "```c\n" in reply.text
            case Shape.REFUSED:
                assert reply.text == "I cannot help with this request."


def test_the_longest_text_in_the_last_user_message_counts() -> None:
    short = variant(problem(1), "clean", "Add")
    long = variant(problem(2), "storytelling", "Add the apples")
    marked = [
        problem(n, references=(Reference("r", Language.PYTHON, f"# {n}\n{RIGHT}"),)) for n in (1, 2)
    ]
    perfect = dataclasses.replace(load_behaviour("sturdy"), default=1.0)
    simulator = Simulator(SimContext(tuple(marked), (short, long)), perfect, 0)
    messages = [
        Message("user", "Add"),
        Message("assistant", "..."),
        Message("user", "Please: Add the apples now"),
    ]
    assert "# 2" in simulator.answer(messages, 0, greedy=True).text
    assert "# 1" in simulator.answer(messages[:1], 0, greedy=True).text
    with pytest.raises(DataError, match="knows no variant"):
        simulator.answer([Message("user", "Subtract")], 0, greedy=True)


def test_equal_texts_are_one_prompt() -> None:
    item = problem(3)
    reduced = variant(item, "reduced", item.statement)
    clean = variant(item)
    both = Simulator(SimContext((item,), (reduced, clean)), load_behaviour("messy"), 0)
    alone = Simulator(SimContext((item,), (clean,)), load_behaviour("messy"), 0)
    assert ask(both, reduced) == ask(alone, clean)


def test_renamed_entry_point_is_kept() -> None:
    item = problem(4)
    renamed = variant(item, "storytelling", entry_point="twice")
    perfect = dataclasses.replace(load_behaviour("sturdy"), default=1.0)
    simulator = Simulator(SimContext((item,), (renamed,)), perfect, 0)
    assert program_in(ask(simulator, renamed)) == RIGHT.replace("double", "twice")


def test_changed_task_is_answered_by_its_own_oracle_or_the_old_one() -> None:
    old = problem(5)
    new = problem(
        6,
        references=(Reference("r", Language.PYTHON, "def double(n):\n    return -n\n"),),
        wrong=(),
    )
    changed = variant(old, "negation", task=TaskKind.CHANGED, oracle_id=new.problem_id)
    for accuracy, code in ((1.0, new.references[0].code), (0.0, RIGHT)):
        behaviour = dataclasses.replace(load_behaviour("sturdy"), default=accuracy)
        simulator = Simulator(SimContext((old, new), (changed,)), behaviour, 0)
        assert program_in(ask(simulator, changed)) == code


def test_problem_without_mistakes_gets_a_mutant() -> None:
    item = problem(8, wrong=())
    behaviour = dataclasses.replace(load_behaviour("sturdy"), default=0.0)
    simulator = Simulator(SimContext((item,), (variant(item),)), behaviour, 0)
    assert program_in(ask(simulator, variant(item))) == RIGHT.replace("+", "-")


def test_problem_without_reference_is_an_error() -> None:
    item = problem(9, references=(Reference("c", Language.C, "int main(void) {}"),))
    simulator = Simulator(SimContext((item,), (variant(item),)), load_behaviour("sturdy"), 0)
    with pytest.raises(DataError, match="no reference in python"):
        ask(simulator, variant(item))


@pytest.mark.parametrize(
    ("code", "language", "expected"),
    [
        ("def f(a):\n    return a * 2", Language.PYTHON, ["def f(a):\n    return a + 2"]),
        ("x = a <= b  # a < c", Language.PYTHON, ["x = a < b  # a < c"]),
        ('print("a < b")', Language.PYTHON, ['print("")']),
        ("def f(a):\n    return a", Language.PYTHON, ["def f(*values):\n    return None"]),
        ("double x = -b / a;", Language.C, ["double x = -b * a;"]),
    ],
)
def test_mutants_differ_in_one_place(code: str, language: Language, expected: list[str]) -> None:
    assert mutants(code, language) == expected


def test_mutant_of_c_without_operators_prints_a_constant() -> None:
    (mutant,) = mutants("int main(void) { return 0; }", Language.C)
    assert 'printf("0\\n")' in mutant


def test_the_name_chooses_the_behaviour() -> None:
    context = SimContext(PROBLEMS, VARIANTS)
    engines = {
        name: open_model(f"codequake/{name}", context=context).engine
        for name in ("sim", "sim-sturdy", "sim-fragile", "sim-messy")
    }
    assert engines["sim"] == engines["sim-sturdy"]
    assert len(set(engines.values())) == 3
    by_argument = open_model("codequake/sim", arguments={"behaviour": "fragile"}, context=context)
    assert by_argument.engine == engines["sim-fragile"]
    own = dataclasses.replace(load_behaviour("fragile"), name="own")
    given = open_model("codequake/sim", context=dataclasses.replace(context, behaviour=own))
    assert given.engine.startswith("sim:own@")
    with pytest.raises(UsageError, match="give one of them"):
        open_model("codequake/sim-messy", arguments={"behaviour": "sturdy"}, context=context)
    with pytest.raises(UnknownNameError, match="'wild'"):
        open_model("codequake/sim-wild", context=context)
    with pytest.raises(UsageError, match="seed is -1"):
        open_model("codequake/sim", arguments={"seed": "-1"}, context=context)


def test_stop_reasons_of_shapes_reach_the_journal(tmp_path: Path) -> None:
    model = open_model("codequake/sim-messy", context=SimContext(PROBLEMS, VARIANTS))
    assert model.concurrency == 1
    requests = [
        new_request(model.name, model.engine, [Message("user", v.text)], JsonText("{}"), 0)
        for v in VARIANTS[:150]
    ]
    stranger = new_request(model.name, model.engine, [Message("user", "?")], JsonText("{}"), 0)
    with Journal(tmp_path) as journal:
        counts = answer_requests(model, [*requests, stranger], journal)
    replies = [entry.reply for entry in read_journal(tmp_path).values()]
    assert {reply.stop_reason for reply in replies} == set(StopReason) - {StopReason.UNKNOWN}
    assert {reply.model_reported for reply in replies if reply.error is None} == {
        "codequake/sim-messy"
    }
    assert (counts.answered, counts.pending) == (150, 1)
    assert "knows no variant" in counts.errors[0][0]
