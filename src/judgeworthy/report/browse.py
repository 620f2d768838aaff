"""The judgments, one JavaScript file a study: which judge said what of which response, and why."""

import json
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import pandas as pd

from judgeworthy import datasets, judgments
from judgeworthy.judgments import Item
from judgeworthy.models.record import Record
from judgeworthy.models.request import Reply
from judgeworthy.parsing import parse_verdict
from judgeworthy.report.found import Files
from judgeworthy.sections import calibration, harder, kept
from judgeworthy.sections.sensitivity import asked
from judgeworthy.study import Study

Row = Mapping[Hashable, Any]
_SCHEMAS = {
    "calibration": judgments.CALIBRATION,
    "harder": judgments.HARDER,
    "sensitivity": judgments.SENSITIVITY,
    "human_agreement": judgments.HUMAN_AGREEMENT,
}
# Of answers that no model gave: what is judged under which condition, or variant.
_ANSWERS = {"C1": "right", "C2": "wrong"}
_PLANTED = {"calibration": calibration.items, "harder": harder.items}
_Shown = dict[tuple[str, str, str, str], Item]
_Texts = tuple[str, str, str, str]


def tables(files: Files) -> dict[str, pd.DataFrame]:
    """Return a study's tables of judgments.

    Where people labelled responses that were judged before, the same judgments stand in two
    tables; they are taken from the first.
    """
    found = {
        section: judgments.read(files.paths[f"{section}_judgments.csv"], columns)
        for section, columns in _SCHEMAS.items()
        if f"{section}_judgments.csv" in files.paths
    }
    if "sensitivity" in found:
        found.pop("human_agreement", None)
    return {section: table for section, table in found.items() if len(table)}


def script(study: Study, files: Files) -> str:
    """Return a study's judgments as a script, which a page from disk may load."""
    data = json.dumps(content(study, files), ensure_ascii=False, separators=(",", ":"))
    return f"judged({json.dumps(study.name)}, {data});\n"


def content(study: Study, files: Files) -> dict[str, Any]:
    """Return a study's judgments, gathered by response and judge.

    Returns
    -------
    dict
        ``questions`` holds id, answer type, text and references; ``items`` one entry a judge and
        response: question, generator, what kind of answer, judge, text of the response, whether
        people accept it, and its judgments; a judgment is condition, verdict, reason, extracted
        answer, explanation and, where it is not the question's own, the reference that was shown.
        Texts stand in ``texts`` and are named by their place; without text of ours they are empty.
    """
    items, texts = _gathered(study, files)
    return {
        "title": study.title,
        "language": study.language,
        "text": study.own_text,
        "source": kept.source(study),
        "questions": _questions(study),
        "texts": texts,
        "items": items,
    }


def _gathered(study: Study, files: Files) -> tuple[list[list[Any]], list[str]]:
    """Return the judgments by response and judge, and the texts that they name."""
    texts: dict[str, int] = {}
    items: dict[tuple[str, ...], list[Any]] = {}
    for row, (response, *said) in _rows(study, files):
        key = (row["question_id"], row.get("generator", ""), _answer(row), row["judge"])
        place = texts.setdefault(response, len(texts))
        *_, judgments_of_it = items.setdefault(key, [*key, place, _human(row), []])
        label = f"{row['condition']} {row.get('variant', '')}".strip()
        places = [texts.setdefault(text, len(texts)) for text in said]
        judgments_of_it.append([label, row["verdict"], row["reason"], *places])
    return list(items.values()), list(texts)


def _questions(study: Study) -> dict[str, list[Any]]:
    if not study.own_text:
        return {}
    return {
        question.id: [question.answer_type, question.text, list(question.references)]
        for question in datasets.questions(study)
    }


def _rows(study: Study, files: Files) -> Iterator[tuple[Row, _Texts]]:
    """Yield the judgments, each with its texts."""
    record = Record.of(study.name)
    for section, table in tables(files).items():
        shown = _shown(study, section, record) if study.own_text else {}
        for judge, mine in table.groupby("judge", sort=False):
            replies = record.read(str(judge)) if study.own_text else {}
            for row in mine.to_dict("records"):
                yield row, _texts(shown.get(_place(row)), replies.get(row["request_id"]))


def _texts(item: Item | None, reply: Reply | None) -> _Texts:
    """Return the response, what was answered, and the reference in place of the question's own."""
    parsed = parse_verdict(reply.text, reply.finish_reason) if reply else None
    return (
        item.response if item else "",
        (parsed.extracted_answer if parsed else None) or "",
        (parsed.explanation if parsed else None) or "",
        item.reference if item else "",
    )


def _shown(study: Study, section: str, record: Record) -> _Shown:
    """Return what the judges of a section saw, by what a judgment says of it."""
    items = _PLANTED[section](study) if section in _PLANTED else asked.items(study, record)
    return {(one.question.id, one.condition, one.variant, one.generator): one for one in items}


def _place(row: Row) -> tuple[str, str, str, str]:
    return row["question_id"], row["condition"], row.get("variant", ""), row.get("generator", "")


def _answer(row: Row) -> str:
    """Return what kind of answer was judged, where no model gave it."""
    if row.get("generator"):
        return ""
    return row.get("variant") or _ANSWERS.get(row["condition"], "")


def _human(row: Row) -> bool | None:
    human = row.get("human")
    return None if human is None or pd.isna(human) else bool(human)
