"""Stage 1: every model answers every prompt, once a run."""

from collections.abc import Mapping
from dataclasses import dataclass

from judgeworthy import datasets, prompts
from judgeworthy.datasets.peer_prompts import Prompt
from judgeworthy.errors import ParameterError
from judgeworthy.models.record import Record
from judgeworthy.models.request import Reply, Request
from judgeworthy.study import Study
from judgeworthy.study.blocks import PeerRanking


@dataclass(frozen=True)
class Answer:
    """A model's answer to a prompt in a run.

    Attributes
    ----------
    prompt : Prompt
    model : str
    run : int
        From 1.
    text : str
        Without surrounding space; empty where the model said nothing.
    cut_off : bool
        Whether it came to the token limit.
    """

    prompt: Prompt
    model: str
    run: int
    text: str
    cut_off: bool


def settings(study: Study) -> PeerRanking:
    """Return the study's block ``peer_ranking``.

    Raises
    ------
    ParameterError
        If the parameter file has no such block.
    """
    if study.peer_ranking is None:
        raise ParameterError(
            f"params/{study.name}.yaml: this section needs the block 'peer_ranking'; copy it from "
            "another study's file."
        )
    return study.peer_ranking


def requests(study: Study) -> dict[str, dict[str, Request]]:
    """Return what every model is asked, by the place of each answer."""
    return {
        model: {
            f"answer  run {run}  {prompt.id}": _request(prompt, model, run, study)
            for run in range(1, settings(study).runs + 1)
            for prompt in datasets.peer_prompts(study)
        }
        for model in settings(study).models
    }


def _request(prompt: Prompt, model: str, run: int, study: Study) -> Request:
    block = settings(study)
    return Request(
        model=model,
        messages=prompts.messages("generate_peer", prompt=prompt.text),
        temperature=block.temperature,
        max_tokens=block.response_tokens,
        seed=study.seed + run,
    )


def replay(study: Study, record: Record) -> tuple[list[Answer], list[tuple[str, str]]]:
    """Read the recorded answers, run by run and prompt by prompt.

    Returns
    -------
    answers : list of Answer
    absent : list of (model, place)
        Answers that are not recorded.
    """
    replies = {model: record.read(model) for model in settings(study).models}
    asked = requests(study)
    answers, absent = [], []
    for run in range(1, settings(study).runs + 1):
        for prompt in datasets.peer_prompts(study):
            for model in settings(study).models:
                place = f"answer  run {run}  {prompt.id}"
                reply = replies[model].get(asked[model][place].id)
                if reply is None:
                    absent.append((model, place))
                else:
                    answers.append(_answer(prompt, model, run, reply))
    return answers, absent


def _answer(prompt: Prompt, model: str, run: int, reply: Reply) -> Answer:
    return Answer(prompt, model, run, reply.text.strip(), reply.cut_off)


def complete(answers: list[Answer]) -> Mapping[tuple[int, str], tuple[Answer, ...]]:
    """Return the answers of each run and prompt that every model answered.

    A prompt with a missing answer is left out of its run as a whole.
    """
    found: dict[tuple[int, str], tuple[Answer, ...]] = {}
    for answer in answers:
        place = answer.run, answer.prompt.id
        found[place] = (*found.get(place, ()), answer)
    return {place: given for place, given in found.items() if all(one.text for one in given)}
