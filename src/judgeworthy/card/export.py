"""A card as Markdown, HTML or JSON, to be put beside an evaluation report."""

import io
import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd

from judgeworthy.card import published, reading, sizes
from judgeworthy.card.collected import Card
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.layouts import judge_card as layouts
from judgeworthy.plots import judge_card as plots
from judgeworthy.tables import readable

# Numbers of questions of the curve on a card.
CURVE = (30, 50, 100, 200, 450, 1000)
_CURVE = "Share of simulated studies with each decision, by number of questions"
_STYLE = "body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"


def content(card: Card, thresholds: Thresholds) -> dict[str, Any]:
    """Return everything that a card says, as plain data.

    Returns
    -------
    dict
        Missing numbers are None.
    """
    row = published.decisions([card], thresholds).iloc[0]
    frame = published.measures([card]).drop(columns=["study", "judge"])
    measures = frame.astype(object).where(frame.notna(), None).to_dict("records")
    more = None if pd.isna(row["more_questions"]) else int(row["more_questions"])
    return {
        "study": card.study.name,
        "title": card.study.title,
        "language": card.study.language,
        "judge": card.judge,
        "decision": str(card.decision.verdict),
        "decided_by": card.decision.decided_by.criterion.name,
        "without_reference": str(card.decision.without),
        "with_reference": str(card.decision.with_reference),
        "more_questions": more,
        "sentence": reading.sentence(card, more),
        "rule": reading.rule(thresholds),
        "confidence": card.study.confidence,
        "thresholds": thresholds.model_dump(),
        "measures": measures,
        "curve": sizes.curve(card, thresholds, CURVE).to_dict("records"),
    }


def as_json(cards: Sequence[Card], thresholds: Thresholds) -> str:
    """Return cards as a JSON list, one object a judge."""
    said = [content(card, thresholds) for card in cards]
    return json.dumps(said, ensure_ascii=False, indent=1)


def markdown(cards: Sequence[Card], thresholds: Thresholds) -> str:
    """Return cards as Markdown."""
    return "\n\n".join(_markdown(card, content(card, thresholds)) for card in cards)


def html(cards: Sequence[Card], thresholds: Thresholds) -> str:
    """Return cards as one HTML page that needs no other file."""
    parts = "\n".join(_html(card, content(card, thresholds)) for card in cards)
    title = escape(f"Judge card: {cards[0].study.title}")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body>\n{parts}\n</body></html>"
    )


FORMATS: Mapping[str, Callable[[Sequence[Card], Thresholds], str]] = {
    "markdown": markdown,
    "html": html,
    "json": as_json,
}


def _measures(card: Card) -> pd.DataFrame:
    return layouts.measures(published.measures([card]), reading.labels())


def _markdown(card: Card, said: Mapping[str, Any]) -> str:
    curve = pd.DataFrame(said["curve"]).rename(columns={"n": "questions"})
    return "\n\n".join(
        [
            f"### Judge card: {said['judge']} on {said['title']}",
            f"{said['sentence']} {_level(said)}",
            _table(_measures(card)),
            f"{_CURVE}, from what was found here:",
            _table(curve),
            said["rule"],
        ]
    )


def _level(said: Mapping[str, Any]) -> str:
    return f"Intervals are at {said['confidence']:.0%}."


def _table(frame: pd.DataFrame) -> str:
    """Return a table as Markdown."""
    shown = [list(frame.columns), ["---"] * len(frame.columns), *frame.to_numpy().tolist()]
    return "\n".join("| " + " | ".join(map(_cell, row)) + " |" for row in shown)


def _cell(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|")


def _html(card: Card, said: Mapping[str, Any]) -> str:
    return "\n".join(
        [
            f"<h1>Judge card: {escape(said['judge'])} on {escape(said['title'])}</h1>",
            f"<p>{_marked(said['sentence'])} {_level(said)}</p>",
            str(readable(_measures(card)).data),
            _picture(said),
            f"<p>{_marked(said['rule'])}</p>",
        ]
    )


def _picture(said: Mapping[str, Any]) -> str:
    figure = plots.decisions(pd.DataFrame(said["curve"]), _CURVE)
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Title": _CURVE})
    svg = buffer.getvalue()
    return svg[svg.index("<svg") :]


def _marked(text: str) -> str:
    """Return a sentence of Markdown with its marks as HTML."""
    text = escape(text, quote=False)
    for mark, tag in (("**", "b"), ("*", "i"), ("`", "code")):
        parts = enumerate(text.split(mark))
        text = "".join(f"<{tag}>{part}</{tag}>" if odd % 2 else part for odd, part in parts)
    return text
