"""Verdicts: what a judge is asked about an item, and the table of what it answered.

Shared by the sections that judge: each says which items it needs.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from judgeworthy import judgments, parameters, project, prompts
from judgeworthy.errors import MissingRepliesError, ParameterError
from judgeworthy.judgments import Item
from judgeworthy.models.record import Record, last_complete
from judgeworthy.models.request import Reply, Request
from judgeworthy.parsing import parse_verdict
from judgeworthy.study import Study

ABSENT = "(not here)"
# Of the variants that are sampled; all else has the study's temperature and seed 0.
SEEDS = {"sampled-1": 1, "sampled-2": 2}
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
    paraphrased = item.variant == "paraphrase"
    messages = prompts.messages(
        prompts.PARAPHRASE if paraphrased else prompts.JUDGE[item.condition],
        question=item.question.text,
        reference=item.reference or item.question.references[0],
        response=item.response,
    )
    seed = SEEDS.get(item.variant, 0)
    sampled = study.sensitivity.temperature if seed and study.sensitivity else study.temperature
    return Request(
        model=judge,
        messages=messages,
        temperature=sampled,
        max_tokens=study.max_tokens,
        seed=seed,
        schema=SCHEMA,
    )


def requests(items: Sequence[Item], study: Study) -> dict[str, dict[str, Request]]:
    """Return what each judge is asked, by the place of each item."""
    return {
        judge: {item.place: request(item, judge, study) for item in items} for judge in study.judges
    }


def invalid(_: Request, reply: Reply) -> bool:
    """Return whether no verdict can be read from a reply."""
    return parse_verdict(reply.text, reply.finish_reason).verdict == "INVALID"


def replay(
    study: Study, items: Sequence[Item], record: Record, columns: Sequence[str]
) -> pd.DataFrame:
    """Read the recorded replies of all judges into a table of judgments with these columns.

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
                absent.append((judge, item.place))
            else:
                rows.append(judgments.row(item, judge, asked, reply))
    if absent:
        raise MissingRepliesError(missing(study, absent, record.folder))
    judgments.number(rows)
    return judgments.table(rows, columns)


def of_judge(table: pd.DataFrame, judge: str, study: Study) -> pd.DataFrame:
    """Return a judge's judgments.

    Raises
    ------
    ParameterError
        If the study has no such judge.
    """
    if judge not in study.judges:
        hint = parameters.nearest(judge, list(study.judges))
        raise ParameterError(f"Study '{study.name}' has no judge '{judge}'. {hint}")
    return table[table["judge"] == judge]


def read_items(table: pd.DataFrame, items: Sequence[Item], record: Record) -> pd.DataFrame:
    """Put beside each judgment what was shown and what was answered.

    Returns
    -------
    DataFrame
        Question, response, extracted answer, explanation and verdict, one row a judgment.
    """
    shown = {
        (item.question.id, item.condition, item.variant, item.generator): item for item in items
    }
    replies = {judge: record.read(judge) for judge in table["judge"].unique()}
    rows = []
    for judgment in table.to_dict("records"):
        item = shown.get(
            (
                judgment["question_id"],
                judgment["condition"],
                judgment.get("variant", ""),
                judgment.get("generator", ""),
            )
        )
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


def missing(study: Study, absent: Sequence[tuple[str, str]], folder: Path) -> str:
    """Say which replies are not recorded, as (model, place), and how to record them."""
    where = os.path.relpath(folder, project.root())
    counts = pd.Series([model for model, _ in absent]).value_counts()
    total = ", ".join(f"{model}: {count}" for model, count in counts.items())
    shown = [f"  {model}  {place}" for model, place in absent[:50]]
    more = [f"  … and {len(absent) - 50} more"] if len(absent) > 50 else []
    return "\n".join(
        [
            f"Study '{study.name}': {len(absent)} replies are not recorded in {where} ({total}):",
            *shown,
            *more,
            f"Record them with: make record STUDY={study.name}",
        ]
    )
