"""The data sets: one module a source, each of which gives questions."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from judgeworthy import blind, project
from judgeworthy.datasets import nomiracl, openqa_eval, parallel, prd, qa_eval, tabular, tydiqa
from judgeworthy.datasets.harder_answers import WRAPPED, Harder, corrupted, nearest, wrapped
from judgeworthy.datasets.peer_prompts import Prompt
from judgeworthy.datasets.peer_prompts import location as prompts_file
from judgeworthy.datasets.peer_prompts import read as read_prompts
from judgeworthy.datasets.question import Question
from judgeworthy.datasets.tabular import Brought
from judgeworthy.datasets.wrong_answers import Assignment, Item, Kind, assign, sample
from judgeworthy.errors import ParameterError
from judgeworthy.study import Study

__all__ = [
    "DOWNLOADS",
    "Brought",
    "Question",
    "brought",
    "fetch",
    "harder_answers",
    "has_text",
    "origin",
    "peer_prompts",
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


def brought(study: Study) -> tuple[Brought, ...]:
    """Return the responses that a file of one's own brings, question by question; else none.

    Raises
    ------
    DataError, ParameterError
        If the file is missing, broken or faulty, or has not the columns that are named.
    """
    return tabular.read(study).responses if study.dataset == "tabular" else ()


def peer_prompts(study: Study) -> tuple[Prompt, ...]:
    """Return the prompts of a peer ranking: all, or a seeded sample of them.

    Raises
    ------
    DataError
        If the file is missing or broken.
    """
    everything = read_prompts(prompts_file())
    if study.sample is None:
        return everything
    chosen = blind.shuffled([prompt.id for prompt in everything], study.seed)[: study.sample]
    return tuple(prompt for prompt in everything if prompt.id in chosen)


def wrong_answers(study: Study) -> Assignment:
    """Return the donor of each question's wrong answer, drawn over the whole data set.

    The parallel set has the same donor in all languages.
    """
    return assign(_facts(study), _kind(study), study.seed)


def harder_answers(study: Study, kind: str) -> dict[str, Harder]:
    """Return a harder wrong answer of one kind for each question that has one, by question id.

    The parallel set has the same ones in all languages.
    """
    shown = shown_answers(study)
    if kind in WRAPPED:
        donors = wrong_answers(study).donors.items()
        return {id_: Harder(wrapped(kind, shown[d], study.language), d) for id_, d in donors}
    facts = _facts(study)
    if kind == "nearest":
        return {id_: Harder(shown[d], d) for id_, d in nearest(facts, study.seed).items()}
    place = [question.language for question in facts[0]].index(study.language)
    return {id_: answers[place] for id_, answers in corrupted(facts, study.seed).items()}


def shown_answers(study: Study) -> dict[str, str]:
    """Return the answer that stands for each question of the whole data set, by question id."""
    return {question.id: question.references[0] for question in _everything(study)}


def origin(study: Study) -> str:
    """Say what was read and dropped and, where wrong answers are drawn, how they came about."""
    if study.dataset == "qa-eval":
        return qa_eval.read(qa_eval.location()).summary()
    if study.dataset == "openqa-eval":
        return openqa_eval.read(openqa_eval.location()).summary()
    if study.dataset == "nomiracl":
        return nomiracl.read(nomiracl.location(), study.language).summary()
    if study.dataset == "parallel":
        read = f"{_parallel_file().name}: {len(_everything(study))} questions read."
    elif study.dataset == "tabular":
        read = tabular.read(study).summary()
    else:
        read = tydiqa.read(tydiqa.location(), study.language).summary()
    drawn = wrong_answers(study)
    return (
        f"{read} Wrong answers ({_kind(study)}): {len(drawn.donors)} drawn, {drawn.redrawn} "
        f"of them redrawn because the first might have been right, {len(drawn.unassigned)} not "
        "found."
    )


def has_text(study: Study) -> bool:
    """Return whether the study's questions can be read here."""
    match study.dataset:
        case "parallel" | "peer-prompts" | "tabular":
            return True
        case "qa-eval":
            return qa_eval.present(qa_eval.location())
        case "openqa-eval":
            return openqa_eval.present(openqa_eval.location())
        case "nomiracl":
            return nomiracl.present(nomiracl.location(), study.language)
        case "prd":
            return prd.present(prd.location())
        case _:
            return tydiqa.present(tydiqa.location())


DOWNLOADS = ("tydiqa", "qa-eval", "openqa-eval", "nomiracl", "prd")


def fetch(source: str) -> tuple[Path, Iterator[str]]:
    """Bring a data set that is not here yet, and say what it holds.

    Parameters
    ----------
    source : str
        One of `DOWNLOADS`.

    Returns
    -------
    Path
        Where it is.
    iterator of str
        What is read, in sentences, a language after the other.

    Raises
    ------
    DataError
        If it cannot be brought, or is broken.
    """
    module = _MODULES[source]
    path: Path = module.location()
    if not _present(source, path):
        module.download(path)
    return path, _summaries(source, path)


_MODULES: dict[str, ModuleType] = {
    "tydiqa": tydiqa,
    "qa-eval": qa_eval,
    "openqa-eval": openqa_eval,
    "nomiracl": nomiracl,
    "prd": prd,
}


def _present(source: str, path: Path) -> bool:
    if source == "nomiracl":
        return all(nomiracl.present(path, language) for language in nomiracl.LANGUAGES)
    return bool(_MODULES[source].present(path))


def _summaries(source: str, path: Path) -> Iterator[str]:
    module = _MODULES[source]
    if source in ("tydiqa", "nomiracl"):
        for language in module.LANGUAGES:
            yield module.read(path, language).summary()
    else:
        yield module.read(path).summary()


def _facts(study: Study) -> list[Item]:
    """Return the whole data set, each question beside itself in the other languages it is in."""
    if study.dataset == "parallel":
        return list(zip(*parallel.read(_parallel_file()).values(), strict=True))
    return [(question,) for question in _everything(study)]


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
    if study.dataset == "qa-eval":
        return qa_eval.read(qa_eval.location()).whole
    if study.dataset == "tabular":
        return tabular.read(study).questions
    return tydiqa.read(tydiqa.location(), study.language).questions


def _parallel_file() -> Path:
    return project.root() / "data" / "questions" / "parallel.csv"
