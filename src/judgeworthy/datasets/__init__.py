"""The data sets: one module a source, each of which gives questions."""

from pathlib import Path

from judgeworthy import project
from judgeworthy.datasets import parallel, tydiqa
from judgeworthy.datasets.question import Question
from judgeworthy.datasets.wrong_answers import Assignment, Kind, assign, sample
from judgeworthy.errors import ParameterError
from judgeworthy.study import Study

__all__ = [
    "Question",
    "has_text",
    "origin",
    "questions",
    "sample",
    "shown_answers",
    "wrong_answers",
]


def questions(study: Study) -> tuple[Question, ...]:
    """Return the questions of a study: its whole data set, or the seeded sample.

    Raises
    ------
    DataError
        If the data set is missing or broken.
    """
    everything = _everything(study)
    return everything if study.sample is None else sample(everything, study.sample, study.seed)


def wrong_answers(study: Study) -> Assignment:
    """Return the donor of each question's wrong answer, drawn over the whole data set.

    The parallel set has the same donor in all languages.
    """
    if study.dataset == "parallel":
        languages = parallel.read(_parallel_file()).values()
        facts = list(zip(*languages, strict=True))
    else:
        facts = [(question,) for question in _everything(study)]
    return assign(facts, _kind(study), study.seed)


def shown_answers(study: Study) -> dict[str, str]:
    """Return the answer that stands for each question of the whole data set, by question id."""
    return {question.id: question.references[0] for question in _everything(study)}


def origin(study: Study) -> str:
    """Say in two sentences what was read and dropped, and how the wrong answers came about."""
    drawn = wrong_answers(study)
    if study.dataset == "parallel":
        read = f"{_parallel_file().name}: {len(_everything(study))} questions read."
    else:
        read = tydiqa.read(tydiqa.location(), study.language).summary()
    return (
        f"{read} Wrong answers ({_kind(study)}): {len(drawn.donors)} drawn, {drawn.redrawn} "
        f"of them redrawn because the first might have been right, {len(drawn.unassigned)} not "
        "found."
    )


def has_text(study: Study) -> bool:
    """Return whether the study's questions can be read here."""
    return study.dataset == "parallel" or tydiqa.present(tydiqa.location())


def _kind(study: Study) -> Kind:
    return study.calibration.wrong_answers if study.calibration else "same_type"


def _everything(study: Study) -> tuple[Question, ...]:
    if study.dataset == "parallel":
        languages = parallel.read(_parallel_file())
        if study.language not in languages:
            raise ParameterError(
                f"params/{study.name}.yaml: the parallel questions have no language "
                f"'{study.language}'; choose one of {', '.join(languages)}."
            )
        return languages[study.language]
    return tydiqa.read(tydiqa.location(), study.language).questions


def _parallel_file() -> Path:
    return project.root() / "data" / "questions" / "parallel.csv"
