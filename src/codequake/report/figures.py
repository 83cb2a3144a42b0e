"""Charts as static SVG: no script, no network, colours and shapes that everybody can tell apart."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from typing import Any

from codequake.records import Estimate
from codequake.report.safe import one_line
from codequake.report.views import ENDINGS, ModelView

__all__ = ["HOW_TO_GET_FIGURES", "Figure", "can_draw", "draw_figures"]

HOW_TO_GET_FIGURES = (
    "The charts are not drawn, since the package vl-convert-python is not installed here; "
    'install it with: pip install "codequake[figures]". The tables hold the same numbers.'
)

# From the palette of Okabe and Ito; the page maps them to its light and dark variants.
BLUE, ORANGE, PURPLE, YELLOW, GREY = "#0072b2", "#d55e00", "#cc79a7", "#e69f00", "#8a8f98"
_INK = "#1a1d21"
_WIDTH = 430
# Series of the curve and how far each stands beside its distance.
_SERIES = {"original formula": 0.0, "mutated formula": -0.07, "reduced again": 0.07}


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart: ``name`` for links, SVG text, and what it shows in one sentence."""

    name: str
    svg: str
    label: str


def can_draw() -> bool:
    """Return whether the renderer is installed."""
    return importlib.util.find_spec("vl_convert") is not None


def draw_figures(view: ModelView) -> dict[str, Figure]:
    """Return the charts of one model by name; those without any data are left out.

    Needs the renderer: ask ``can_draw`` first.
    """
    found = {}
    for name, chart, label in (
        ("families", _families(view), "Pass@1 of clean and changed prompts by family"),
        ("distance", _distance(view), "Pass@1 by formula distance, mutated and reduced"),
        ("endings", _endings(view), "How replies ended, by family"),
    ):
        if chart is not None:
            found[name] = Figure(name, _svg(chart), f"{label}, {one_line(view.name)}")
    return found


def _altair() -> Any:
    """Return the library of charts; it is heavy, and its types reject what it documents."""
    return importlib.import_module("altair")


def _svg(chart: Any) -> str:
    import vl_convert

    svg = vl_convert.vegalite_to_svg(_styled(chart).to_dict())
    return str(svg)


def _styled(chart: Any) -> Any:
    return (
        # The reader's font may be a quarter wider than the one that the places were computed with.
        chart.properties(padding={"left": 45, "top": 5, "right": 25, "bottom": 5})
        .configure(background="transparent", font="sans-serif")
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=13,
            titleFontSize=13,
            titleFontWeight="normal",
            labelColor=_INK,
            titleColor=_INK,
            gridColor="#dddddd",
            domainColor=GREY,
            tickColor=GREY,
            labelLimit=220,
        )
        .configure_legend(
            labelFontSize=13,
            labelColor=_INK,
            titleColor=_INK,
            orient="top",
            title=None,
            labelLimit=260,
            columns=3,
            columnPadding=60,
            symbolSize=90,
        )
    )


def _point(label: str, series: str, estimate: Estimate | None) -> dict[str, Any] | None:
    if estimate is None or (estimate.value is None and estimate.bound_low is None):
        return None
    return {
        "label": label,
        "series": series,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
    }


def _families(view: ModelView) -> Any | None:
    alt = _altair()

    clean, changed = "clean prompt, same problems", "changed prompt"
    points = []
    for row in view.rows:
        name = one_line(row.label, limit=40)
        points += [
            _point(name, clean, row.passed if row.family == "clean" else row.clean),
            None if row.family == "clean" else _point(name, changed, row.passed),
        ]
    values = [point for point in points if point is not None]
    if not values:
        return None
    order = list(dict.fromkeys(point["label"] for point in values))
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("label:N", sort=order, title=None, axis=alt.Axis(grid=False)),
        yOffset=alt.YOffset("series:N", sort=[clean, changed]),
        color=alt.Color("series:N", scale=alt.Scale(domain=[clean, changed], range=[GREY, BLUE])),
    )
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="%", tickCount=5)
    rules = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title="Pass@1, hidden tests", scale=scale, axis=axis),
        x2="high:Q",
    )
    marks = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=alt.X("value:Q", scale=scale, axis=axis),
        shape=alt.Shape(
            "series:N", scale=alt.Scale(domain=[clean, changed], range=["diamond", "circle"])
        ),
    )
    return (rules + marks).properties(width=_WIDTH, height=alt.Step(19))


def _distance(view: ModelView) -> Any | None:
    points = _distance_points(view)
    if not points:
        return None
    alt = _altair()
    names = list(_SERIES)
    ticks = sorted({point["distance"] for point in points})
    domain = alt.Scale(domain=names, range=[GREY, ORANGE, BLUE])
    share = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="%", tickCount=5)
    x = alt.X(
        "place:Q",
        title="Mutations of the formula (0: as written)",
        scale=alt.Scale(domain=[-0.4, max(ticks) + 0.4], nice=False),
        axis=alt.Axis(values=ticks, format="d", grid=False),
    )
    base = alt.Chart(alt.Data(values=points)).encode(
        x=x, color=alt.Color("series:N", scale=domain, sort=names)
    )
    rules = base.mark_rule(strokeWidth=2).encode(
        y=alt.Y("low:Q", title="Pass@1, hidden tests", scale=share, axis=axis), y2="high:Q"
    )
    # The curve of the mutated formulas starts at the original; the point itself is drawn once.
    start = [
        {**point, "series": names[1], "place": 0.0}
        for point in points
        if point["series"] == names[0]
    ]
    joined = start + [point for point in points if point["series"] != names[0]]
    lines = (
        alt.Chart(alt.Data(values=joined))
        .mark_line(strokeWidth=2, opacity=0.7)
        .encode(
            x=x,
            y=alt.Y("value:Q", scale=share, axis=axis),
            color=alt.Color("series:N", scale=domain, sort=names),
            detail="series:N",
        )
    )
    marks = base.mark_point(filled=True, size=100, opacity=1).encode(
        y=alt.Y("value:Q", scale=share, axis=axis),
        shape=alt.Shape(
            "series:N",
            sort=names,
            scale=alt.Scale(domain=names, range=["diamond", "circle", "square"]),
        ),
    )
    return (lines + rules + marks).properties(width=_WIDTH, height=240)


def _distance_points(view: ModelView) -> list[dict[str, Any]]:
    """Points of the curve; series at one distance stand a little apart, so that bars show."""
    original, mutated, reduced = _SERIES
    points: list[dict[str, Any]] = []
    for row in view.rows:
        text = row.group.removeprefix("distance=")
        if not text.isdecimal() or row.family not in ("formula", "reduced"):
            continue
        series = mutated if row.family == "formula" else reduced
        if not points:
            points.append(_placed(0, original, row.clean))
        points.append(_placed(int(text), series, row.passed))
    return [point for point in points if point]


def _placed(distance: int, series: str, estimate: Estimate | None) -> dict[str, Any]:
    point = _point("", series, estimate)
    if point is None:
        return {}
    return {**point, "distance": distance, "place": distance + _SERIES[series]}


def _endings(view: ModelView) -> Any | None:
    alt = _altair()

    colours = dict(
        zip((name for name, _ in ENDINGS), (BLUE, ORANGE, PURPLE, YELLOW, GREY), strict=True)
    )
    values: list[dict[str, Any]] = [
        {
            "label": one_line(row.label, limit=40),
            "ending": name,
            "share": row.ending(name) / row.total,
            "order": place,
        }
        for row in view.statuses
        if row.total
        for place, name in enumerate(colours)
        if row.ending(name)
    ]
    if not values:
        return None
    order = list(dict.fromkeys(value["label"] for value in values))
    seen = [name for name in colours if any(value["ending"] == name for value in values)]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_bar(size=15, stroke="#ffffff", strokeWidth=1)
        .encode(
            y=alt.Y("label:N", sort=order, title=None),
            x=alt.X(
                "share:Q",
                title="Share of replies",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%", tickCount=5),
            ),
            color=alt.Color(
                "ending:N",
                sort=seen,
                scale=alt.Scale(domain=seen, range=[colours[name] for name in seen]),
            ),
            order="order:Q",
        )
        .properties(width=_WIDTH, height=alt.Step(24))
    )
