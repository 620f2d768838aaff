"""A study of our Arabic questions whose responses and verdicts are known, because they are planted.

Two generators answer six questions: ``judge`` rightly, ``base`` with the answer of another
question, save where `RESPONSES` says otherwise. One judge accepts everything, save where `VERDICTS`
says otherwise: a letter for NR, RV and RC.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from judgeworthy import datasets
from judgeworthy import study as studies
from judgeworthy.models.record import Record
from judgeworthy.models.request import Reply, Request
from judgeworthy.sections import verdicts
from judgeworthy.sections.sensitivity import asked
from judgeworthy.study import Study

NAME = "ar"
BLOCK = """\
sensitivity:
  generators:
    - judge
    - base
  max_tokens: 20
"""
SAME, EMPTY, FORMULA, MARKUP = 0, 1, 2, 3
FLIPS = {(EMPTY, "base"), (FORMULA, "base"), (MARKUP, "base"), (4, "judge")}
VERDICTS = {
    (EMPTY, "base"): "CII",
    (FORMULA, "base"): "CCI",
    (MARKUP, "base"): "CIC",
    (4, "judge"): "ICC",
    (5, "base"): "xII",
    (5, "judge"): "III",
}
WORDS = {"C": "CORRECT", "I": "INCORRECT"}


def write(project: Path) -> Study:
    """Put the study into a project and record all of its replies."""
    models = project / "params" / "models.yaml"
    entry = models.read_text().split("models:\n")[1]
    base = entry.replace("judge:", "base:", 1) + "    chat: false\n"
    models.write_text(models.read_text() + base)
    text = (project / "params" / "x.yaml").read_text()
    text = text.replace("language: en", "language: ar").replace("sample: 4", "sample: 6")
    (project / "params" / f"{NAME}.yaml").write_text(text + BLOCK)
    study = studies.load(NAME)
    for model, requests in next(asked.stages(study, Record.of(study.name))).items():
        texts = [response(study, model, number) for number in range(6)]
        _record(model, zip(requests.values(), texts, strict=True))
    _record("judge", _verdicts(study))
    return study


def response(study: Study, generator: str, number: int) -> str:
    """Return what a generator says to the question of this number."""
    answers = [question.references[0] for question in datasets.questions(study)]
    special = {EMPTY: "", FORMULA: '=HYPERLINK("http://x","y")', MARKUP: "<img src=x> 1969/07/20"}
    if generator == "judge" or number == SAME:
        return answers[number]
    return special.get(number, answers[(number + 1) % len(answers)])


def _verdicts(study: Study) -> Iterator[tuple[Request, str]]:
    order = [question.id for question in asked.questions(study)]
    for item in asked.items(study, Record.of(study.name)):
        path = VERDICTS.get((order.index(item.question.id), item.generator), "CCC")
        word = WORDS.get(path[asked.CONDITIONS.index(item.condition)], "no verdict")
        said = {"extracted_answer": "x", "explanation": "y", "verdict": word}
        yield verdicts.request(item, "judge", study), json.dumps(said)


def _record(model: str, said: Iterator[tuple[Request, str]]) -> None:
    path = Record.of(NAME).growing(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as stream:
        for request, text in said:
            reply = Reply(request.id, text, "stop", 1, 1, "instruction", "m", "", "", 0.1, "")
            stream.write(json.dumps(reply.__dict__) + "\n")
