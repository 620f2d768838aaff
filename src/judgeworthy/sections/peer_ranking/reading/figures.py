"""Captions of the tables; headings and alternative texts of the figures."""

from collections.abc import Sequence

from judgeworthy.sections.peer_ranking.reading.paradigms import PARADIGMS_CAPTION
from judgeworthy.sections.peer_ranking.reading.words import Tables, listed, plain
from judgeworthy.study import Study


def captions(study: Study) -> dict[str, str]:
    """Return the captions of the tables, by the table's name."""
    level = f"with {study.confidence:.0%} intervals"
    title = study.plain_title
    return {
        "ranking": f"Relative Intelligence Index, {title}, {level}; the formula is our reading.",
        "methods": f"Five ways to one order, {title}, {level}.",
        "ranking_by_domain": f"Relative Intelligence Index by domain, {title}, {level}.",
        "judges": f"The judges: agreement, own model, self-preference and place, {title}, {level}.",
        "pairwise": f"Who is preferred to whom, {title}, {level}.",
        "strengths": f"Bradley–Terry with ties, by models and by people, {title}, {level}.",
        "paradigms": PARADIGMS_CAPTION,
    }


def heading(study: Study) -> str:
    """Return what stands over the figures."""
    return f"{study.plain_title}; {study.confidence:.0%} intervals"


def alts(found: Tables) -> dict[str, str]:
    """Return what each figure shows, in words."""
    rows = {name: frame.to_dict("records") for name, frame in found.items()}
    texts: dict[str, tuple[str, Sequence[str]]] = {
        "ranking": (
            "RII with all votes, without own votes and with the own answer not shown",
            [
                f"{row['candidate']} {plain(row['rii'])}, {plain(row['rii_without_own'])}, "
                f"{plain(row['rii_self_excluded'])}"
                for row in rows["ranking"]
            ],
        ),
        "ranking_by_domain": (
            "RII by domain",
            listed(rows["ranking_by_domain"], "rii", "domain", "candidate"),
        ),
        "mean_ranks": (
            "mean rank that each judge gives each candidate",
            listed(rows["mean_ranks"], "mean_rank", "judge", "candidate"),
        ),
        "agreement": (
            "agreement with the others and RII of the own model",
            [
                f"{row['judge']} {plain(row['agreement'])}, {plain(row['own_rii'])}"
                for row in rows["judges"]
            ],
        ),
        "stability": (
            "Kendall's tau between runs and between readings",
            listed(rows["stability"], "tau", "measure", "judge"),
        ),
        "strengths": (
            "strength by the models and by people",
            [
                f"{row['candidate']} {plain(row['strength'])}, {plain(row['people_strength'])}"
                for row in rows["strengths"]
            ],
        ),
    }
    return {
        name: f"{what}: {'; '.join(said) or 'not measured in this study'}"
        for name, (what, said) in texts.items()
    }
