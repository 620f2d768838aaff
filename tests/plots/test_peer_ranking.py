"""The figures show what the tables say: values, sizes, own answers, and what is not estimable."""

from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from judgeworthy.plots import canvas
from judgeworthy.plots import peer_ranking as plots
from judgeworthy.sections.peer_ranking import estimates, judges, pairs
from sections.peer_ranking import planted, planted_votes

STUDY = planted.study()
TABLE = planted.table(
    {
        "ann": planted.by_merit(),
        "ben": planted.by_place,
        "cy": planted.for_itself,
        "dee": planted.sometimes(planted.by_merit(), 4),
    }
)
RANKING = estimates.ranking(TABLE, STUDY)


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def labels(figure: Figure, axis: str = "y") -> list[str]:
    return [label.get_text() for label in getattr(figure.axes[0], f"get_{axis}ticklabels")()]


def points(figure: Figure) -> set[float]:
    """The horizontal place of every mark."""
    lines = figure.axes[0].lines
    return {round(line.get_xdata()[0], 6) for line in lines if len(line.get_xdata()) == 1}


def test_the_forest_has_a_mark_an_index_and_the_best_on_top() -> None:
    figure = plots.ranking(RANKING, "t")
    wanted = RANKING[["rii", "rii_without_own", "rii_self_excluded"]].to_numpy().ravel()
    assert {round(value, 6) for value in wanted} <= points(figure)
    best = RANKING.loc[RANKING["rii"].idxmax(), "candidate"]
    assert labels(figure)[0] == f"{best}\nn = 240 ballots, invalid 16"
    assert [text.get_text() for text in figure.legends[0].texts] == [
        "all votes",
        "without own votes",
        "own answer not shown",
    ]


def test_a_forest_without_estimates_shows_bounds_and_why() -> None:
    strict = estimates.ranking(TABLE, planted.study(max_invalid=0.01))
    figure = plots.ranking(strict, "t")
    assert texts(figure).count("not estimable: 16 of 240 ballots are invalid") == 4
    drawn = [list(line.get_xdata()) for line in figure.axes[0].lines]
    assert all([row["rii_min"], row["rii_max"]] in drawn for row in strict.to_dict("records"))
    said = [text.get_text() for text in figure.legends[0].texts]
    assert "judges with few INVALID ballots" in said
    assert any(text.startswith("not estimable: bounds") for text in said)


def test_the_heat_map_has_a_cell_a_domain_and_candidate() -> None:
    found = estimates.ranking_by_domain(TABLE, STUDY)
    figure = plots.by_domain(found, "t")
    assert len(texts(figure)) == len(found) == 12
    first = found.iloc[0]
    cell = f"{first['rii']:.0f}\n[{first['rii_low']:.0f}, {first['rii_high']:.0f}]"
    assert cell in texts(figure)
    assert labels(figure, "x")[-1] == "all\ndomains\nn = 240\ninvalid 16"


def test_own_answers_are_framed_and_a_judge_that_cannot_be_read_is_said() -> None:
    figure = plots.mean_ranks(estimates.mean_ranks(TABLE, STUDY), "t")
    frames = [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]
    assert sorted((round(f.get_x() + 0.48), round(f.get_y() + 0.46)) for f in frames) == [
        (place, place) for place in range(4)
    ]
    assert texts(figure).count("not estimable") == 4
    assert labels(figure)[3] == "dee\nn = 60, invalid 16"


def test_agreement_stands_against_the_index_and_names_who_is_missing() -> None:
    judged = judges.judges(TABLE, STUDY)
    figure = plots.agreement(judged, "t")
    assert texts(figure) == ["ann", "ben", "cy"]
    assert figure.axes[0].get_title() == "not estimable: dee"
    assert round(judged.loc[0, "own_rii"], 6) in points(figure)
    nobody = judged.assign(agreement=float("nan"))
    assert "of no judge" in plots.agreement(nobody, "t").texts[0].get_text()


def test_stability_shows_both_measures_of_every_judge() -> None:
    found = judges.stability(TABLE, STUDY)
    figure = plots.stability(found, "t")
    assert {round(tau, 6) for tau in found["tau"].dropna()} <= points(figure)
    assert labels(figure)[-2:] == [
        "all judges\nn = 240 and 240 ballots",
        "orders by RII\nn = 240 and 240 ballots",
    ]
    assert "between runs: not estimable" in texts(figure)
    none = plots.stability(found.assign(tau=float("nan"), note="one run only"), "t")
    assert none.texts[0].get_text() == "one run only"


def test_models_and_people_stand_side_by_side() -> None:
    honest = dict.fromkeys(planted_votes.NAMES, planted_votes.by_merit())
    votes = planted_votes.votes(honest, planted_votes.by_merit())
    found = pairs.strengths(votes, planted.study(planted_votes.NAMES))
    figure = plots.strengths(found, "t")
    wanted = found[["strength", "strength_without_own", "people_strength"]].to_numpy().ravel()
    assert {round(value, 6) for value in wanted} <= points(figure)
    assert labels(figure)[0] == "ann\nn = 240 votes, people's 120"
    empty = plots.strengths(pd.DataFrame(columns=pairs.STRENGTHS), "t")
    assert empty.texts[0].get_text() == "no people voted in this study"


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_pictures_are_identical_to_the_byte(suffix: str, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        canvas.save(plots.ranking(RANKING, "t"), tmp_path / folder, "ranking", "alt")
    one, two = (tmp_path / folder / f"ranking.{suffix}" for folder in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
