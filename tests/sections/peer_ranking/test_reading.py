"""Peer ranking: what is said, laid out and drawn of the numbers, and without any number."""

import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from judgeworthy import tables
from judgeworthy.layouts import peer_ranking as layouts
from judgeworthy.plots import canvas
from judgeworthy.plots import peer_ranking as plots
from judgeworthy.sections.peer_ranking import answers, pairs, published, reading, voted
from judgeworthy.sections.peer_ranking.published import Given
from judgeworthy.study import Study
from sections.peer_ranking import planted, planted_votes
from sections.peer_ranking.planted import NAMES
from sections.peer_ranking.test_estimates import SILENT, panel

STUDY = planted.study()
PAIRED = planted.study(planted_votes.NAMES).model_copy(update={"dataset": "prd"})
MIXED = planted.table(
    panel(ben=planted.by_place, cy=planted.for_itself, dee=planted.sometimes(planted.by_chance, 2))
)


def answered(names: tuple[str, ...] = NAMES) -> pd.DataFrame:
    rows = [
        {
            "prompt_id": f"p{prompt:03}",
            "domain": planted.DOMAINS[prompt % 2],
            "run": run,
            "model": model,
            "empty": (prompt, run, model) == (1, 2, names[0]),
            "cut_off": prompt == 0,
            "left_out": (prompt, run) == (1, 2),
            "names": 1,
            "openings": 0,
            "marks": 2,
        }
        for prompt in range(4)
        for run in (1, 2)
        for model in names
    ]
    return pd.DataFrame(rows, columns=answers.COLUMNS)


def of_ballots(table: pd.DataFrame) -> Given:
    return Given(table, answered(), published.nothing(list(voted.COLUMNS)))


def of_votes(votes: pd.DataFrame) -> Given:
    return Given(pairs.rankings(votes), published.nothing(answers.COLUMNS), votes)


def cases() -> Iterator[tuple[str, Given, Study]]:
    for name, table in {"mixed": MIXED, **SILENT}.items():
        names = NAMES[:3] if name == "three models" else NAMES
        yield name, of_ballots(table), planted.study(names)
    honest = dict.fromkeys(planted_votes.NAMES, planted_votes.by_merit())
    level = dict.fromkeys(planted_votes.NAMES, planted_votes.always_tie)
    yield "pairs", of_votes(planted_votes.votes(honest, planted_votes.by_merit())), PAIRED
    yield "pairs, only ties", of_votes(planted_votes.votes(level, planted_votes.always_tie)), PAIRED


CASES = {name: (given, study) for name, given, study in cases()}


def laid_out(found: dict[str, pd.DataFrame]) -> list[pd.DataFrame]:
    return [
        layouts.ranking(found["ranking"]),
        layouts.methods(found["ranking"]),
        layouts.by_domain(found["ranking_by_domain"]),
        layouts.concordance(found["ranking_by_domain"]),
        layouts.judges(found["judges"]),
        layouts.bias(found["judges"]),
        layouts.pairwise(found["pairwise"]),
        layouts.stability(found["stability"]),
        layouts.strengths(found["strengths"]),
        layouts.pair_judges(found["pair_judges"]),
        layouts.compared_with_people(found["compared_with_people"]),
        found["answers"],
        found["left_out"],
        found["derived_rankings"],
        reading.paradigms(),
    ]


@pytest.mark.parametrize("case", CASES)
def test_every_case_has_sentences_tables_and_figures_without_nan(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, study = CASES[case]
    monkeypatch.setattr(voted, "origin", lambda _: "Votes.")
    found = published.tables(given, study)
    shown = laid_out(found)
    texts = [
        reading.provenance(study, given, found),
        reading.sentences(found, study),
        str(tables.readable(*shown).data),
        *reading.alts(found).values(),
    ]
    for text in texts:
        assert not re.search(r"\b(nan|NaN|None|NA)\b", text), text
    for frame in shown:
        tables.save_latex(frame, tmp_path, "table", "what it holds")
        assert "nan" not in (tmp_path / "table.tex").read_text(encoding="utf-8").lower()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for figure in (
            plots.ranking(found["ranking"], "t"),
            plots.by_domain(found["ranking_by_domain"], "t"),
            plots.mean_ranks(found["mean_ranks"], "t"),
            plots.agreement(found["judges"], "t"),
            plots.stability(found["stability"], "t"),
            plots.strengths(found["strengths"], "t"),
        ):
            canvas.save(figure, tmp_path, "figure", "what it shows")
            drawn = [text.get_text() for axes in figure.axes for text in axes.texts]
            assert not any("nan" in text.lower() for text in drawn)


@pytest.fixture(scope="module")
def found() -> dict[str, pd.DataFrame]:
    return published.tables(of_ballots(MIXED), STUDY)


def test_every_study_publishes_the_same_tables(found: dict[str, pd.DataFrame]) -> None:
    given, study = CASES["pairs"]
    paired = published.tables(given, study)
    assert set(found) == set(paired)
    assert {"ranking", "ranking_by_domain", "judges", "pairwise"} <= set(found)
    for name, frame in found.items():
        if name not in ("answers", "left_out"):
            assert list(frame.columns) == list(paired[name].columns), name
    assert paired["ranking"]["note"].str.contains("rankings with ties and").all()


def test_the_formula_and_what_the_paper_leaves_open_are_marked_as_ours() -> None:
    text = reading.task(STUDY)
    assert "(*N* − *r*)/(*N* − 1)" in text and "our reading" in text and "Readings of ours" in text
    assert "left out of that run as a whole" in text and "closeness to the consensus" in text
    assert "People" not in text and "People's votes are no part" in reading.task(PAIRED)
    assert "our reading" in reading.captions(STUDY)["ranking"]
    paradigms = reading.paradigms()
    assert list(paradigms.columns)[1:] == ["interaction structure", "bias risk", "scalability"]
    assert paradigms["paradigm"].tolist()[-2:] == ["Peer ranking (the paper)", "This package"]
    assert "are ours" in reading.captions(STUDY)["paradigms"]


def test_what_was_answered_scrubbed_and_left_out_is_said(found: dict[str, pd.DataFrame]) -> None:
    text = reading.provenance(STUDY, of_ballots(MIXED), found)
    assert "4 prompts (logic 2, safety 2). 32 answers, 1 of them empty, 8 cut off" in text
    assert "32 names, 0 openings, 64 markdown marks" in text
    assert "1 in all: p001 in run 2 (ann)." in text
    assert "600 ballots, 75 of them asked for more than once, 75 INVALID (two answers" in text
    assert found["answers"].loc[0].tolist() == ["ann", 8, 1, 2, 8, 0, 16]
    assert found["left_out"].to_numpy().tolist() == [[2, "p001", "safety", "ann"]]
    whole = published.tables(Given(MIXED, answered().assign(left_out=False), MIXED[:0]), STUDY)
    assert "No prompt was left out." in reading.provenance(STUDY, of_ballots(MIXED), whole)


def test_a_judge_by_place_one_for_itself_and_one_that_cannot_be_read_are_named(
    found: dict[str, pd.DataFrame],
) -> None:
    lines = reading.sentences(found, STUDY).splitlines()
    by = {line.split("**")[1]: line for line in lines if line.startswith("- **")}
    assert "the ballots carry nothing but the order shown" in by["ben"]
    assert "which place decides" in by["ben"]
    assert "it ranks itself higher than they do" in by["cy"]
    assert "75 of 150 ballots INVALID (tie 75). More is not estimated" in by["dee"]
    assert "nothing but the order" not in by["ann"]
    assert by["Whom the judges prefer."].count("[") == 4
    assert "Kendall's W beside its mean under random ballots" in by["Domains."]


def test_an_index_that_is_not_estimable_is_said_with_its_bounds() -> None:
    table = planted.table(panel(dee=planted.silent))
    text = reading.sentences(published.tables(of_ballots(table), STUDY), STUDY)
    assert "not estimable: 60 of 240 ballots are invalid. It may be anything from ann " in text
    assert "By the judges of whom few ballots are INVALID: ann " in text
    assert "Not compared, for the same reason." in text


def test_pairs_that_are_level_are_said_not_to_be_told_apart() -> None:
    table = planted.table(dict.fromkeys(NAMES, planted.by_merit(("ann", "ben", "cy", "dee"))))
    sure = reading.sentences(published.tables(of_ballots(table), STUDY), STUDY)
    assert "Every pair is told apart" in sure
    level = planted.table(dict.fromkeys(NAMES, planted.by_chance))
    text = reading.sentences(published.tables(of_ballots(level), STUDY), STUDY)
    assert "Not told apart by the interval of the lead: " in text


def test_models_and_people_are_compared_in_words() -> None:
    given, study = CASES["pairs"]
    text = reading.sentences(published.tables(given, study), study)
    assert "from the models' votes alone: ann " in text
    assert "People's votes order them ann > ben > cy." in text
    assert "one person with another" in text and "rankings with ties and" in text


def test_the_alternative_texts_name_each_value(found: dict[str, pd.DataFrame]) -> None:
    texts = reading.alts(found)
    assert texts["ranking"].count(";") == len(found["ranking"]) - 1
    assert texts["mean_ranks"].count(";") == 4 * 4 - 1
    assert "dee ann not estimable" in texts["mean_ranks"]
    assert texts["strengths"].endswith("not measured in this study")
