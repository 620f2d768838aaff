"""Responses: the free-form answers of the generators, as they were recorded."""

from collections.abc import Sequence
from dataclasses import dataclass

from judgeworthy import prompts
from judgeworthy.datasets.question import Question
from judgeworthy.models import catalog
from judgeworthy.models.record import Record
from judgeworthy.models.request import Reply, Request
from judgeworthy.study import Sensitivity, Study


@dataclass(frozen=True)
class Response:
    """A generator's answer to a question.

    Attributes
    ----------
    question : Question
    generator : str
    text : str
        Without surrounding space; empty if the generator said nothing.
    state : str
        ``complete``, ``cut_off`` at the token limit, or ``empty``.
    """

    question: Question
    generator: str
    text: str
    state: str


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
    """Read the recorded responses, question by question.

    Returns
    -------
    responses : list of Response
    absent : list of (generator, place)
        Responses that are not recorded.
    """
    replies = {generator: record.read(generator) for generator in settings.generators}
    asked = requests(questions, study, settings)
    responses, absent = [], []
    for question in questions:
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
