"""What the tables say, a paragraph a question."""

from judgeworthy.sections.peer_ranking.pairs import left_out
from judgeworthy.sections.peer_ranking.reading.consensus import (
    domains,
    methods,
    own_votes,
    preferred,
    stable,
    trade_off,
)
from judgeworthy.sections.peer_ranking.reading.judges import of_judge
from judgeworthy.sections.peer_ranking.reading.votes import how_they_judge, people, strengths
from judgeworthy.sections.peer_ranking.reading.words import Tables
from judgeworthy.study import Study


def sentences(found: Tables, study: Study) -> str:
    """Return what the tables say, a paragraph a question, as Markdown.

    Parameters
    ----------
    found : mapping of str to DataFrame
        As they are published.
    study : Study
    """
    parts: list[tuple[str, str]] = []
    if len(found["strengths"]):
        parts += [
            ("The models' consensus", strengths(found["strengths"])),
            ("People", people(found["compared_with_people"])),
            ("How the models judge", how_they_judge(found["pair_judges"])),
            (
                "Methods for strict rankings, as all below",
                f"{left_out(found['derived_rankings'])}.",
            ),
        ]
    ranking = found["ranking"]
    parts += [
        ("Whom the judges prefer", preferred(ranking, found["pairwise"])),
        ("Own votes", own_votes(ranking)),
        ("Other methods", methods(ranking)),
        ("Domains", domains(found["ranking_by_domain"])),
        ("Stability", stable(found["stability"])),
        ("Agreement and standing", trade_off(found["agreement_against_index"])),
    ]
    lines = [f"- **{name}.** {text}" for name, text in parts if text]
    lines += [f"- **{row['judge']}** {of_judge(row)}" for row in found["judges"].to_dict("records")]
    return "\n".join([f"{study.title}; {study.confidence:.0%} intervals in brackets.", "", *lines])
