"""Answers compared in pairs: the models' consensus, and the people whom it is compared with.

Bradley–Terry with ties is fitted to the votes of the models alone, in both orders; people's votes
never enter it. Points and intervals cluster on prompts. Methods that need strict rankings read
those that can be derived from the pairs, and say how many of them they leave out.
"""

from collections.abc import Iterator
from math import inf, nan

import numpy as np
import pandas as pd

from judgeworthy.sections import rates
from judgeworthy.sections.peer_ranking import asked
from judgeworthy.sections.peer_ranking.arrays import codes
from judgeworthy.sections.peer_ranking.generating import settings
from judgeworthy.sections.peer_ranking.points import (
    LEVEL,
    Duels,
    earned_by_first,
    percentiles,
    tau_b,
)
from judgeworthy.sections.peer_ranking.rows import Number, columns, row
from judgeworthy.sections.peer_ranking.voted import PEOPLE
from judgeworthy.statistics.clusters import Floats
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.proportions import clustered_proportion
from judgeworthy.statistics.rankings.ballots import candidate_pairs, prompt_mean
from judgeworthy.statistics.rankings.concordance import TAU
from judgeworthy.statistics.rankings.pairs import PairStrengths, davidson
from judgeworthy.statistics.resampling import draws
from judgeworthy.study import Study

ONE_ORDER = "no pair that it read in both orders"
NO_MODEL = "no model of its own"
NOT_COMPARED = "nothing that both decided"
STRENGTHS = [
    *("candidate", "n", "clusters", "people_n"),
    *columns("strength", "strength_without_own", "people_strength", "points", "people_points"),
    *("place", "place_without_own", "people_place", "note"),
]
JUDGES = [
    *("judge", "n", "clusters"),
    *columns("ties", "first_preferred", "consistent", "self_lead", "with_others", "with_people"),
    "note",
]
COMPARED = ["measure", "n", "clusters", *columns("value"), "note"]
DERIVED = ["judge", "rankings", "strict", "tied", "incomplete"]


def names(votes: pd.DataFrame) -> tuple[str, ...]:
    """Return the models whose answers are compared."""
    return tuple(sorted({*votes["first"], *votes["second"]}))


def of_models(votes: pd.DataFrame) -> pd.DataFrame:
    """Return the votes of models."""
    return votes[votes["judge"].ne(PEOPLE)]


def of_people(votes: pd.DataFrame) -> pd.DataFrame:
    """Return the votes of people."""
    return votes[votes["judge"].eq(PEOPLE)]


def without_own(votes: pd.DataFrame) -> pd.DataFrame:
    """Return the votes of which the judge is neither of the two."""
    return votes[votes["judge"].ne(votes["first"]) & votes["judge"].ne(votes["second"])]


def strengths(votes: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate how strong each model is, to the models and to people: one row a candidate.

    ``strength`` is Davidson's, on the logarithmic scale with mean 0, ``points`` the mean over the
    others of the share earned against each, in percent, a tie counting one half: 50 is average.
    ``people_*`` is the same from people's votes, which enter nothing else.
    """
    models, people = of_models(votes), of_people(votes)
    parts = {"": models, "_without_own": without_own(models), "people_": people}
    fits = {name: _davidson(part, votes, study) for name, part in parts.items()}
    places = {name: _places(fit) for name, fit in fits.items()}
    earned = {"": _points(models, votes, study), "people_": _points(people, votes, study)}
    rows = []
    for place, candidate in enumerate(names(votes)):
        estimates = {
            "strength": fits[""].strengths.estimates[place],
            "strength_without_own": fits["_without_own"].strengths.estimates[place],
            "people_strength": fits["people_"].strengths.estimates[place],
            "points": earned[""][place],
            "people_points": earned["people_"][place],
        }
        rows.append(
            {
                "candidate": candidate,
                "n": _about(models, candidate),
                "clusters": votes["question_id"].nunique(),
                "people_n": _about(people, candidate),
                **row(study, {name: _number(estimate) for name, estimate in estimates.items()}),
                "place": places[""][place],
                "place_without_own": places["_without_own"][place],
                "people_place": places["people_"][place],
            }
        )
    counted = ["place", "place_without_own", "people_place"]
    return pd.DataFrame(rows, columns=STRENGTHS).astype(dict.fromkeys(counted, "Int64"))


def _number(estimate: Estimate, scale: tuple[float, float] = (-inf, inf)) -> Number:
    return Number(estimate, 0, 0, scale=scale)


def _about(votes: pd.DataFrame, candidate: str) -> int:
    return int((votes["first"].eq(candidate) | votes["second"].eq(candidate)).sum())


def _davidson(part: pd.DataFrame, votes: pd.DataFrame, study: Study) -> PairStrengths:
    known = names(votes)
    return davidson(
        codes(known, part["first"]),
        codes(known, part["second"]),
        earned_by_first(part).to_numpy(),
        len(known),
        part["question_id"].to_numpy(dtype=str),
        confidence=study.confidence,
    )


def _places(fit: PairStrengths) -> list[int | None]:
    values = fit.strengths.values
    return [
        None if value is None else 1 + sum(other > value for other in values if other is not None)
        for value in values
    ]


def _duels(part: pd.DataFrame, votes: pd.DataFrame) -> Duels:
    return Duels.of(part, names(votes), tuple(votes["question_id"].unique()))


def _draws(votes: pd.DataFrame, study: Study) -> Floats:
    return draws(votes["question_id"].nunique(), settings(study).resamples, study.seed)


def _points(part: pd.DataFrame, votes: pd.DataFrame, study: Study) -> list[Estimate]:
    duels = _duels(part, votes)
    drawn = duels.resampled(_draws(votes, study))
    size = len(part), part["question_id"].nunique()
    return [
        percentiles(value, resamples, *size, study.confidence)
        for value, resamples in zip(duels.whole, drawn.T, strict=True)
    ]


def pairwise(votes: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate who is preferred to whom by the models: one row a pair of candidates.

    ``preferred`` is the share earned, a tie counting one half, ``preferred_by_others`` that of
    judges who are neither of the two; ``lead`` is the difference of the points.
    """
    models = of_models(votes)
    duels, apart = _duels(models, votes), _duels(without_own(models), votes)
    drawn, known = duels.resampled(_draws(votes, study)), names(votes)
    rows = []
    for one, two in zip(*(part.tolist() for part in candidate_pairs(len(known))), strict=True):
        size = int(duels.votes[:, one, two].sum()), int((duels.votes[:, one, two] > 0).sum())
        lead = duels.whole[one] - duels.whole[two]
        resamples = drawn[:, one] - drawn[:, two]
        estimates = {
            "preferred": _number(_share(duels, one, two, study), (0, 1)),
            "preferred_by_others": _number(_share(apart, one, two, study), (0, 1)),
            "lead": _number(percentiles(lead, resamples, *size, study.confidence)),
        }
        entry = row(study, estimates)
        pair = {"candidate": known[one], "other": known[two]}
        rows.append({**pair, "n": size[0], "clusters": size[1], "invalid": 0, **entry})
    return pd.DataFrame(rows)


def _share(duels: Duels, one: int, two: int, study: Study) -> Estimate:
    votes = duels.votes[:, one, two]
    shares = np.divide(
        duels.earned[:, one, two], votes, out=np.full(len(votes), nan), where=votes > 0
    )
    return prompt_mean(shares, study.confidence, NOT_COMPARED)


def judges(votes: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Describe each judge, people last: one row a judge.

    ``ties`` is the share of ties. Over pairs that it read in both orders, ``first_preferred`` is
    the share of its decisions for the answer shown first, which is 0.5 without position bias, and
    ``consistent`` the share of pairs of which both orders have the same outcome. ``self_lead`` is
    the share that it gives its own answers minus what judges who are neither of the two give them:
    positive where it favours itself. ``with_others`` and ``with_people`` are the shares of prompts
    and pairs, decided on both sides, on which it prefers the answer that the majority of the other
    models, and of people, prefers.
    """
    rows = []
    for judge in (*of_models(votes)["judge"].unique(), PEOPLE):
        mine = votes[votes["judge"].eq(judge)]
        others = of_models(votes)[of_models(votes)["judge"].ne(judge)]
        twice = _both_orders(mine)
        majority = _duels(mine, votes).majority
        estimates = {
            "ties": _proportion(mine["outcome"].eq("tie"), mine, study),
            "first_preferred": _first(twice, study),
            "consistent": _consistent(twice, study),
            "self_lead": _self_lead(mine, others, judge, study),
            "with_others": _agreement(majority, _duels(others, votes).majority, study),
            "with_people": undefined("they are the people", TAU)
            if judge == PEOPLE
            else _agreement(majority, _duels(of_people(votes), votes).majority, study),
        }
        size = {"n": len(mine), "clusters": mine["question_id"].nunique()}
        entry = row(study, {name: _number(estimate) for name, estimate in estimates.items()})
        rows.append({"judge": judge, **size, **entry})
    return pd.DataFrame(rows, columns=JUDGES)


def _proportion(hits: pd.Series, rows: pd.DataFrame, study: Study) -> Estimate:
    values = hits.to_numpy(dtype=np.float64)
    return clustered_proportion(values, rows["question_id"].to_numpy(dtype=str), study.confidence)


def _both_orders(mine: pd.DataFrame) -> pd.DataFrame:
    """Return a judge's votes on pairs that it read once in each order, with the other's outcome."""
    index = ["question_id", "vote"]
    turned = mine.rename(columns={"first": "second", "second": "first", "outcome": "turned"})
    return mine.merge(turned[[*index, "first", "second", "turned"]], on=[*index, "first", "second"])


def _first(twice: pd.DataFrame, study: Study) -> Estimate:
    decided = twice[twice["outcome"].ne("tie")]
    if decided.empty:
        return undefined(ONE_ORDER, TAU)
    return _proportion(decided["outcome"].eq("first"), decided, study)


def _consistent(twice: pd.DataFrame, study: Study) -> Estimate:
    once = twice[twice["first"].lt(twice["second"])]
    if once.empty:
        return undefined(ONE_ORDER, TAU)
    same = {"first": "second", "second": "first", "tie": "tie"}
    return _proportion(once["outcome"].map(same).eq(once["turned"]), once, study)


def _self_lead(mine: pd.DataFrame, others: pd.DataFrame, judge: str, study: Study) -> Estimate:
    own, theirs = _shares_of(mine, judge), _shares_of(without_own(others), judge)
    if own.empty:
        return undefined(NO_MODEL, TAU)
    wide = pd.concat([own, theirs], axis="columns", join="inner", keys=["own", "theirs"])
    leads = (wide["own"] - wide["theirs"]).groupby(level="question_id").mean()
    return prompt_mean(leads.to_numpy(), study.confidence, NOT_COMPARED)


def _shares_of(votes: pd.DataFrame, candidate: str) -> pd.Series:
    """Return the share that a candidate earned on each prompt against each of the others."""
    about = votes[votes["first"].eq(candidate) | votes["second"].eq(candidate)]
    earned = earned_by_first(about)
    ahead = about["first"].eq(candidate)
    scored = about.assign(
        other=about["second"].where(ahead, about["first"]), earned=earned.where(ahead, 1 - earned)
    )
    return scored.groupby(["question_id", "other"])["earned"].mean()


def _agreement(one: Floats, two: Floats, study: Study) -> Estimate:
    """Estimate how often two majorities prefer the same answer, of what both decide."""
    first, second = candidate_pairs(one.shape[-1])
    products = one[:, first, second] * two[:, first, second]
    hits = np.where(np.nan_to_num(products) == 0, nan, products > 0)
    clusters = np.repeat(np.arange(len(hits)), hits.shape[1])
    found = clustered_proportion(hits.ravel(), clusters, study.confidence)
    return found if found.defined else undefined(NOT_COMPARED, found.method)


def compared(votes: pd.DataFrame, strong: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Compare the models' consensus with people: one row a measure.

    Whole orders by Kendall's tau, prompts by tau and by the pairs decided on both sides. The last
    two rows belong together: on comparisons with several people's votes, how often one person
    agrees with another, and with the majority of the models.

    Parameters
    ----------
    votes : DataFrame
    strong : DataFrame
        As `strengths` returns it.
    study : Study
    """
    models, people = of_models(votes), of_people(votes)
    ours, theirs = _duels(models, votes), _duels(people, votes)
    apart = _duels(without_own(models), votes).majority
    estimates = {
        "order of strengths, tau": _of_strengths(strong),
        "order of points, tau": _of_points(ours, theirs, votes, study),
        "order within a prompt, mean tau": _within(ours, theirs, study),
        "majorities on a prompt and pair": _agreement(ours.majority, theirs.majority, study),
        "the same without own votes": _agreement(apart, theirs.majority, study),
        "one person with another": _among_people(people, study),
        "one person with the models' majority": _with_models(people, ours, votes, study),
    }
    rows = [
        {
            "measure": measure,
            "n": estimate.n,
            "clusters": estimate.clusters,
            **row(study, {"value": _number(estimate, (-1, 1))}),
        }
        for measure, estimate in estimates.items()
    ]
    return pd.DataFrame(rows, columns=COMPARED)


def _of_strengths(strong: pd.DataFrame) -> Estimate:
    one, two = (strong[name].to_numpy() for name in ("strength", "people_strength"))
    value, size = float(tau_b(one, two)), len(strong)
    if np.isnan(value):
        return undefined(LEVEL, TAU, size, size)
    return Estimate(value, None, None, size, size, TAU, f"{size} candidates: no interval")


def _of_points(models: Duels, people: Duels, votes: pd.DataFrame, study: Study) -> Estimate:
    weights = _draws(votes, study)
    drawn = tau_b(models.resampled(weights), people.resampled(weights))
    value = float(tau_b(models.whole, people.whole))
    if np.isnan(value):
        return undefined(LEVEL, TAU)
    return percentiles(value, drawn, len(models.whole), len(models.votes), study.confidence)


def _within(models: Duels, people: Duels, study: Study) -> Estimate:
    return prompt_mean(tau_b(models.by_prompt, people.by_prompt), study.confidence, NOT_COMPARED)


def _decided(people: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], Floats]]:
    """Yield the comparisons on which several people voted, with their decisions, 1 or -1."""
    decisions = 2 * earned_by_first(people) - 1
    keys = [people[name] for name in ("question_id", "first", "second")]
    for (prompt, first, second), said in decisions.groupby(keys, sort=False):
        if len(said) > 1:
            yield (str(prompt), str(first), str(second)), said[said != 0].to_numpy()


def _among_people(people: pd.DataFrame, study: Study) -> Estimate:
    hits, prompts = [], []
    for (prompt, _, _), said in _decided(people):
        one, two = np.triu_indices(len(said), 1)
        hits += (said[one] == said[two]).tolist()
        prompts += [prompt] * len(one)
    return _share_of(hits, prompts, study)


def _with_models(
    people: pd.DataFrame, models: Duels, votes: pd.DataFrame, study: Study
) -> Estimate:
    known, asked_ = pd.Index(names(votes)), pd.Index(votes["question_id"].unique())
    hits, prompts = [], []
    for (prompt, first, second), said in _decided(people):
        where = asked_.get_loc(prompt), known.get_loc(first), known.get_loc(second)
        majority = models.majority[where]
        if majority in (1, -1):
            hits += (said == majority).tolist()
            prompts += [prompt] * len(said)
    return _share_of(hits, prompts, study)


def _share_of(hits: list[bool], prompts: list[str], study: Study) -> Estimate:
    values = np.array(hits, dtype=np.float64)
    found = clustered_proportion(values, np.array(prompts, dtype=str), study.confidence)
    return found if found.defined else undefined(NOT_COMPARED, found.method)


def derived(votes: pd.DataFrame) -> pd.DataFrame:
    """Count the rankings that can be derived from each judge's votes: one row a judge.

    A judge's points on a prompt order the answers. They make a strict ranking where no two are
    level; a prompt of which a vote is missing makes none.
    """
    rows = []
    for judge, sheets in _sheets(votes):
        states = [_state(sheet) for sheet in sheets.values()]
        counts = {state: states.count(state) for state in DERIVED[2:]}
        rows.append({"judge": judge, "rankings": len(states), **counts})
    return pd.DataFrame(rows, columns=DERIVED)


def rankings(votes: pd.DataFrame) -> pd.DataFrame:
    """Derive strict rankings from the models' votes, as ballots; what is not strict is left out.

    They have no place and no length, because a pair has its own.
    """
    domains = dict(zip(votes["question_id"], votes["domain"], strict=True))
    blank = {"run": 1, "session": 1, "variant": "", "place": nan, "reason": "", "attempts": 1}
    rows = [
        {
            **blank,
            "prompt_id": prompt,
            "domain": domains[prompt],
            "judge": judge,
            "candidate": candidate,
            "rank": 1 + sum(earned > own for earned in sheet.values()),
            "characters": nan,
        }
        for judge, sheets in _sheets(votes)
        for prompt, sheet in sheets.items()
        if _state(sheet) == "strict"
        for candidate, own in sheet.items()
    ]
    return pd.DataFrame(rows, columns=list(asked.COLUMNS))


def _sheets(votes: pd.DataFrame) -> Iterator[tuple[str, dict[str, dict[str, float]]]]:
    """Yield every judge and what each candidate earned by prompt; nothing if a vote is missing."""
    known, prompts = names(votes), tuple(votes["question_id"].unique())
    whole = len(known) * (len(known) - 1)
    for judge, mine in of_models(votes).groupby("judge", sort=False):
        duels = Duels.of(mine, known, prompts)
        earned, cast = duels.earned.sum(axis=-1), duels.votes.sum(axis=(1, 2)) / 2
        yield (
            str(judge),
            {
                prompt: dict(zip(known, points, strict=True)) if count == whole else {}
                for prompt, points, count in zip(prompts, earned.tolist(), cast, strict=True)
                if count
            },
        )


def _state(sheet: dict[str, float]) -> str:
    if not sheet:
        return "incomplete"
    return "strict" if len(set(sheet.values())) == len(sheet) else "tied"


def left_out(counted: pd.DataFrame) -> str:
    """Say how many derived rankings the strict methods leave out."""
    tied, incomplete, whole = (
        int(counted[name].sum()) for name in ("tied", "incomplete", "rankings")
    )
    share = f"{(tied + incomplete) / whole:.0%}" if whole else rates.NOT_ESTIMABLE
    return (
        f"{tied} rankings with ties and {incomplete} with a missing vote are left out, {share} of "
        f"{whole}"
    )
