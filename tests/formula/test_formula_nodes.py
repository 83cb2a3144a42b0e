"""Nodes: equal trees are one object, which lives no longer than somebody holds it."""

from __future__ import annotations

import copy
import gc
import inspect
import os
import pickle
import subprocess
import sys
import threading
import tracemalloc

import pytest
from tests.formula.random_trees import trees

from codequake.formula import FormulaError, Node, Op, format_formula, nodes, parse
from codequake.formula.nodes import (
    CONTRACT_OPS,
    MAX_DEPTH,
    UNARY_FUNCTIONS,
    is_expression,
    open_kids,
    walk,
)


def table_size() -> int:
    gc.collect()
    return len(nodes._TABLE)


def test_equal_trees_are_one_object() -> None:
    one, two = parse("a*(x+1)=b"), parse("a * (x + 1) = b")
    assert one is two
    assert Node(Op.NUMBER, (), "2") is not Node(Op.NUMBER, (), "2.0")
    assert Node(Op.COEFFICIENT, (), "x") is not Node(Op.VARIABLE, (), "x")
    assert {one: 1}[two] == 1


def test_the_table_holds_no_tree_alive() -> None:
    kept = parse("a+b")
    before = table_size()
    forest = trees("paper", 300, 7)
    assert table_size() > before + 1000
    del forest
    assert table_size() == before
    assert parse("a+b") is kept


def test_memory_comes_back() -> None:
    trees("paper", 50, 8)
    gc.collect()
    tracemalloc.start()
    base = tracemalloc.get_traced_memory()[0]
    for seed in range(4):
        trees("paper", 200, 100 + seed)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - base
    peak = tracemalloc.get_traced_memory()[1] - base
    tracemalloc.stop()
    # The table keeps the room of its largest size; the trees themselves are gone.
    assert peak > 500_000
    assert grown < peak / 3


def test_copies_are_the_same_object_here_and_equal_elsewhere() -> None:
    tree = parse("sin(a*x)+b=c")
    assert copy.copy(tree) is tree
    assert copy.deepcopy(tree) is tree
    assert pickle.loads(pickle.dumps(tree)) is tree
    script = (
        "import pickle, sys\n"
        "from codequake.formula import parse\n"
        "tree = pickle.load(sys.stdin.buffer)\n"
        "print(tree is parse('sin(a*x)+b=c'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=pickle.dumps(tree),
        capture_output=True,
        check=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"]},
    )
    assert done.stdout.strip() == b"True"


def test_the_deepest_tree_is_pickled() -> None:
    tree = parse("(" * (MAX_DEPTH - 1) + "a" + ")" * (MAX_DEPTH - 1))
    assert pickle.loads(pickle.dumps(tree)) is tree
    with pytest.raises(FormulaError, match="deeper than"):
        Node(Op.NEGATE, (tree,))


def test_a_node_cannot_be_changed() -> None:
    tree = parse("a+b")
    with pytest.raises(AttributeError, match="'op'"):
        tree.op = Op.SUBTRACT
    with pytest.raises(AttributeError, match="'kids'"):
        del tree.kids
    assert repr(tree) == "ADD(COEFFICIENT('a'), COEFFICIENT('b'))"


def test_threads_agree_on_what_is_one_object() -> None:
    texts = [format_formula(tree) for tree in trees("paper", 60, 9)]
    found: list[list[Node]] = [[] for _ in range(4)]
    start = threading.Barrier(4)

    def read(place: int) -> None:
        start.wait()
        for _ in range(5):
            # Made and dropped again, so that entries die while others look them up.
            found[place] = [parse(text) for text in texts]

    previous = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=read, args=(place,)) for place in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(previous)
    for others in found[1:]:
        assert all(one is two for one, two in zip(found[0], others, strict=True))


def test_what_may_be_replaced() -> None:
    derivative = parse("y'(x)+y(x)").kids[0]
    assert list(open_kids(derivative)) == []
    total = parse("sum(i=1..3,i^2)")
    assert list(open_kids(total)) == [1, 2, 3]
    assert list(open_kids(parse("log_2(x)"))) == [1]
    assert list(open_kids(parse("a+b"))) == [0, 1]
    assert is_expression(total)
    assert is_expression(parse("(a)"))
    assert not is_expression(parse("a=b"))
    assert not is_expression(parse("a<b"))


def test_every_kind_of_node_says_what_it_holds() -> None:
    text = inspect.getsource(nodes)
    for op in Op:
        after = text.split(f'    {op.name} = "{op.value}"\n')[1]
        assert after.lstrip().startswith('"""'), f"{op.name} has no description"
    assert Op.CHAIN not in CONTRACT_OPS
    assert {Op.BOOLEAN, Op.QUANTIFIER, Op.MODULO} <= CONTRACT_OPS
    assert "abs" in UNARY_FUNCTIONS


def test_random_trees_have_every_kind_of_node() -> None:
    seen = {
        node.op
        for kind in ("paper", "extended", "contract")
        for tree in trees(kind, 400, 3)
        for node in walk(tree)
    }
    assert seen == set(Op)
