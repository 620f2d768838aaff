"""Whom the judges prefer: the index in its variants, other methods beside it, pairs and domains.

How numbers are written is said in `peer_ranking.rows`. The index is that of
`statistics.rankings.rii`; intervals resample prompts. Of each run the first reading counts, so that
a run that was read twice weighs no more than another.
"""

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from judgeworthy.sections.peer_ranking import arrays, judges
from judgeworthy.sections.peer_ranking.arrays import Ballots
from judgeworthy.sections.peer_ranking.generating import settings
from judgeworthy.sections.peer_ranking.rows import Number, columns, number, reason, row
from judgeworthy.sections.rates import Row
from judgeworthy.statistics.estimate import Bounds, Estimate, undefined
from judgeworthy.statistics.proportions import clustered_proportion
from judgeworthy.statistics.rankings.ballots import prompt_labels, prompt_mean
from judgeworthy.statistics.rankings.concordance import Concordance, kendall_w
from judgeworthy.statistics.rankings.consensus import Disagreement, SideBySide, side_by_side
from judgeworthy.statistics.rankings.rii import BOOTSTRAP, Rii, rii
from judgeworthy.study import Study

EVERYWHERE = "all domains"
NOT_ASKED = "no such ballots in this study"
NOBODY = {
    "rii_without_order_only": "every judge's ballots carry nothing but the order shown",
    "rii_of_valid_judges": "of every judge too many ballots are invalid",
}
INDICES = (
    "rii",
    "rii_without_own",
    "rii_self_excluded",
    "rii_without_order_only",
    "rii_of_valid_judges",
)
METHODS = {
    "RII": "place_rii",
    "Borda": "place_borda",
    "Bradley–Terry": "place_bradley_terry",
    "Plackett–Luce": "place_plackett_luce",
    "Kemeny": "place_kemeny",
}


def ranking(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate whom the judges prefer: one row a candidate.

    ``rii`` counts all votes. In ``rii_without_own`` each judge's own answer is taken off its
    ballots, in ``rii_self_excluded`` the judge was not even shown it. ``rii_without_order_only``
    leaves out judges whose ballots carry nothing but the order shown, ``rii_of_valid_judges`` those
    of whom too many ballots are INVALID. ``place_*`` puts five methods side by side, over all
    votes; ``disagreements`` says which of them order the candidate otherwise than others.
    """
    ballots = arrays.main(table, study)
    found = {
        name: _indices(part, study, own, NOBODY.get(name, NOT_ASKED))
        for name, (part, own) in _pools(table, study).items()
    }
    beside = _side_by_side(ballots, study)
    rows = []
    for place, candidate in enumerate(ballots.candidates):
        numbers = {name: found[name][place] for name in INDICES}
        numbers |= {
            name: _of_all(estimates[place], ballots)
            for name, estimates in (
                ("borda", beside.borda),
                ("bradley_terry", beside.bradley_terry.estimates),
                ("plackett_luce", beside.plackett_luce.estimates),
            )
        }
        order = _order(beside, place, ballots, study)
        rows.append(
            {
                "candidate": candidate,
                **_size(ballots),
                **row(study, numbers, _several(beside)),
                **order,
            }
        )
    return _last(pd.DataFrame(rows), "disagreements", "note")


def _pools(table: pd.DataFrame, study: Study) -> dict[str, tuple[Ballots, bool]]:
    """Return the ballots of each index, and whether own answers are taken off them."""
    ballots = arrays.main(table, study)
    listening = ~np.array(judges.order_only(table, study), dtype=np.bool_)
    valid = [
        not reason(int(ballots.asked[:, place].sum()), int(ballots.invalid[:, place].sum()), study)
        for place in range(len(ballots.judges))
    ]
    pools = (
        (ballots, False),
        (ballots, True),
        (arrays.self_excluded(table, study), True),
        (ballots.of_judges(listening), False),
        (ballots.of_judges(np.array(valid, dtype=np.bool_)), False),
    )
    return dict(zip(INDICES, pools, strict=True))


def _indices(ballots: Ballots, study: Study, own: bool, nothing: str = NOT_ASKED) -> list[Number]:
    """Return the index of every candidate, with bounds over the INVALID ballots."""
    size = int(ballots.asked.sum()), int(ballots.invalid.sum())
    if not ballots.asked.any():
        none = Number(undefined(nothing, BOOTSTRAP), *size, Bounds(None, None))
        return [none] * len(ballots.candidates)
    found = _rii(ballots, study, own)
    limits = [Bounds(value, value) for value in found.values]
    if ballots.invalid.any():
        whose = ballots.own if own else None
        limits = list(rii(ballots.papers, whose, study.confidence, resamples=1).bounds)
    return [
        Number(estimate, *size, bounds)
        for estimate, bounds in zip(found.estimates, limits, strict=True)
    ]


def _rii(ballots: Ballots, study: Study, own: bool = False) -> Rii:
    whose = ballots.own if own else None
    resamples = settings(study).resamples
    return rii(ballots.ranks, whose, study.confidence, resamples, study.seed)


def _side_by_side(ballots: Ballots, study: Study) -> SideBySide:
    return side_by_side(
        ballots.ranks,
        confidence=study.confidence,
        resamples=settings(study).resamples,
        seed=study.seed,
    )


def _of_all(
    estimate: Estimate, ballots: Ballots, scale: tuple[float, float] = (-inf, inf)
) -> Number:
    asked, invalid = int(ballots.asked.sum()), int(ballots.invalid.sum())
    return Number(estimate, asked, invalid, scale=scale)


def _size(ballots: Ballots) -> Row:
    return {
        "n": int(ballots.asked.sum()),
        "clusters": int(ballots.asked.any(axis=(1, 2)).sum()),
        "invalid": int(ballots.invalid.sum()),
    }


def _several(beside: SideBySide) -> str:
    orders = len(beside.kemeny.orders)
    if beside.kemeny.note:
        return f"Kemeny: {beside.kemeny.note}"
    return f"{orders} Kemeny orders are equally near" if orders > 1 else ""


def _order(beside: SideBySide, place: int, ballots: Ballots, study: Study) -> Row:
    """Return a candidate's place by each method, and the methods that order it otherwise."""
    if reason(int(ballots.asked.sum()), int(ballots.invalid.sum()), study):
        return {**dict.fromkeys(METHODS.values()), "disagreements": ""}
    places = {column: beside.places[method][place] for method, column in METHODS.items()}
    said = [
        _otherwise(pair, place, ballots.candidates)
        for pair in beside.disagreements
        if place in pair.pair
    ]
    return {**places, "disagreements": "; ".join(said)}


def _otherwise(found: Disagreement, place: int, names: Sequence[str]) -> str:
    first = found.pair[0] == place
    other = names[found.pair[1] if first else found.pair[0]]
    above, below = found.first_above, found.second_above
    sides = {
        "above": above if first else below,
        "below": below if first else above,
        "level with": found.level,
    }
    said = [f"{side} {other} by {', '.join(by)}" for side, by in sides.items() if by]
    return ", ".join(said)


def _last(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Put texts last, and count places in whole numbers."""
    ordered = [name for name in frame if name not in names]
    places = {name: "Int64" for name in METHODS.values() if name in frame}
    return frame[[*ordered, *names]].astype(places)


def ranking_by_domain(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate whom the judges prefer in each domain, and how far they agree: domain × candidate.

    ``w`` is Kendall's W of the domain, the same in all its rows, with what random ballots give:
    ``w_null``, its middle 95 % and the permutation p. W has the mean 1/m under random ballots of m
    judges, not 0.
    """
    whole = arrays.main(table, study)
    rows = []
    for domain in (*dict.fromkeys(whole.domains.tolist()), EVERYWHERE):
        ballots = whole if domain == EVERYWHERE else whole.of_domain(domain)
        indices = {own: _indices(ballots, study, own) for own in (False, True)}
        concordance = _w(ballots, study)
        for place, candidate in enumerate(ballots.candidates):
            numbers = {
                "rii": indices[False][place],
                "rii_without_own": indices[True][place],
                "w": _of_all(concordance.w, ballots, (0, 1)),
            }
            entry = row(study, numbers)
            rows.append(
                {
                    "domain": domain,
                    "candidate": candidate,
                    **_size(ballots),
                    **{name: value for name, value in entry.items() if name != "note"},
                    **_null(concordance, entry["w"]),
                    "note": entry["note"],
                }
            )
    return pd.DataFrame(rows)


def _w(ballots: Ballots, study: Study) -> Concordance:
    return kendall_w(ballots.ranks, study.confidence, seed=study.seed)


def _null(found: Concordance, shown: float) -> Row:
    """Return what random ballots give, where the observed W is shown."""
    values = {
        "w_null": found.null_mean,
        "w_null_low": found.null_low,
        "w_null_high": found.null_high,
        "w_p": found.p,
    }
    return {name: number(None if pd.isna(shown) else value) for name, value in values.items()}


def pairwise(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate who is preferred to whom: one row a pair of candidates.

    ``preferred`` is the share of the ballots that put the candidate above the other,
    ``preferred_by_others`` that of judges who are neither of the two. ``lead`` is the candidate's
    RII minus the other's: the two are told apart where its interval excludes 0.
    """
    ballots = arrays.main(table, study)
    leads = _rii(ballots, study).leads
    rows = []
    for (first, second), lead in leads.items():
        others = ~np.isin(ballots.own, (first, second))
        numbers = {
            "preferred": _preferred(ballots, first, second, study),
            "preferred_by_others": _preferred(ballots.of_judges(others), first, second, study),
            "lead": _of_all(lead, ballots),
        }
        pair = {"candidate": ballots.candidates[first], "other": ballots.candidates[second]}
        rows.append({**pair, **_size(ballots), **row(study, numbers)})
    return pd.DataFrame(rows, columns=_PAIRWISE)


_PAIRWISE = [
    *("candidate", "other", "n", "clusters", "invalid"),
    *columns("preferred", "preferred_by_others", "lead"),
    "note",
]


def _preferred(ballots: Ballots, first: int, second: int, study: Study) -> Number:
    one, two = ballots.ranks[..., first], ballots.ranks[..., second]
    above = np.where(np.isnan(one - two), np.nan, one < two)
    estimate = clustered_proportion(above.ravel(), prompt_labels(above), study.confidence)
    return _of_all(estimate, ballots)


def mean_ranks(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate the mean rank that each judge gives each candidate: judge × candidate.

    ``own`` marks the judge's own answers.
    """
    ballots = arrays.main(table, study)
    rows: list[dict[str, Any]] = []
    for place, judge in enumerate(ballots.judges):
        mine = ballots.of_judges(np.arange(len(ballots.judges)) == place)
        for candidate, name in enumerate(ballots.candidates):
            estimate = prompt_mean(mine.ranks[..., candidate], study.confidence)
            rows.append(
                {
                    "judge": judge,
                    "candidate": name,
                    "own": bool(ballots.own[place] == candidate),
                    **_size(mine),
                    **row(
                        study, {"mean_rank": _of_all(estimate, mine, (1, len(ballots.candidates)))}
                    ),
                }
            )
    return pd.DataFrame(rows)
