"""Traps that formula engines fall into, one test each."""

from __future__ import annotations

import pytest

from codequake.formula import (
    Verdict,
    distance,
    equivalent,
    evaluate,
    format_formula,
    neighbours,
    parse,
    parse_assumption,
    reduce_formula,
    size_of,
    to_c,
)


def reached(text: str, rule: str, constant: str | None = None) -> set[str]:
    return {
        format_formula(move.result)
        for move in neighbours(parse(text))
        if move.rule.id == rule
        and (None if move.constant is None else format_formula(move.constant)) == constant
    }


def same(first: str, second: str, *given: str) -> Verdict:
    assumptions = tuple(parse_assumption(text) for text in given)
    return equivalent(parse(first), parse(second), assumptions).verdict


def test_division_groups_to_the_left() -> None:
    assert "a/b/c*2/2" in reached("a/b/c", "multiply_and_divide", "2")
    assert format_formula(parse("2/(a/b/c)")) == "2/(a/b/c)"
    assert same("a/b/c", "a/(b/c)") is Verdict.DIFFERENT
    assert same("a/b/c", "a/(b*c)") is Verdict.EQUIVALENT


def test_minus_of_a_power() -> None:
    assert format_formula(parse("c-(-x^2)")) == "c-(-x^2)"
    assert same("-x^2", "(-x)^2") is Verdict.DIFFERENT
    assert same("-x^2", "-(x*x)") is Verdict.EQUIVALENT


def test_negative_exponents() -> None:
    assert evaluate(parse("2^-3"), {}) == 0.125
    assert to_c(parse("2^-3")) == "pow(2.0, (-3.0))"


def test_differences_do_not_commute() -> None:
    assert reached("a-b-c", "minus_as_plus") == {"a-b+(-1)*c", "a+(-1)*b-c"}
    assert reached("a-b-c", "commute_sum") == set()
    assert same("a-(b-c)", "a-b-c") is Verdict.DIFFERENT


def test_redundant_brackets_are_kept_and_counted() -> None:
    assert size_of(parse("(a)")) == 3
    assert reached("(a+b)*(c)", "commute_product") == {"(c)*(a+b)"}


def test_an_equation_that_always_holds() -> None:
    assert reached("x=x", "swap_sides") == set()
    assert same("x=x", "0=0") is Verdict.EQUIVALENT
    assert same("x=x", "x=0") is Verdict.DIFFERENT


def test_powers_group_to_the_right() -> None:
    assert format_formula(parse("a^b^c")) == "a^b^c"
    assert "a^b^c*1" in reached("a^b^c", "times_one")
    assert "a^b^(c*1)" in reached("a^b^c", "times_one")
    assert same("a^b^c", "(a^b)^c") is Verdict.DIFFERENT


def test_bases_of_powers_are_bracketed() -> None:
    assert "(x+0)^2" in reached("x^2", "add_zero")
    assert format_formula(parse("(-2)^2")) == "(-2)^2"
    assert evaluate(parse("-2^2"), {}) == -4


def test_a_minus_inside_a_product() -> None:
    assert format_formula(parse("a--3")) == "a-(-3)"
    assert reached("a*(-b)", "commute_product") == {"-b*a"}
    assert parse("-b*a") != parse("-(b*a)")


def test_both_sides_are_divided_as_a_whole() -> None:
    assert "(a*x+b)/a=0/a" in reached("a*x+b=0", "both_divide", "a")


def test_a_factor_that_may_be_zero_is_an_assumption() -> None:
    assert same("a*x+b=0", "(a*x+b)*a=0*a") is Verdict.DIFFERENT
    assert same("a*x+b=0", "(a*x+b)*a=0*a", "a != 0") is Verdict.EQUIVALENT
    assert all(
        move.constant is None or format_formula(move.constant) != "0"
        for move in neighbours(parse("x+0=0"))
    )


def test_multiplying_by_a_variable_adds_a_root() -> None:
    assert same("a*x+b=0", "(a*x+b)*x=0*x") is Verdict.DIFFERENT
    assert "x" not in {
        format_formula(move.constant) for move in neighbours(parse("a*x=b")) if move.constant
    }


def test_literals_are_doubles_in_c() -> None:
    assert to_c(parse("1/2*9.8*x")) == "(((1.0 / 2.0) * 9.8) * x)"


def test_logarithms_do_not_split_for_free() -> None:
    assert same("ln(x)*a=b", "ln(x)*a*b/b=b", "b != 0") is Verdict.EQUIVALENT
    assert same("ln(x^2)", "2*ln(x)") is not Verdict.EQUIVALENT
    assert same("ln(a*b)", "ln(a)+ln(b)") is not Verdict.EQUIVALENT


@pytest.mark.parametrize("text", ["x/x", "x^0", "(x^2)^0.5", "x-x", "x*y/x"])
def test_no_variable_is_cancelled(text: str) -> None:
    assert reduce_formula(parse(text)).steps == ()


def test_e_is_a_coefficient() -> None:
    assert evaluate(parse("e^x"), {"e": 3.0, "x": 2.0}) == 9.0
    assert to_c(parse("e*2")) == "(e * 2.0)"


def test_log_has_base_ten() -> None:
    assert evaluate(parse("log(100)"), {}) == pytest.approx(2.0)
    assert to_c(parse("log(x)")) == "log10(x)"
    assert same("log(x)", "ln(x)") is Verdict.DIFFERENT


def test_an_undefined_value_is_no_agreement() -> None:
    assert same("0/(a-a)", "1/(a-a)") is Verdict.UNKNOWN
    assert same("1/(a-a)+b", "b") is Verdict.UNKNOWN


def test_decimals_are_exact() -> None:
    assert same("0.1+0.2=0.3", "0=0") is Verdict.EQUIVALENT
    assert same("0.1+0.2", "0.3") is Verdict.EQUIVALENT
    assert same("0.1+0.2", "0.30000000000000004") is Verdict.DIFFERENT


def test_nothing_is_simplified_while_reading() -> None:
    for text in ("a*x+0", "x/x", "3*x-1", "1*1", "b-a"):
        assert format_formula(parse(text)) == text


def test_adding_and_subtracting_the_same_is_two_steps() -> None:
    start = parse("a*x=b")
    assert distance(start, parse("a*x+a-a=b+a-a"), 3).value == 2
    assert distance(start, start, 3).value == 0


def test_equal_operands_do_not_commute() -> None:
    for text in ("a+a", "x*x", "1*1", "0+0"):
        assert not reached(text, "commute_sum") | reached(text, "commute_product")


def test_minus_one_is_no_endless_loop() -> None:
    assert format_formula(reduce_formula(parse("(-1)*(-1)*(-1)*a")).formula) == "-a"
    assert format_formula(reduce_formula(parse("-1")).formula) == "-1"


def test_unrolling_a_power_keeps_its_minus() -> None:
    assert reached("-x^2", "unroll_power_2") == {"-(x*x)"}
    assert reached("(-x)^2", "unroll_power_2") == {"-x*(-x)"}
    assert same("-(x*x)", "-x*(-x)") is Verdict.DIFFERENT
    assert reached("2^-3", "unroll_power_3") == set()


def test_a_power_of_a_power_is_another_place() -> None:
    assert reached("a^b^c", "power_one") == {
        "(a^b^c)^1",
        "(a^1)^b^c",
        "a^(b^c)^1",
        "a^(b^1)^c",
        "a^b^c^1",
    }


def test_moving_a_term_back_is_no_step() -> None:
    start = parse("x=b+c")
    assert reached("x=b+c", "move_added_left") == {"x-c=b"}
    assert reached("x-c=b", "move_subtracted_right") == {"x=b+c"}
    assert distance(start, parse("x-c=b"), 3).value == 1
    assert distance(start, start, 3).value == 0


def test_swapping_twice_is_no_step() -> None:
    start = parse("a*x+b=0")
    naive = neighbours(parse("0=a*x+b"))
    assert start in {move.result for move in naive if move.rule.id == "swap_sides"}
    assert distance(start, start, 4).value == 0


def test_an_inequality_turns_round() -> None:
    assert reached("a*x<b", "swap_sides") == {"b>a*x"}
    assert reached("a*x<=b", "negate_sides") == {"-(a*x)>=-b"}
    assert reached("a*x<b", "both_multiply", "a") == set()
    assert reached("a*x<b", "both_multiply", "2") == {"a*x*2<b*2"}
    assert reached("a*x!=b", "swap_sides") == {"b!=a*x"}


def test_a_variable_is_captured_by_no_other() -> None:
    moves = neighbours(parse("y'(x)=a*y(x)"), free=("x", "y", "z"))
    names = {format_formula(move.result) for move in moves if move.renamed is not None}
    assert names == {"y'(z)=a*y(z)", "z'(x)=a*z(x)"}


def test_a_reduction_never_folds_numbers() -> None:
    assert format_formula(reduce_formula(parse("9.8*1/2*x+0")).formula) == "9.8/2*x"
    assert format_formula(reduce_formula(parse("2+3+x-3")).formula) == "2+x"


def test_a_common_power_of_a_coefficient_is_divided_out() -> None:
    assert format_formula(reduce_formula(parse("(a*x+c)/b^2=d/b^2")).formula) == "a*x+c=d"
    assert format_formula(reduce_formula(parse("b^3*x=c*b^2")).formula) == "b*x=c"
    assert format_formula(reduce_formula(parse("-b^2=a*x*b")).formula) == "-b=a*x"


def test_what_both_sides_share_goes_first() -> None:
    assert format_formula(reduce_formula(parse("x/2=2/2")).formula) == "x=2"
    assert format_formula(reduce_formula(parse("((x+2)/3-1)*2=((2+2)/3-1)*2")).formula) == "x=2"
