"""Verdicts: what a judge is asked about an item, and the table of what it answered.

Shared by the sections that judge: each says which items it needs.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from judgeworthy import judgments, project, prompts
from judgeworthy.errors import MissingRepliesError
from judgeworthy.judgments import Item
from judgeworthy.models.record import Record, last_complete
from judgeworthy.models.request import Reply, Request
from judgeworthy.parsing import parse_verdict
from judgeworthy.study import Study

ABSENT = "(not here)"
# Bounds on the lengths keep a judge that repeats itself within the study's token limit.
SCHEMA = {
    "type": "object",
    "properties": {
        "extracted_answer": {"type": "string", "maxLength": 120},
        "explanation": {"type": "string", "maxLength": 200},
        "verdict": {"type": "string", "enum": ["CORRECT", "INCORRECT"]},
    },
    "required": ["extracted_answer", "explanation", "verdict"],
    "additionalProperties": False,
}


def request(item: Item, judge: str, study: Study) -> Request:
    """Return what the judge is asked about an item."""
    messages = prompts.messages(
        prompts.JUDGE[item.condition],
        question=item.question.text,
        reference=item.question.references[0],
        response=item.response,
    )
    return Request(
        model=judge,
        messages=messages,
        temperature=study.temperature,
        max_tokens=study.max_tokens,
        seed=0,
        schema=SCHEMA,
    )


def invalid(reply: Reply) -> bool:
    """Return whether no verdict can be read from a reply."""
    return parse_verdict(reply.text, reply.finish_reason).verdict == "INVALID"


def replay(study: Study, items: Sequence[Item], record: Record) -> pd.DataFrame:
    """Read the recorded replies of all judges into a table of judgments.

    Returns
    -------
    DataFrame
        One row a judge and item, judges in the study's order.

    Raises
    ------
    MissingRepliesError
        If a request has no recorded reply; the message names them and the command to record them.
    """
    rows, absent = [], []
    for judge in study.judges:
        replies = record.read(judge)
        for item in items:
            asked, reply = last_complete(request(item, judge, study), replies)
            if reply is None:
                absent.append((judge, item))
            else:
                rows.append(judgments.row(item, judge, asked, reply))
    if absent:
        raise MissingRepliesError(_missing(study, absent, record.folder))
    return judgments.table(rows)


def read_items(table: pd.DataFrame, items: Sequence[Item], record: Record) -> pd.DataFrame:
    """Put beside each judgment what was shown and what was answered.

    Returns
    -------
    DataFrame
        Question, response, extracted answer, explanation and verdict, one row a judgment.
    """
    shown = {(item.question.id, item.condition): item for item in items}
    replies = {judge: record.read(judge) for judge in table["judge"].unique()}
    rows = []
    for judgment in table.to_dict("records"):
        item = shown.get((judgment["question_id"], judgment["condition"]))
        reply = replies[judgment["judge"]].get(judgment["request_id"])
        parsed = parse_verdict(reply.text, reply.finish_reason) if reply else None
        rows.append(
            {
                "question": item.question.text if item else ABSENT,
                "response": item.response if item else ABSENT,
                "extracted answer": parsed.extracted_answer if parsed else ABSENT,
                "explanation": parsed.explanation if parsed else ABSENT,
                "verdict": judgment["verdict"],
            }
        )
    return pd.DataFrame(rows)


def _missing(study: Study, absent: Sequence[tuple[str, Item]], folder: Path) -> str:
    place = os.path.relpath(folder, project.root())
    counts = pd.Series([judge for judge, _ in absent]).value_counts()
    total = ", ".join(f"{judge}: {count}" for judge, count in counts.items())
    shown = [f"  {judge}  {item.condition}  {item.question.id}" for judge, item in absent[:50]]
    more = [f"  … and {len(absent) - 50} more"] if len(absent) > 50 else []
    return "\n".join(
        [
            f"Study '{study.name}': {len(absent)} replies are not recorded in {place} ({total}):",
            *shown,
            *more,
            f"Record them with: make record STUDY={study.name}",
        ]
    )
