"""The report as one HTML file that opens from disk, loads nothing, and runs nothing of others."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import jinja2
from markupsafe import Markup

from codequake.metrics import METRICS, count_shared_replies
from codequake.report import numbers
from codequake.report.figures import HOW_TO_GET_FIGURES, Figure, can_draw, draw_figures
from codequake.report.limits import limits_of
from codequake.report.origins import origin_rows
from codequake.report.pairs import problem_views
from codequake.report.safe import visible_text
from codequake.report.tables import StudyTables
from codequake.report.views import ENDINGS, headline, model_views

__all__ = ["html_report"]


def html_report(tables: StudyTables) -> str:
    """Return the page.

    Every text is escaped and made visible on its way in; the content policy allows only the style
    and the script whose hashes it names, and no request at all.  Without the renderer of charts
    the page says so and how to get it.
    """
    environment = _environment()
    style = _source(environment, "report.css")
    script = _source(environment, "report.js")
    views = model_views(tables)
    drawable = can_draw()
    figures: dict[str, dict[str, Figure]] = {
        view.name: draw_figures(view) if drawable else {} for view in views
    }
    used = {item.metric for item in tables.estimates}
    problems = problem_views(tables)
    pairs = [pair for problem in problems for pair in problem.pairs]
    return environment.get_template("report.html").render(
        tables=tables,
        views=views,
        figures=figures,
        no_figures=None if drawable else HOW_TO_GET_FIGURES,
        limits=limits_of(tables, views),
        problems=problems,
        origins=origin_rows(tables.problems),
        pair_families=sorted({(pair.family, pair.family.replace("_", " ")) for pair in pairs}),
        pair_models=sorted({pair.model for pair in pairs}),
        flipped=sum(pair.change in ("down", "up") for pair in pairs),
        glossary=[METRICS[name] for name in METRICS if name in used],
        endings=[name for name, _ in ENDINGS],
        shared=count_shared_replies(tables.completions),
        models=sorted(tables.models, key=lambda item: item.name),
        skipped=sorted(
            tables.skipped, key=lambda item: (item.problem_id, item.perturbation, item.reason)
        ),
        # Both files are our own; nothing of a study is ever put into them.
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        policy=_policy(style, script),
        level=f"{100 * max((item.level for item in tables.estimates), default=0.95):g} %",
    )


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()


def _source(environment: jinja2.Environment, name: str) -> str:
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("codequake.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "amount": numbers.amount,
        "bounds": numbers.bounds,
        "interval": numbers.interval,
        "headline": headline,
        "drawn": _drawn,
    }
    return environment


def _finalize(value: Any) -> Any:
    """Make strangers' text visible; markup that is ours passes as it is."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible_text(value)
    return value


def _drawn(figure: Figure) -> Markup:
    """Mark a chart as markup: its renderer escapes the labels, which were cleaned before."""
    return Markup(figure.svg)  # noqa: S704
