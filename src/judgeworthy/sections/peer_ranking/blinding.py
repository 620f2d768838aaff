"""Stage 2: who gave an answer is taken out, the order is shuffled, and the map is put away."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from judgeworthy import blind
from judgeworthy.datasets.peer_prompts import Prompt
from judgeworthy.models import catalog
from judgeworthy.sections.peer_ranking.generating import Answer, settings
from judgeworthy.study import Study

WITHOUT_OWN = "without own"


@dataclass(frozen=True)
class Paper:
    """What a judge gets to see, without a name.

    Attributes
    ----------
    judge : str
        Who is asked.
    run, session : int
    variant : str
        Empty, or `WITHOUT_OWN` where the judge's own answer is left out.
    prompt : Prompt
    answers : tuple of str
        Scrubbed, in the order shown.
    """

    judge: str
    run: int
    session: int
    variant: str
    prompt: Prompt
    answers: tuple[str, ...]

    @property
    def place(self) -> str:
        """Run, session, variant and prompt, in words: the paper's name for one judge."""
        variant = f" {self.variant}" if self.variant else ""
        return f"ballot{variant}  run {self.run}  session {self.session}  {self.prompt.id}"


Orders = dict[tuple[str, str], tuple[str, ...]]


@dataclass(frozen=True)
class Blinded:
    """Papers, and what was done to make them.

    Attributes
    ----------
    papers : list of Paper
        In the order of asking.
    orders : dict of (judge, place) to tuple of str
        The models whose answers each paper shows, in the order shown: the map, which is put away.
    scrubbed : dict of str to blind.Scrubbed
        By run, prompt and model: what was taken out of each answer.
    """

    papers: list[Paper]
    orders: Orders
    scrubbed: dict[tuple[int, str, str], blind.Scrubbed]


def blinded(complete: Mapping[tuple[int, str], tuple[Answer, ...]], study: Study) -> Blinded:
    """Scrub the answers and lay them out for every judge.

    The order is shuffled for every judge, run, session and variant by itself, by a hash, so that
    it is the same in every process.
    """
    names = _names(study)
    scrubbed = {
        (answer.run, answer.prompt.id, answer.model): blind.scrub(answer.text, names)
        for given in complete.values()
        for answer in given
    }
    papers, orders = [], {}
    for judge, run, session, variant in _sittings(study):
        for (of_run, _), given in complete.items():
            if of_run != run:
                continue
            prompt = given[0].prompt
            shown = [one.model for one in given if not (variant and one.model == judge)]
            order = blind.shuffled(shown, study.seed, prompt.id, judge, run, session, variant)
            texts = tuple(scrubbed[run, prompt.id, model].text for model in order)
            paper = Paper(judge, run, session, variant, prompt, texts)
            papers.append(paper)
            orders[judge, paper.place] = order
    return Blinded(papers, orders, scrubbed)


def _sittings(study: Study) -> Iterator[tuple[str, int, int, str]]:
    """Yield judge, run, session and variant of every reading of all prompts."""
    block = settings(study)
    for judge in block.models:
        for run in range(1, block.runs + 1):
            for session in range(1, (block.sessions if run == 1 else 1) + 1):
                yield judge, run, session, ""
            yield judge, run, 1, WITHOUT_OWN


def _names(study: Study) -> Sequence[str]:
    """Return how the study's models might be named in a text."""
    models = catalog.load().models
    asked = [models[name] for name in settings(study).models]
    return [*(model.name for model in asked), *(model.id for model in asked)]
