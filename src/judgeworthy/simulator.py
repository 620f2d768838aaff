"""Data whose truth is planted: labels, verdicts and what their rows share.

References
----------
.. [1] L. J. Emrich, M. R. Piedmonte (1991). A method for generating high-dimensional multivariate
   binary variates. The American Statistician 45, 302-304.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from judgeworthy.card.evidence import Answers, Evidence, Pairs
from judgeworthy.statistics.clusters import Floats


@dataclass(frozen=True)
class Panel:
    """A planted panel of responses that people and a judge label.

    Attributes
    ----------
    clusters, size : int
        Questions, and responses to each.
    prevalence : float
        Share that people accept.
    sensitivity, specificity : float
        Share that the judge accepts of what people accept, and rejects of what they reject.
    correlation : float
        Of the normal variables behind two labels, or two verdicts, of one question.
    """

    clusters: int
    size: int
    prevalence: float
    sensitivity: float
    specificity: float
    correlation: float

    @property
    def n(self) -> int:
        """Number of responses."""
        return self.clusters * self.size

    @property
    def labels(self) -> NDArray[np.intp]:
        """The cluster of each response."""
        return np.repeat(np.arange(self.clusters), self.size)


def draw(panel: Panel, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw human labels and verdicts, 1 or 0 each.

    Each is a normal variable below a threshold [1]_; those of a question share a part, so that
    rows correlate while every share stays exactly what it is.
    """
    shape = panel.clusters, panel.size, panel.correlation
    human = (_normal(*shape, generator) < ndtri(panel.prevalence)).astype(np.float64)
    right = np.where(human == 1, panel.sensitivity, panel.specificity)
    correct = _normal(*shape, generator) < ndtri(right)
    return human, np.where(correct, human, 1 - human)


def _normal(clusters: int, size: int, rho: float, generator: np.random.Generator) -> Floats:
    shared = np.repeat(generator.standard_normal(clusters), size)
    own = generator.standard_normal(clusters * size)
    mixed: Floats = np.sqrt(rho) * shared + np.sqrt(1 - rho) * own
    return mixed


@dataclass(frozen=True)
class Judge:
    """A planted judge, and the study that it is judged by.

    Attributes
    ----------
    questions, generators : int
        Questions, and responses to each.
    c1, c2 : float
        Share accepted of right and of wrong answers.
    taken_back, noise : float
        Share of responses accepted without the reference and rejected with it, and of those
        accepted under one seed and rejected under another.
    controls : (float, float)
        Share accepted of right and of wrong answers with the reference.
    invalid : float
        Share of replies that no verdict can be read from, everywhere and at random.
    people, people_with : (float, float, float) or None
        Share that people accept, and the judge's sensitivity and specificity against them, without
        and with the reference; without people's labels if None.
    again : float
        Share of the questions on which the noise floor is measured.
    correlation : float
        Of the normal variables behind two verdicts on one question.
    """

    questions: int
    generators: int = 4
    c1: float = 0.97
    c2: float = 0.02
    taken_back: float = 0.03
    noise: float = 0.03
    controls: tuple[float, float] = (0.98, 0.02)
    invalid: float = 0.01
    people: tuple[float, float, float] | None = None
    people_with: tuple[float, float, float] | None = None
    again: float = 0.4
    correlation: float = 0.3


def evidence(judge: Judge, generator: np.random.Generator) -> Evidence:
    """Draw what a study of the judge would find.

    Every share stays exactly what was planted; verdicts on one question go together, as in `draw`.
    """
    asked = judge.questions
    return Evidence(
        planted=_answers(judge, (judge.c1, judge.c2), generator),
        controls=_answers(judge, judge.controls, generator),
        compared=_pairs(judge, judge.taken_back, asked, generator),
        again=_pairs(judge, judge.noise, max(2, round(judge.again * asked)), generator),
        labelled=_labelled(judge, judge.people, generator),
        labelled_with=_labelled(judge, judge.people_with, generator),
    )


def _labelled(
    judge: Judge, people: tuple[float, float, float] | None, generator: np.random.Generator
) -> Answers | None:
    if people is None:
        return None
    panel = Panel(judge.questions, judge.generators, *people, judge.correlation)
    human, said = draw(panel, generator)
    return Answers(_unread(said, judge.invalid, generator), human, panel.labels)


def _answers(
    judge: Judge, accepted: tuple[float, float], generator: np.random.Generator
) -> Answers:
    """Draw what the judge says of a right and of a wrong answer to every question."""
    right = np.tile([1.0, 0.0], judge.questions)
    place = _normal(judge.questions, 2, judge.correlation, generator)
    said = (place < ndtri(np.where(right == 1, *accepted))).astype(np.float64)
    labels = np.repeat(np.arange(judge.questions), 2)
    return Answers(_unread(said, judge.invalid, generator), right, labels)


def _pairs(judge: Judge, taken_back: float, asked: int, generator: np.random.Generator) -> Pairs:
    """Draw responses of which a share is accepted at first and rejected then; the rest are kept."""
    place = _normal(asked, judge.generators, judge.correlation, generator)
    flips = place < ndtri(taken_back)
    first = np.where(flips, 1.0, generator.random(len(place)) < judge.c1)
    second = np.where(flips, 0.0, first)
    labels = np.repeat(np.arange(asked), judge.generators)
    read = [_unread(side, judge.invalid, generator) for side in (first, second)]
    return Pairs(read[0], read[1], labels)


def _unread(said: Floats, invalid: float, generator: np.random.Generator) -> Floats:
    return np.where(generator.random(len(said)) < invalid, np.nan, said)


@dataclass(frozen=True)
class Preference:
    """Planted preferences among models that rank each other's answers.

    Attributes
    ----------
    prompts, judges : int
    strengths : tuple of float
        Of the models, as logits: one beats another with the logistic function of their difference.
    spread : float
        Standard deviation of what a prompt adds to each model's strength, the same for all judges.
    """

    prompts: int
    judges: int
    strengths: tuple[float, ...]
    spread: float


def ballots(preference: Preference, generator: np.random.Generator) -> Floats:
    """Draw ballots of Plackett and Luce: ranks of shape (prompts, judges, 1, models)."""
    models = len(preference.strengths)
    own = preference.spread * generator.standard_normal((preference.prompts, 1, 1, models))
    noise = generator.gumbel(size=(preference.prompts, preference.judges, 1, models))
    worth = np.asarray(preference.strengths) + own + noise
    places = (-worth).argsort(axis=-1).argsort(axis=-1)
    return (places + 1).astype(np.float64)
