"""Responses: the free-form answers of models, as they were recorded or as a file brings them."""

from collections.abc import Sequence
from dataclasses import dataclass

from judgeworthy import datasets, prompts
from judgeworthy.datasets.question import Question
from judgeworthy.errors import ParameterError
from judgeworthy.models import catalog
from judgeworthy.models.record import Record
from judgeworthy.models.request import Reply, Request
from judgeworthy.study import Study
from judgeworthy.study.blocks import Sensitivity


@dataclass(frozen=True)
class Response:
    """A model's answer to a question.

    Attributes
    ----------
    question : Question
    generator : str
    text : str
        Without surrounding space; empty if the generator said nothing.
    state : str
        ``complete``, ``cut_off`` at the token limit, or ``empty``; what a file brings counts as
        complete.
    """

    question: Question
    generator: str
    text: str
    state: str


def generators(study: Study) -> tuple[str, ...]:
    """Return whose responses are judged: of whom the file brings them, then those that are asked.

    Raises
    ------
    ParameterError
        If one is asked whose responses the file brings.
    """
    found = tuple(dict.fromkeys(response.model for response in datasets.brought(study)))
    if twice := [name for name in study.generators if name in found]:
        raise ParameterError(
            f"params/{study.name}.yaml: the file brings responses of '{twice[0]}'; take it out of "
            "sensitivity.generators."
        )
    return (*found, *study.generators)


def request(question: Question, generator: str, study: Study, settings: Sensitivity) -> Request:
    """Return what a generator is asked; a base model gets a text to complete."""
    chat = catalog.load()[generator].chat
    name = f"generate.{study.language}" if chat else "generate_base"
    return Request(
        model=generator,
        messages=prompts.messages(name, question=question.text),
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        seed=study.seed,
    )


def invalid(_: Request, reply: Reply) -> bool:
    """Return whether a generator said nothing, or was cut off."""
    return reply.cut_off or not reply.text.strip()


def requests(
    questions: Sequence[Question], study: Study, settings: Sensitivity
) -> dict[str, dict[str, Request]]:
    """Return what each generator is asked, by the place of each response."""
    return {
        generator: {
            f"response  {question.id}": request(question, generator, study, settings)
            for question in questions
        }
        for generator in settings.generators
    }


def replay(
    questions: Sequence[Question], study: Study, settings: Sensitivity, record: Record
) -> tuple[list[Response], list[tuple[str, str]]]:
    """Read the responses, question by question: those that a file brings, then the recorded ones.

    Returns
    -------
    responses : list of Response
    absent : list of (generator, place)
        Responses that are not recorded.
    """
    brought: dict[str, list[Response]] = {question.id: [] for question in questions}
    known = {question.id: question for question in questions}
    for one in datasets.brought(study):
        if one.question_id in known:
            given = Response(known[one.question_id], one.model, one.text, "complete")
            brought[one.question_id].append(given)
    replies = {generator: record.read(generator) for generator in settings.generators}
    asked = requests(questions, study, settings)
    responses, absent = [], []
    for question in questions:
        responses += brought[question.id]
        for generator in settings.generators:
            place = f"response  {question.id}"
            reply = replies[generator].get(asked[generator][place].id)
            if reply is None:
                absent.append((generator, place))
            else:
                responses.append(_response(question, generator, reply))
    return responses, absent


def _response(question: Question, generator: str, reply: Reply) -> Response:
    text = reply.text.strip()
    state = "empty" if not text else "cut_off" if reply.cut_off else "complete"
    return Response(question, generator, text, state)
