"""Random formulas: trees drawn directly, so that no parser takes part in making them."""

from __future__ import annotations

from hypothesis import strategies as st

from codequake.formula import Node, Op

LEAVES = st.one_of(
    st.sampled_from(("a", "b", "c", "d", "e")).map(lambda name: Node(Op.COEFFICIENT, (), name)),
    st.sampled_from(("x", "y", "z")).map(lambda name: Node(Op.VARIABLE, (), name)),
    st.sampled_from(("0", "1", "2", "3", "9.8", "0.5", "2.0")).map(
        lambda text: Node(Op.NUMBER, (), text)
    ),
    st.just(Node(Op.CONSTANT, (), "pi")),
)
BINARY = (Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.POWER)


def _grow(kids: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.one_of(
        st.builds(lambda op, one, two: Node(op, (one, two)), st.sampled_from(BINARY), kids, kids),
        st.builds(lambda kid: Node(Op.NEGATE, (kid,)), kids),
        st.builds(lambda kid: Node(Op.PAREN, (kid,)), kids),
        st.builds(
            lambda name, kid: Node(Op.CALL, (kid,), name),
            st.sampled_from(("sin", "ln", "log", "sqrt")),
            kids,
        ),
    )


EXPRESSIONS = st.recursive(LEAVES, _grow, max_leaves=14)
SMALL_EXPRESSIONS = st.recursive(LEAVES, _grow, max_leaves=5)
EQUATIONS = st.builds(lambda one, two: Node(Op.EQUATION, (one, two)), EXPRESSIONS, EXPRESSIONS)
FORMULAS = st.one_of(EXPRESSIONS, EQUATIONS)
SMALL_FORMULAS = st.one_of(
    SMALL_EXPRESSIONS,
    st.builds(lambda one, two: Node(Op.EQUATION, (one, two)), SMALL_EXPRESSIONS, SMALL_EXPRESSIONS),
)
