"""Labelled judgments: read from the originals, kept as facts, without a sentence of theirs."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from conftest import ROOT
from judgeworthy import study
from judgeworthy.errors import ParameterError
from judgeworthy.models.record import Record
from judgeworthy.sections import kept
from judgeworthy.sections.human_agreement import labelled
from sections.human_agreement import labelled_by_people as planted

DATA = ROOT.parent / "shared" / "data"
NAMES = ("openqa-eval", "nomiracl-en", "nomiracl-ar", "nomiracl-te")
LABEL = "True|False|"
TEXTLESS = {
    "question_id": r"[\w#-]+",
    "cluster": r"[\w#-]+",
    "condition": "NR|RV|RC|recorded",
    "generator": r"[\w.+-]*",
    "judge": r"[\w.-]+",
    "verdict": "CORRECT|INCORRECT|ANSWERABLE|UNANSWERABLE|INVALID",
    "reason": "[a-z_]*",
    "flags": "[a-z_ ]*",
    "human": LABEL,
    "human_1": LABEL,
    "human_2": LABEL,
    "human_3": LABEL,
    "finish_reason": "[a-z_]*",
    "prompt_tokens": "[0-9]*",
    "completion_tokens": "[0-9]*",
    "request_id": "[0-9a-f]*",
}


@pytest.fixture
def originals(monkeypatch: pytest.MonkeyPatch) -> Path:
    if not DATA.is_dir():
        pytest.skip("the data sets' originals are not here")
    monkeypatch.setenv("JUDGEWORTHY_OPENQA_EVAL", str(DATA / "original" / "openqa_eval"))
    monkeypatch.setenv("JUDGEWORTHY_NOMIRACL", str(DATA))
    monkeypatch.setenv("JUDGEWORTHY_QA_EVAL", str(DATA / "original" / "qa_eval"))
    monkeypatch.chdir(ROOT)
    return DATA


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept_is_what_the_originals_give(name: str, originals: Path) -> None:
    chosen = study.load(name)
    pd.testing.assert_frame_equal(labelled.load(chosen), labelled.replay(chosen))
    assert kept.origin(chosen, labelled.SECTION)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "path", ["data/judgments/{}/human_agreement.csv", "figures/{}/human_agreement_judgments.csv"]
)
def test_no_sentence_of_the_data_set_is_committed(name: str, path: str) -> None:
    table = pd.read_csv(ROOT / path.format(name), keep_default_na=False, dtype=str)
    assert set(table.columns) == TEXTLESS.keys()
    for column, pattern in TEXTLESS.items():
        odd = {value for value in table[column] if not re.fullmatch(pattern, value)}
        assert not odd, column


def test_our_judges_see_every_answer_of_the_sampled_questions_under_three_conditions(
    originals: Path, project: Path
) -> None:
    text = (project / "params" / "x.yaml").read_text(encoding="utf-8")
    text = text.partition("calibration:")[0].replace("parallel", "qa-eval")
    (project / "params" / "x.yaml").write_text(text + "human_agreement: {}\n", encoding="utf-8")
    items = labelled.items(study.load("x"))
    assert len(items) == 4 * 5 * 3
    assert {item.condition for item in items} == {"NR", "RV", "RC"}
    assert all(item.response and item.human is not None for item in items)
    assert len({(item.question.id, item.generator, item.condition) for item in items}) == 60
    (stage,) = labelled.stages(study.load("x"), Record.of("x"))
    assert len(stage["judge"]) == 60


LONG = "Perhaps. " * 40


@pytest.mark.parametrize(("extract", "reason"), [(True, "truncated"), (False, "no_phrase")])
def test_a_long_reply_is_cut_off_in_the_extract_alone(
    extract: bool, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(name: str, **row: object) -> None:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps({"query_id": "1#0"} | row) + "\n")

    if extract:
        said = {"verdicts": {"m": LONG}, "human_label": "relevant"}
        write("nomiracl_verdicts.en.jsonl", language="en", question=None, **said)
    else:
        fields = {"docids": ["1"], "prompt": None, "template": "vanilla"}
        write("relevant/en.test.vanilla_prompt.jsonl", results={"m": LONG}, **fields)
        other = {"query_id": "2#0", "results": {"m": "I don't know"}, **fields}
        write("non_relevant/en.test.vanilla_prompt.jsonl", **other)
    monkeypatch.setenv("JUDGEWORTHY_NOMIRACL", str(tmp_path))
    table = labelled.replay(study.load("nomiracl-en"))
    assert table.loc[0, ["verdict", "reason"]].tolist() == ["INVALID", reason]


@pytest.mark.parametrize("name", NAMES)
def test_nobody_is_asked_where_others_recorded_the_verdicts(name: str) -> None:
    assert list(labelled.stages(study.load(name), Record.of(name))) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("parallel", "openqa-eval", "openqa-eval cannot have the block 'calibration'"),
        ("calibration:", "human_agreement: {}\ncalibration:", "of the block 'sensitivity'; add it"),
        ("parallel", "qa-eval", "it may have human_agreement"),
        ("judges:\n  - judge\n", "", "give judges and max_tokens"),
    ],
)
def test_blocks_that_do_not_fit_the_data_set_are_refused(
    old: str, new: str, said: str, project: Path
) -> None:
    path = project / "params" / "x.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(ParameterError) as caught:
        study.load("x")
    assert said in str(caught.value)
    assert "Value error" not in str(caught.value) and "{" not in str(caught.value)


def test_items_are_read_by_what_judge_and_people_say() -> None:
    table = planted.table({("a", "NR"): "CIIx"}, "CCIC")
    assert labelled.read_items(table, "a", accepted=False, human=True)["question_id"].tolist() == [
        "q0001"
    ]
    with pytest.raises(ParameterError, match="no judge 'b'"):
        labelled.read_items(table, "b", accepted=False, human=True)
