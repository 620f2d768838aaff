"""What is asked: responses of the generators, where no file brings them, then verdicts."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from judgeworthy import datasets, judgments, prompts
from judgeworthy.datasets.question import Question
from judgeworthy.errors import MissingRepliesError, ParameterError
from judgeworthy.judgments import Item
from judgeworthy.models.record import Record
from judgeworthy.models.request import Requests
from judgeworthy.sections import kept, responses, verdicts
from judgeworthy.sections.responses import Response
from judgeworthy.study import Study
from judgeworthy.study.blocks import Sensitivity

SECTION = "sensitivity"
COLUMNS = judgments.SENSITIVITY
CONDITIONS = ("NR", "RV", "RC")


def settings(study: Study) -> Sensitivity:
    """Return the study's block ``sensitivity``.

    Raises
    ------
    ParameterError
        If the parameter file has no such block.
    """
    if study.sensitivity is None:
        raise ParameterError(
            f"params/{study.name}.yaml: this section needs the block 'sensitivity'; copy it from "
            "another study's file."
        )
    return study.sensitivity


def questions(study: Study) -> tuple[Question, ...]:
    """Return the questions that the generators answer: the study's, or a seeded sample of them."""
    asked = datasets.questions(study)
    n = settings(study).sample
    return asked if n is None else datasets.sample(asked, n, study.seed)


def stages(study: Study, record: Record) -> Iterator[Requests]:
    """Yield what the models are to be asked: first the generators, then the judges.

    Raises
    ------
    MissingRepliesError
        If a response is not recorded when the judges' turn comes.
    """
    if study.generators:
        yield responses.requests(questions(study), study, settings(study))
    yield verdicts.requests(items(study, record), study)


def items(study: Study, record: Record) -> list[Item]:
    """Return what the judges see, in the order of asking: question by question.

    What begins alike stands together, since a local server reads again only what differs from the
    request before.

    Raises
    ------
    MissingRepliesError
        If a response is not recorded.
    """
    answered = recorded(study, record)
    judged = [_item(response, condition) for condition in CONDITIONS for response in answered]
    everything = [*judged, *_controls(study), *_compared(study, answered)]
    order = {question.id: place for place, question in enumerate(questions(study))}
    return sorted(everything, key=lambda item: (_prefix(item, order), item.variant))


def _prefix(item: Item, order: Mapping[str, int]) -> tuple[bool, int, int, str, str]:
    return (
        item.variant == "paraphrase",
        order[item.question.id],
        CONDITIONS.index(item.condition),
        item.reference,
        item.generator,
    )


def recorded(study: Study, record: Record) -> list[Response]:
    """Return the recorded responses, question by question.

    Raises
    ------
    MissingRepliesError
        If one is not recorded.
    """
    found, absent = responses.replay(questions(study), study, settings(study), record)
    if absent:
        raise MissingRepliesError(verdicts.missing(study, absent, record.folder))
    return found


def _item(
    response: Response, condition: str, variant: str = "", reference: str = "", donor_id: str = ""
) -> Item:
    return Item(
        response.question,
        condition,
        response.text,
        variant,
        reference,
        donor_id,
        response.generator,
        response.state,
    )


def _controls(study: Study) -> list[Item]:
    """Return the right and the wrong answers of C1 and C2, to be judged with the reference."""
    if not settings(study).controls:
        return []
    donors = datasets.wrong_answers(study).donors
    shown = datasets.shown_answers(study)
    asked = questions(study)
    right = [(question, question.references[0], "right", "") for question in asked]
    wrong = [
        (question, shown[donors[question.id]], "wrong", donors[question.id])
        for question in asked
        if question.id in donors
    ]
    return [
        Item(question, condition, answer, variant, donor_id=donor)
        for condition in ("RV", "RC")
        for question, answer, variant, donor in [*right, *wrong]
    ]


def _compared(study: Study, answered: Sequence[Response]) -> list[Item]:
    """Return what flips are compared with: the noise floor and the placebo, on some questions.

    In a language that the placebo does not exist in, it is left out.
    """
    chosen = datasets.sample(questions(study), settings(study).compared, study.seed)
    ids = {question.id for question in chosen}
    some = [response for response in answered if response.question.id in ids]
    donors = datasets.wrong_answers(study).donors if some else {}
    shown = datasets.shown_answers(study)
    noise = [
        _item(response, "NR", variant)
        for variant in ("sampled-1", "sampled-2", "paraphrase")
        for response in some
    ]
    irrelevant = [
        _item(response, "RV", "irrelevant", _irrelevant(response.question))
        for response in some
        if study.language in prompts.languages("placebo")
    ]
    other = [
        _item(response, "RV", "other", shown[donor], donor)
        for response in some
        if (donor := donors.get(response.question.id))
    ]
    return [*noise, *irrelevant, *other]


def _irrelevant(question: Question) -> str:
    """Return words about nothing, as many as make up the length of the reference."""
    length = len(question.references[0])
    words = prompts.plain(f"placebo.{question.language}").split()
    count = next(
        (n for n in range(1, len(words) + 1) if len(" ".join(words[:n])) >= length), len(words)
    )
    return " ".join(words[:count])


def load(study: Study) -> pd.DataFrame:
    """Return the study's judgments: rebuilt from replies, or as they are kept.

    Raises
    ------
    MissingRepliesError
        If a reply is not recorded.
    DataError
        If a file is missing or broken.
    """
    return replay(study) if study.own_text else kept.load(study, SECTION, COLUMNS)


def replay(study: Study) -> pd.DataFrame:
    """Rebuild the study's judgments from the recorded replies."""
    record = Record.of(study.name)
    return verdicts.replay(study, items(study, record), record, COLUMNS)
