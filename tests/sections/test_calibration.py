"""Calibration: what is asked, and what is made of the answers."""

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from conftest import COMMITTED
from judgeworthy import datasets, judgments, study, text
from judgeworthy.errors import (
    DataError,
    JudgeworthyError,
    MissingRepliesError,
    ParameterError,
)
from judgeworthy.models.record import Record
from judgeworthy.parsing import REASONS
from judgeworthy.sections import calibration, kept, verdicts
from judgeworthy.study import Study
from judgeworthy.study.blocks import Calibration

ROOT = Path(__file__).parents[2]
PARALLEL, TYDIQA = COMMITTED[:3], COMMITTED[3:]


def planted(c1: str, c2: str, judge: str = "small", documents: int = 1) -> pd.DataFrame:
    """A table from letters: one question a letter, C accepted, I rejected, x invalid."""
    names = {"C": "CORRECT", "I": "INCORRECT", "x": "INVALID"}
    blank = {name: "" for name, type_ in judgments.DTYPES.items() if type_ == "str"}
    rows = [
        blank
        | {
            "question_id": f"q{number:03}",
            "cluster": f"d{number // documents}",
            "answer_type": "thing",
            "condition": condition,
            "judge": judge,
            "verdict": names[letter],
            "reason": "no_object" if letter == "x" else "",
        }
        for condition, letters in (("C1", c1), ("C2", c2))
        for number, letter in enumerate(letters)
    ]
    return judgments.table(rows, judgments.CALIBRATION)


@pytest.fixture
def small() -> Study:
    return Study(
        name="small",
        title="A small study",
        dataset="parallel",
        language="en",
        judges=("small",),
        seed=1,
        max_tokens=100,
        calibration=Calibration(),
    )


def estimate(table: pd.DataFrame, chosen: Study) -> dict[str, object]:
    (row,) = calibration.estimates(table, chosen).to_dict("records")
    return row


@pytest.mark.parametrize("name", PARALLEL)
def test_every_question_is_shown_with_its_reference_and_with_a_wrong_answer(name: str) -> None:
    chosen = study.load(name)
    shown = calibration.items(chosen)
    questions = datasets.questions(chosen)
    assert [item.question.id for item in shown if item.condition == "C1"] == [
        question.id for question in questions
    ]
    wrong = [item for item in shown if item.condition == "C2"]
    assert len(wrong) == len(questions) >= 40
    assert len({item.donor_id for item in wrong}) == len(wrong)
    types = {question.id: question.answer_type for question in questions}
    for item in wrong:
        assert types[item.donor_id] == item.question.answer_type
        assert not any(text.overlaps(item.response, form) for form in item.question.references)


def test_the_languages_have_the_same_wrong_answers() -> None:
    donors = [datasets.wrong_answers(study.load(name)).donors for name in PARALLEL]
    assert donors[0] == donors[1] == donors[2]


def test_the_judge_sees_no_reference_and_no_condition(small: Study) -> None:
    for item in calibration.items(small):
        shown = verdicts.request(item, "small", small).messages[-1]["content"]
        assert shown == f"Question: {item.question.text}\nGenerated answer: {item.response}"


def test_c1_c2_and_their_gap(small: Study) -> None:
    row = estimate(planted("CCCCCCCCII", "CCIIIIIIII"), small)
    assert (row["n"], row["clusters"]) == (10, 10)
    assert (row["c1"], row["c2"]) == (0.8, 0.2)
    assert row["cgp"] == pytest.approx(0.6)
    assert row["c1_low"] < 0.8 < row["c1_high"]
    assert row["cgp_low"] < 0.6 < row["cgp_high"]
    assert (row["cgp_min"], row["cgp_max"]) == (pytest.approx(0.6), pytest.approx(0.6))
    assert row["note"] == ""


def test_invalid_replies_are_neither_rejections_nor_lost(small: Study) -> None:
    row = estimate(planted("C" * 80 + "I" * 10 + "x" * 10, "C" * 20 + "I" * 60 + "x" * 20), small)
    assert row["c1"] == pytest.approx(80 / 90)
    assert row["c2"] == pytest.approx(20 / 80)
    assert (row["c1_invalid"], row["c2_invalid"]) == (10, 20)
    assert (row["cgp_min"], row["cgp_max"]) == (pytest.approx(0.40), pytest.approx(0.70))


def test_above_the_stated_share_of_invalid_replies_nothing_is_estimated(small: Study) -> None:
    row = estimate(planted("CCCCCCCxxx", "IIIIIIIIII"), small)
    assert row["note"] == "not estimable: 3 of 10 C1 replies are invalid"
    assert pd.isna([row["c1"], row["c2"], row["cgp"]]).all()
    assert (row["c1_min"], row["c1_max"]) == (0.7, 1.0)
    said = calibration.sentences(pd.DataFrame([row]), small)
    assert "not estimable" in said and "between 0.70 and 1.00" in said


@pytest.mark.parametrize(
    ("c1", "c2", "note"),
    [
        ("CCCCC", "CCCCC", "degenerate: accepts every answer, right or wrong"),
        ("IIIII", "IIIII", "degenerate: rejects every answer, right or wrong"),
        ("CICIC", "ICICI", "the interval of CGP holds 0: right and wrong not told apart"),
        ("I" * 30, "C" * 30, "accepts wrong answers more often than right ones"),
        ("C" * 30, "I" * 30, ""),
    ],
)
def test_what_a_judge_that_tells_nothing_apart_is_called(
    c1: str, c2: str, note: str, small: Study
) -> None:
    assert estimate(planted(c1, c2), small)["note"] == note


@pytest.mark.parametrize("letters", ["", "C", "x", "xx"])
def test_a_group_too_small_has_a_reason_and_a_sentence_without_nan(
    letters: str, small: Study
) -> None:
    row = estimate(planted(letters, letters), small)
    assert row["note"]
    assert "nan" not in calibration.sentences(pd.DataFrame([row]), small)


def test_questions_of_one_document_widen_the_interval(small: Study) -> None:
    verdicts_ = "CCCCCIIIII" * 6
    alone = estimate(planted(verdicts_, "I" * 60), small)
    together = estimate(planted(verdicts_, "I" * 60, documents=5), small)
    assert together["clusters"] == 12
    assert together["c1_high"] - together["c1_low"] > alone["c1_high"] - alone["c1_low"]


def test_the_sentences_hold_the_numbers_of_the_table(small: Study) -> None:
    estimated = calibration.estimates(planted("C" * 45 + "I" * 5, "C" * 10 + "I" * 40), small)
    said = calibration.sentences(estimated, small)
    assert "**small** accepts 90% of the right answers" in said
    assert "20% of the wrong ones" in said
    assert "CGP 0.70" in said
    assert "accepts wrong answers too" in said


def test_missing_replies_are_named(project: Path) -> None:
    chosen = study.load("x")
    with pytest.raises(MissingRepliesError) as raised:
        calibration.load(chosen)
    message = str(raised.value)
    assert message.startswith("Study 'x': 8 replies are not recorded in")
    assert message.count("  judge  C1  ") == message.count("  judge  C2  ") == 4
    assert "make record STUDY=x" in message


def test_a_study_without_text_starts_from_judgments(project: Path) -> None:
    parameters = project / "params" / "x.yaml"
    parameters.write_text(parameters.read_text().replace("parallel", "tydiqa"))
    chosen = study.load("x")
    table = planted("CCI", "ICI", judge="judge")
    path = project / "data" / "judgments" / "x" / "calibration.csv"
    judgments.write(table, path)
    described = {"origin": "440 rows read.", "asked": kept.asked(chosen, "calibration", table)}
    path.with_suffix(".json").write_text(json.dumps(described))
    read = calibration.load(chosen)
    pd.testing.assert_frame_equal(read, table)
    said = calibration.provenance(chosen, read)
    assert "440 rows read." in said
    assert "not rebuilt from replies" in said


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("CORRECT", "RIGHT", ":2: verdict 'RIGHT'"),
        ("verdict,", "outcome,", "'verdict'"),
    ],
)
def test_a_broken_table_of_judgments_is_named(
    old: str, new: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.csv"
    judgments.write(planted("C", "I"), path)
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(DataError, match=words) as raised:
        judgments.read(path, judgments.CALIBRATION)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize("name", PARALLEL)
def test_items_can_be_read_with_what_the_judge_made_of_them(name: str) -> None:
    chosen = study.load(name)
    table = calibration.load(chosen)
    read = calibration.read_items(table, chosen, chosen.judges[-1], "C1", "CORRECT", n=2)
    assert list(read["verdict"]) == ["CORRECT", "CORRECT"]
    assert read.columns.tolist() == [
        "question",
        "response",
        "extracted answer",
        "explanation",
        "verdict",
    ]
    assert read["extracted answer"].str.len().min() > 0


@pytest.mark.parametrize("name", COMMITTED)
def test_one_row_of_each_committed_table_from_the_raw_judgments(name: str) -> None:
    committed = pd.read_csv(ROOT / "figures" / name / "calibration.csv")
    table = pd.read_csv(
        ROOT / "figures" / name / "calibration_judgments.csv", keep_default_na=False
    )
    row = committed.iloc[sum(map(ord, name)) % len(committed)]
    for arm in ("c1", "c2"):
        mine = table[(table["judge"] == row["judge"]) & (table["condition"] == arm.upper())]
        accepted = (mine["verdict"] == "CORRECT").sum()
        rejected = (mine["verdict"] == "INCORRECT").sum()
        assert row[f"{arm}_invalid"] == len(mine) - accepted - rejected
        if not str(row["note"]).startswith("not estimable"):
            assert row[arm] == pytest.approx(accepted / (accepted + rejected), rel=1e-5)


ID = "(en|ar|te)-[0-9a-f]{10}"
FLAG = "(missing_field|reasoning_block|repaired|several_objects)"
TEXTLESS = {
    "question_id": ID,
    "cluster": "doc-[0-9a-f]{8}",
    "answer_type": "person|place|number|date|thing",
    "condition": "C1|C2",
    "donor_id": f"({ID})?",
    "judge": r"smollm2-135m|qwen2\.5-coder-(0\.5b|1\.5b)",
    "verdict": "CORRECT|INCORRECT|INVALID",
    "reason": f"({'|'.join(REASONS)})?",
    "flags": f"({FLAG}( {FLAG})*)?",
    "extracted_in_response": "(True|False)?",
    "extracted_matches_reference": "(True|False)?",
    "finish_reason": "stop|length|content_filter",
    "prompt_tokens": "[0-9]*",
    "completion_tokens": "[0-9]*",
    "request_id": "[0-9a-f]{64}",
}
FILE_LANGUAGE_OR_COUNT = r"[a-z0-9_.-]+\.(jsonl?|parquet)|\((en|ar|te)\)|[0-9]+"


@pytest.mark.parametrize(
    "path", ["data/judgments/{}/calibration.csv", "figures/{}/calibration_judgments.csv"]
)
@pytest.mark.parametrize("name", TYDIQA)
def test_the_text_of_tydiqa_is_not_in_the_judgments(name: str, path: str) -> None:
    table = pd.read_csv(ROOT / path.format(name), keep_default_na=False, dtype=str)
    assert len(table) > 0
    assert set(table.columns) == TEXTLESS.keys()
    for column, pattern in TEXTLESS.items():
        odd = {value for value in table[column] if not re.fullmatch(pattern, value)}
        assert not odd, column


def test_what_is_said_of_tydiqa_differs_between_languages_in_files_and_counts_alone() -> None:
    said = set()
    for name in TYDIQA:
        described = json.loads((ROOT / f"data/judgments/{name}/calibration.json").read_text())
        assert described.keys() == {"origin", "asked"}
        assert re.fullmatch("[0-9a-f]{64}", described["asked"])
        assert described["origin"].isascii()
        said.add(re.sub(FILE_LANGUAGE_OR_COUNT, "_", described["origin"]))
    assert len(said) == 1


def test_the_identity_of_a_request_does_not_depend_on_the_studys_name(project: Path) -> None:
    shutil.copy(project / "params" / "x.yaml", project / "params" / "y.yaml")
    ids = [
        {
            request.id
            for stage in calibration.stages(study.load(name), Record.of(name))
            for request in stage["judge"].values()
        }
        for name in ("x", "y")
    ]
    assert ids[0] == ids[1]
    assert len(ids[0]) == 8


def test_without_the_text_the_judgments_stand_alone(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGEWORTHY_TYDIQA", str(project / "not-here"))
    parameters = project / "params" / "x.yaml"
    parameters.write_text(parameters.read_text().replace("parallel", "tydiqa"))
    table = planted("CCI", "ICI", judge="judge")
    read = calibration.read_items(table, study.load("x"), "judge", "C1", "CORRECT")
    assert read["question_id"].tolist() == ["q000", "q001"]
    assert "question" not in read.columns


def test_a_judge_that_the_study_does_not_have_is_told_with_those_it_has(project: Path) -> None:
    with pytest.raises(ParameterError, match="no judge 'jugde'"):
        calibration.read_items(planted("C", "I"), study.load("x"), "jugde", "C1", "CORRECT")


@pytest.mark.parametrize("dataset", ["parallel", "tydiqa"])
def test_a_language_that_the_data_set_lacks_is_told_with_those_it_has(
    dataset: str, project: Path
) -> None:
    parameters = project / "params" / "x.yaml"
    changed = parameters.read_text().replace("parallel", dataset).replace(": en", ": fr")
    parameters.write_text(changed)
    with pytest.raises(JudgeworthyError, match=r"fr.*choose one of.*en.*ar.*te"):
        calibration.items(study.load("x"))


def test_an_estimate_without_an_interval_is_said_so(small: Study) -> None:
    estimated = calibration.estimates(planted("CCCI", "CIII", documents=9), small)
    said = calibration.sentences(estimated, small)
    assert "**small** has no interval: " in said
    assert "nan" not in said


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (0, r":8: a judgment stands twice \(question_id, condition, judge\)"),
        (None, ":2: condition 'C9'"),
    ],
)
def test_a_judgment_that_stands_twice_or_under_no_condition_is_named(
    row: int | None, words: str, tmp_path: Path
) -> None:
    table = planted("CCI", "ICI")
    path = tmp_path / "x.csv"
    if row is None:
        table.loc[0, "condition"] = "C9"
    else:
        table = pd.concat([table, table.iloc[[row]]])
    judgments.write(table, path)
    with pytest.raises(DataError, match=words):
        judgments.read(path, judgments.CALIBRATION)
