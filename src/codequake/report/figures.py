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
    import vl_convert  # noqa: PLC0415 - optional, and only figures need it

    svg = vl_convert.vegalite_to_svg(_styled(chart).to_dict())
    return str(svg)


def _styled(chart: Any) -> Any:
    return (
        chart.configure(background="transparent", font="sans-serif")
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
        x=alt.X(
            "low:Q", title="Pass@1, all tests (95 % interval over problems)", scale=scale, axis=axis
        ),
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
    alt = _altair()

    names = ("original formula", "mutated formula", "reduced again")
    points: list[dict[str, Any] | None] = []
    for row in view.rows:
        if row.group and row.family in ("formula", "reduced"):
            step = row.group.removeprefix("distance=")
            series = names[1] if row.family == "formula" else names[2]
            points.append(_point(step, series, row.passed))
    values = [point for point in points if point is not None]
    if not values:
        return None
    first = next((row for row in view.rows if row.family == "formula"), None)
    start = _point("0", names[0], None if first is None else first.clean)
    values = [*([start] if start else []), *values]
    order = sorted({point["label"] for point in values}, key=lambda text: (len(text), text))
    shared = {
        "x": alt.X(
            "label:N",
            sort=order,
            title="Mutations of the formula (0: as written)",
            axis=alt.Axis(labelAngle=0, grid=False),
        ),
        "color": alt.Color(
            "series:N", scale=alt.Scale(domain=list(names), range=[GREY, ORANGE, BLUE])
        ),
    }
    base = alt.Chart(alt.Data(values=values)).encode(**shared)
    scale, axis = alt.Scale(domain=[0, 1]), alt.Axis(format="%", tickCount=5)
    offset = alt.XOffset("series:N", sort=list(names))
    rules = base.mark_rule(strokeWidth=2).encode(
        y=alt.Y("low:Q", title="Pass@1, all tests", scale=scale, axis=axis),
        y2="high:Q",
        xOffset=offset,
    )
    lines = base.mark_line(strokeWidth=2, opacity=0.8).encode(
        y=alt.Y("value:Q", scale=scale, axis=axis),
        xOffset=offset,
        strokeDash=alt.StrokeDash(
            "series:N",
            scale=alt.Scale(domain=list(names), range=[[1, 0], [1, 0], [6, 4]]),
            legend=None,
        ),
    )
    marks = base.mark_point(filled=True, size=90, opacity=1).encode(
        y=alt.Y("value:Q", scale=scale, axis=axis),
        xOffset=offset,
        shape=alt.Shape(
            "series:N", scale=alt.Scale(domain=list(names), range=["diamond", "circle", "square"])
        ),
    )
    return (rules + lines + marks).properties(width=_WIDTH, height=250)


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
