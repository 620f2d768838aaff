"""What the judges are like: bias, agreement with the others, stability, and their INVALID ballots.

How numbers are written is said in `peer_ranking.rows`: a judge of whom too many ballots are INVALID
is described by these alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

import numpy as np
import pandas as pd

from judgeworthy.sections.peer_ranking import arrays
from judgeworthy.sections.peer_ranking.arrays import Ballots
from judgeworthy.sections.peer_ranking.generating import settings
from judgeworthy.sections.peer_ranking.rows import Number, columns, number, reason, row
from judgeworthy.sections.rates import Row
from judgeworthy.statistics.estimate import Estimate, undefined
from judgeworthy.statistics.proportions import CLUSTER_T, clustered_proportion
from judgeworthy.statistics.rankings.bias import length_preference, self_preference
from judgeworthy.statistics.rankings.concordance import Stability, TradeOff, trade_off
from judgeworthy.statistics.rankings.concordance import stability as stable
from judgeworthy.statistics.rankings.position import PositionBias, position_bias
from judgeworthy.statistics.rankings.rii import JudgeInfluence, leave_one_judge_out
from judgeworthy.study import Study

EVERYONE, ORDERS = "all judges", "orders by RII"
RUNS, SESSIONS = "between runs", "between readings of one run"
NO_PLACES = "the order shown is not known: rankings derived from pairs"
NO_LENGTHS = "the lengths of the answers are not known"
ONE_REPETITION = "one {} only: not measured"


def judges(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Describe each judge: one row a judge.

    ``n`` and ``invalid`` count all its ballots, own answers shown or not; ``reasons`` says why they
    are INVALID, ``asked_again`` how many were asked for more than once. ``agreement`` is Kendall's
    tau with the consensus of the others and ``own_rii`` the RII of its own model, both without any
    judge's own answers. ``self_preference`` is the rank that it gives its own answer minus the mean
    rank by the others: negative where it favours itself; as the others count all judges, and, in
    ``self_preference_without_order_only``, those whose ballots carry more than the order shown,
    because a judge that puts every answer in the middle makes a good judge of a good model look
    selfish. ``position`` is the correlation of rank
    and place: positive where answers shown early are ranked high; ``order_only`` says whether the
    ballots carry nothing but the order shown. ``longer_preferred`` is the share of pairs in which
    it ranks the longer answer higher. ``stable_runs`` and ``stable_readings`` are Kendall's tau
    between its ballots on a prompt in different runs, with new answers, and in different readings
    of the same answers. ``left_out_shift`` is the largest change of an RII without the judge,
    ``left_out_swaps`` the pairs of candidates that change their order.
    """
    ballots, readings = arrays.main(table, study), arrays.readings(table, study)
    positions, influences = _positions(readings, study), _influences(ballots, study)
    listening = [not bias.order_only for bias in positions]
    found = _found(table, ballots, readings, listening, study)
    rows = []
    for place, judge in enumerate(ballots.judges):
        numbers = {
            name: _of(part[place], which, place, _SCALES.get(name, (-inf, inf)))
            for name, (part, which) in found.items()
        }
        numbers["own_rii"] = _of_all(found["own_rii"][0][place], ballots)
        numbers["position"] = _of(positions[place].correlation, readings, place, _TAU)
        rows.append(
            {
                "judge": judge,
                **_ballots(table, judge, study),
                **row(study, numbers),
                **_by_place(positions[place], numbers["position"], study),
                **_left_out(influences[place], ballots, study),
            }
        )
    return pd.DataFrame(rows)[_JUDGES].astype(_TYPES)


_NUMBERS = (
    *("agreement", "own_rii", "self_preference", "self_preference_without_order_only", "position"),
    *("longer_preferred", "stable_runs", "stable_readings"),
)
_JUDGES = [
    *("judge", "n", "clusters", "invalid", *columns("invalid_share"), "reasons", "asked_again"),
    *columns(*_NUMBERS),
    *("position_explained", "position_p", "position_p_any", "order_only"),
    *("left_out_shift", "left_out_swaps", "note"),
]
_TAU, _SHARE = (-1, 1), (0, 1)
_SCALES = {
    "agreement": _TAU,
    "longer_preferred": _SHARE,
    "stable_runs": _TAU,
    "stable_readings": _TAU,
}
_TYPES = {"order_only": "boolean", "left_out_swaps": "Int64"}
_Found = Mapping[str, tuple[Sequence[Estimate], Ballots]]


def _found(
    table: pd.DataFrame,
    ballots: Ballots,
    readings: Ballots,
    listening: Sequence[bool],
    study: Study,
) -> _Found:
    """Return what the estimators say of every judge, and on which ballots."""
    sessions = arrays.sessions(table, study)
    weighed = _trade_off(ballots, study)
    own = self_preference(ballots.ranks, ballots.own, study.confidence)
    apart = [_self_preference(place, listening, ballots, study) for place in range(len(own))]
    return {
        "agreement": (weighed.agreement, ballots),
        "own_rii": (weighed.performance, ballots),
        "self_preference": (own, ballots),
        "self_preference_without_order_only": (apart, ballots),
        "longer_preferred": (_lengths(readings, study), readings),
        "stable_runs": (_stability(ballots, RUNS, study).judges, ballots),
        "stable_readings": (_stability(sessions, SESSIONS, study).judges, sessions),
    }


def _self_preference(
    place: int, listening: Sequence[bool], ballots: Ballots, study: Study
) -> Estimate:
    """Estimate a judge's self-preference beside those that rank by more than the order shown."""
    kept = np.array(listening, dtype=np.bool_)
    kept[place] = True
    part = ballots.of_judges(kept)
    found = self_preference(part.ranks, part.own, study.confidence)
    return found[int(kept[:place].sum())]


def _trade_off(ballots: Ballots, study: Study) -> TradeOff:
    resamples = settings(study).resamples
    return trade_off(ballots.ranks, ballots.own, study.confidence, resamples, study.seed)


def _influences(ballots: Ballots, study: Study) -> tuple[JudgeInfluence, ...]:
    return leave_one_judge_out(ballots.ranks, confidence=study.confidence, resamples=1)


def _of(
    estimate: Estimate, ballots: Ballots, place: int, scale: tuple[float, float] = (-inf, inf)
) -> Number:
    """Return a judge's number, with how many of its ballots were asked for and are INVALID."""
    asked, invalid = ballots.asked[:, place].sum(), ballots.invalid[:, place].sum()
    return Number(estimate, int(asked), int(invalid), scale=scale)


def _of_all(
    estimate: Estimate, ballots: Ballots, scale: tuple[float, float] = (-inf, inf)
) -> Number:
    asked, invalid = int(ballots.asked.sum()), int(ballots.invalid.sum())
    return Number(estimate, asked, invalid, scale=scale)


def _ballots(table: pd.DataFrame, judge: str, study: Study) -> Row:
    mine = arrays.ballots(table[table["judge"].eq(judge)])
    share = clustered_proportion(
        mine["invalid"].to_numpy(dtype=np.float64), mine["prompt_id"], study.confidence
    )
    why = mine.loc[mine["invalid"], "reason"].value_counts()
    return {
        "n": len(mine),
        "clusters": mine["prompt_id"].nunique(),
        "invalid": int(mine["invalid"].sum()),
        "invalid_share": number(share.value),
        "invalid_share_low": number(share.low),
        "invalid_share_high": number(share.high),
        "reasons": ", ".join(f"{reason_} {count}" for reason_, count in why.items()),
        "asked_again": int(mine["attempts"].gt(1).sum()),
    }


def order_only(table: pd.DataFrame, study: Study) -> list[bool]:
    """Say of every judge whether its ballots carry nothing but the order shown."""
    return [bias.order_only for bias in _positions(arrays.readings(table, study), study)]


def _positions(ballots: Ballots, study: Study) -> tuple[PositionBias, ...]:
    ranked = np.isfinite(ballots.ranks)
    if np.isnan(ballots.places[ranked]).any():
        nothing = PositionBias(undefined(NO_PLACES, CLUSTER_T), (), None, None, None, False)
        return (nothing,) * len(ballots.judges)
    return position_bias(ballots.ranks, ballots.places, study.confidence, seed=study.seed)


def _by_place(found: PositionBias, correlation: Number, study: Study) -> Row:
    left_out = reason(correlation.asked, correlation.invalid, study)
    known = found.explained is not None and not left_out
    numbers = {
        "position_explained": found.explained,
        "position_p": found.p_early_late,
        "position_p_any": found.p_any,
    }
    shown = {name: number(value if known else None) for name, value in numbers.items()}
    return {**shown, "order_only": found.order_only if known else None}


def _lengths(ballots: Ballots, study: Study) -> Sequence[Estimate]:
    """Estimate the preference for longer answers; those of each repetition have their own length.

    So an answer of one repetition counts as another candidate than that of the next.
    """
    ranked = np.isfinite(ballots.ranks)
    if np.isnan(ballots.characters[ranked]).any():
        return (undefined(NO_LENGTHS, CLUSTER_T),) * len(ballots.judges)
    prompts, judges_, repetitions, candidates = ballots.ranks.shape
    apart = np.full((prompts, judges_, repetitions, repetitions, candidates), np.nan)
    sizes = np.zeros((prompts, repetitions, candidates))
    for repetition in range(repetitions):
        apart[:, :, repetition, repetition] = ballots.ranks[:, :, repetition]
        shown = np.nan_to_num(ballots.characters[:, :, repetition])
        sizes[:, repetition] = shown.max(axis=1, initial=0)
    flat = repetitions * candidates
    return length_preference(
        apart.reshape(prompts, judges_, repetitions, flat),
        sizes.reshape(prompts, flat),
        study.confidence,
    )


def _left_out(found: JudgeInfluence, ballots: Ballots, study: Study) -> Row:
    hidden = reason(int(ballots.asked.sum()), int(ballots.invalid.sum()), study)
    known = found.shift is not None and not hidden
    return {
        "left_out_shift": number(found.shift if known else None),
        "left_out_swaps": found.swaps if known else None,
    }


def _stability(ballots: Ballots, measure: str, study: Study) -> Stability:
    """Estimate the stability over the third axis, in words that fit it."""
    if ballots.ranks.shape[2] > 1:
        return _reworded(stable(ballots.ranks, study.confidence), measure)
    what = "run" if measure == RUNS else "reading"
    nothing = undefined(ONE_REPETITION.format(what), CLUSTER_T)
    return Stability(nothing, (nothing,) * len(ballots.judges), nothing)


def _reworded(found: Stability, measure: str) -> Stability:
    if measure == RUNS:
        return found
    judges_ = tuple(_of_readings(tau) for tau in found.judges)
    return Stability(_of_readings(found.ballots), judges_, _of_readings(found.orders))


def _of_readings(tau: Estimate) -> Estimate:
    return replace(tau, note=tau.note.replace("runs", "readings"))


def stability(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Estimate how far rankings stay the same, by Kendall's tau: measure × judge.

    Between runs the answers are new, between readings of one run they are the same: the second is
    what the judges' own noise leaves. `EVERYONE` is the mean over ballots of all judges, `ORDERS`
    compares the candidates' orders by RII.
    """
    measured = {RUNS: arrays.main(table, study), SESSIONS: arrays.sessions(table, study)}
    rows = []
    for measure, ballots in measured.items():
        for judge, tau in _taus(ballots, measure, study).items():
            size = {"n": tau.asked, "clusters": tau.estimate.clusters, "invalid": tau.invalid}
            entry = row(study, {"tau": tau})
            rows.append({"measure": measure, "judge": judge, **size, **entry})
    return pd.DataFrame(rows)


def _taus(ballots: Ballots, measure: str, study: Study) -> dict[str, Number]:
    found = _stability(ballots, measure, study)
    named = {
        judge: _of(tau, ballots, place, _TAU)
        for place, (judge, tau) in enumerate(zip(ballots.judges, found.judges, strict=True))
    }
    whole = {
        EVERYONE: _of_all(found.ballots, ballots, _TAU),
        ORDERS: _of_all(found.orders, ballots, _TAU),
    }
    return named | whole


def agreement_against_index(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Correlate the judges' agreement with the others and the RII of their own models: one row."""
    ballots = arrays.main(table, study)
    found = _trade_off(ballots, study).correlation
    entry = row(study, {"tau": _of_all(found, ballots)})
    return pd.DataFrame([{"judges": found.n, **entry}])
