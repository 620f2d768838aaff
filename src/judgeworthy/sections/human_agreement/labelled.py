"""Judgments beside human labels: of our judges, or as others recorded them."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from judgeworthy import datasets, judgments, parameters
from judgeworthy.annotation import labels
from judgeworthy.datasets import nomiracl, openqa_eval, qa_eval
from judgeworthy.errors import ParameterError
from judgeworthy.judgments import Item
from judgeworthy.models.record import Record
from judgeworthy.models.request import Requests
from judgeworthy.parsing import ANSWERABLE, parse_phrase
from judgeworthy.sections import kept, rates, verdicts
from judgeworthy.sections.sensitivity import asked as sensitivity
from judgeworthy.study import Study

SECTION = "human_agreement"
COLUMNS = judgments.HUMAN_AGREEMENT
CONDITIONS = ("NR", "RV", "RC")
RECORDED = "recorded"


def items(study: Study) -> list[Item]:
    """Return what the judges see: every model's answer to every question, question by question."""
    answers: dict[str, list[qa_eval.Answer]] = {}
    for answer in qa_eval.read(qa_eval.location()).comparable:
        answers.setdefault(answer.question_id, []).append(answer)
    return [
        Item(question, condition, answer.text, generator=answer.model, human=answer.correct)
        for question in datasets.questions(study)
        for condition in CONDITIONS
        for answer in answers[question.id]
    ]


def stages(study: Study, _: Record) -> Iterator[Requests]:
    """Yield what the judges are to be asked: nothing where the verdicts are there already."""
    if study.dataset == "qa-eval":
        yield verdicts.requests(items(study), study)


def load(study: Study) -> pd.DataFrame:
    """Return the study's judgments with the human labels.

    Of our own questions, and of a user's, they are the sensitivity's judgments, with the labels
    that the user's file brings or that people gave with ``judgeworthy annotate``; of other data
    sets they are read as they are kept.

    Raises
    ------
    DataError
        If a file is missing or broken.
    MissingRepliesError
        If the judgments were made with other parameters or prompts.
    """
    return _annotated(study) if study.own_text else kept.load(study, SECTION, COLUMNS)


def replay(study: Study) -> pd.DataFrame:
    """Rebuild the study's judgments from recorded replies, ours or those that the data set brings.

    Raises
    ------
    DataError
        If the data set is missing or broken.
    MissingRepliesError
        If a reply is not recorded.
    """
    match study.dataset:
        case "parallel" | "tabular":
            return _annotated(study)
        case "openqa-eval":
            return _openqa_eval()
        case "nomiracl":
            return _nomiracl(study)
        case _:
            return verdicts.replay(study, items(study), Record.of(study.name), COLUMNS)


def read_items(
    table: pd.DataFrame, judge: str, accepted: bool, human: bool, n: int = 5
) -> pd.DataFrame:
    """Return the first judgments in which a judge accepts, or not, what people accept, or not.

    Raises
    ------
    ParameterError
        If there is no such judge.
    """
    judges = list(table["judge"].unique())
    if judge not in judges:
        raise ParameterError(f"There is no judge '{judge}'. {parameters.nearest(judge, judges)}")
    said = rates.accepted(table["verdict"]).eq(float(accepted))
    hits = table[table["judge"].eq(judge) & said & table["human"].eq(human).fillna(False)]
    return hits[["question_id", "generator", "condition", "verdict", *judgments.HUMAN]].head(n)


def _annotated(study: Study) -> pd.DataFrame:
    """The sensitivity's judgments, beside the labels of the file or of up to three annotators."""
    judged = sensitivity.load(study)
    judged = judged.loc[judged["variant"] == "", list(judgments.SENSITIVITY)]
    decided = _brought(study) if study.brings_labels else _given(study)
    table = judged.merge(decided, on=["question_id", "generator"], how="left")
    rows = table.reindex(columns=list(COLUMNS)).to_dict("records")
    return _table([{str(name): value for name, value in row.items()} for row in rows])


def _brought(study: Study) -> pd.DataFrame:
    rows = [(one.question_id, one.model, one.human) for one in datasets.brought(study)]
    return pd.DataFrame(rows, columns=["question_id", "generator", "human"], dtype="object")


def _given(study: Study) -> pd.DataFrame:
    given = labels.of_responses(study)
    people = labels.annotators(study)[:3]
    names = {"label": "human"} | {name: f"human_{n}" for n, name in enumerate(people, start=1)}
    decided = given[["question_id", "generator", *names]].rename(columns=names)
    for column in names.values():
        decided[column] = decided[column].map({"CORRECT": True, "INCORRECT": False})
    return decided


def _openqa_eval() -> pd.DataFrame:
    """GPT-4's verdicts with the references, beside those of three annotators."""
    rows = [
        {
            "question_id": answer.question_id,
            "cluster": answer.question_id,
            "condition": RECORDED,
            "generator": "+".join(answer.models) or answer.id,
            "judge": "gpt-4",
            "verdict": {True: "CORRECT", False: "INCORRECT", None: "INVALID"}[answer.gpt4],
            "reason": "empty" if answer.gpt4 is None else "",
            **dict(zip(judgments.HUMAN, (answer.human, *answer.annotators), strict=True)),
        }
        for answer in openqa_eval.read(openqa_eval.location()).answers
    ]
    return _table(rows)


def _nomiracl(study: Study) -> pd.DataFrame:
    """Eleven models on whether passages answer a question, beside the label of people."""
    reading = nomiracl.read(nomiracl.location(), study.language)
    rows = []
    for reply in reading.replies:
        cut = reading.extract and len(reply.text) >= nomiracl.EXTRACT_LENGTH
        parsed = parse_phrase(reply.text, "length" if cut else "stop", ANSWERABLE)
        rows.append(
            {
                "question_id": reply.query_id,
                "cluster": reply.query_id,
                "condition": RECORDED,
                "judge": reply.model,
                "verdict": parsed.verdict,
                "reason": parsed.reason,
                "human": reply.answerable,
            }
        )
    return _table(rows)


def _table(rows: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    blank = {name: "" for name in COLUMNS if judgments.DTYPES[name] == "str"}
    return judgments.table([blank | dict(row) for row in rows], COLUMNS)
