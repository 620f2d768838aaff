"""The two commands, as people type them: a sheet is made, filled in, read back and shown."""

import shutil
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner, Result
from nbclient import NotebookClient
from openpyxl import load_workbook

from annotation import arabic
from judgeworthy.annotation import labels, sample
from judgeworthy.cli import main
from judgeworthy.study import Study

FOLDER = Path("build/ar/annotation")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["annotate", *words])


def fill(path: Path, copy: str, *said: str) -> str:
    """Fill in a copy of a sheet: the first labels as given, CORRECT from there on."""
    filled = shutil.copy(path, path.with_name(copy))
    workbook = load_workbook(filled)
    for number, row in enumerate(workbook["items"].iter_rows(min_row=2)):
        row[4].value = said[number] if number < len(said) else "correct"
    workbook.save(filled)
    return str(filled)


def files(project: Path) -> set[str]:
    return {str(path.relative_to(project)) for path in (project / "data/labels").rglob("*.csv")}


def test_make_writes_the_sheets_and_says_what_they_hold_and_what_comes_next(study: Study) -> None:
    done = run("make", "ar")
    assert done.exit_code == 0, done.output
    assert (
        "8 responses to label: 4 whose verdict flips and 4 of 7 whose verdict does not"
        in done.output
    )
    for name in ("ar.xlsx", "ar.csv", "guideline.txt"):
        assert str(FOLDER / name) in done.output.splitlines()
        assert (FOLDER / name).is_file()
    assert "judgeworthy annotate read ar FILE --annotator NAME" in done.output
    ids = [
        row[0]
        for row in load_workbook(FOLDER / "ar.xlsx")["items"].iter_rows(min_row=2, values_only=True)
    ]
    assert ids == [item.id for item in sample.draw(study).items]
    written = (FOLDER / "ar.csv").read_text(encoding="utf-8-sig")
    assert "INCORRECT" not in written
    assert not any(name in written for name in study.models)


def test_the_number_of_others_can_be_chosen(study: Study) -> None:
    assert "4 whose verdict flips and 1 of 7" in run("make", "ar", "--others", "1").output
    assert "4 whose verdict flips and 7 of 7" in run("make", "ar", "--others", "99").output


def test_a_response_that_names_a_maker_is_pointed_out(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "makers" not in run("make", "ar").output
    item = sample.draw(study).items[0]
    shown = sample.Item(item.id, item.question, item.reference, "أنا Qwen من Alibaba Cloud.")
    monkeypatch.setattr(sample, "draw", lambda *_: sample.Sample((shown,), 1, 0, 0))
    done = run("make", "ar")
    assert "1 of them use a name that models or their makers have too" in done.output
    assert item.id in done.output


def test_a_sheet_that_somebody_filled_in_is_not_written_over(study: Study) -> None:
    run("make", "ar")
    assert run("make", "ar").exit_code == 0, "an untouched one is"
    shutil.move(fill(FOLDER / "ar.xlsx", "filled.xlsx"), FOLDER / "ar.xlsx")
    before = (FOLDER / "ar.xlsx").read_bytes()
    done = run("make", "ar")
    assert done.exit_code == 1
    assert "ar.xlsx: somebody has worked on this sheet; read it" in done.output
    assert (FOLDER / "ar.xlsx").read_bytes() == before
    (FOLDER / "ar.xlsx").write_text("torn")
    assert run("make", "ar").exit_code == 1, "as far as can be told"


def test_a_filled_sheet_is_kept_and_the_next_step_told(study: Study, project: Path) -> None:
    run("make", "ar")
    done = run(
        "read",
        "ar",
        fill(FOLDER / "ar.xlsx", "a.xlsx", "incorrect", "unsure"),
        "--annotator",
        "anna",
    )
    assert done.exit_code == 0, done.output
    assert (
        "8 labels of anna in data/labels/ar/anna.csv: 6 CORRECT, 1 INCORRECT, 1 UNSURE"
        in done.output
    )
    assert "have another person label too" in done.output
    assert files(project) == {"data/labels/ar/anna.csv"}
    again = run(
        "read", "ar", fill(FOLDER / "ar.xlsx", "a.xlsx", "incorrect"), "--annotator", "anna"
    )
    assert "1 of them replaced another label" in again.output


def test_disagreements_are_listed_and_adjudicated_in_a_sheet_of_their_own(study: Study) -> None:
    run("make", "ar")
    first, second = (item.id for item in sample.draw(study).items[:2])
    run(
        "read",
        "ar",
        fill(FOLDER / "ar.xlsx", "a.xlsx", "INCORRECT", "UNSURE"),
        "--annotator",
        "anna",
    )
    done = run("read", "ar", fill(FOLDER / "ar.xlsx", "b.xlsx"), "--annotator", "omar")
    assert "8 responses have the labels of two or more of anna, omar" in done.output
    assert "2 of them are labelled differently:" in done.output
    assert f"  {first}  anna INCORRECT, omar CORRECT" in done.output.splitlines()
    path = FOLDER / "ar-disputed.xlsx"
    assert f"judgeworthy annotate read ar {path} --annotator adjudicated" in done.output
    rows = list(load_workbook(path)["items"].iter_rows(min_row=2, values_only=True))
    assert {row[0] for row in rows} == {first, second}
    decided = run(
        "read", "ar", fill(path, "c.xlsx", "CORRECT", "INCORRECT"), "--annotator", "adjudicated"
    )
    assert "No disagreement is left to adjudicate" in decided.output
    final = labels.final(study)
    assert [final[row[0]] for row in rows] == ["CORRECT", "INCORRECT"]
    assert final.value_counts().to_dict() == {"CORRECT": 7, "INCORRECT": 1}


def test_labels_are_kept_though_the_sheet_of_disagreements_is_being_filled_in(study: Study) -> None:
    run("make", "ar")
    run("read", "ar", fill(FOLDER / "ar.xlsx", "a.xlsx", "INCORRECT"), "--annotator", "anna")
    run("read", "ar", fill(FOLDER / "ar.xlsx", "b.xlsx"), "--annotator", "omar")
    shutil.move(fill(FOLDER / "ar-disputed.xlsx", "c.xlsx"), FOLDER / "ar-disputed.xlsx")
    done = run("read", "ar", fill(FOLDER / "ar.xlsx", "d.xlsx"), "--annotator", "zoe")
    assert done.exit_code == 0
    assert "somebody has worked on this sheet" in done.output
    assert labels.annotators(study) == ["anna", "omar", "zoe"]


def test_with_a_fault_nothing_is_kept(study: Study, project: Path) -> None:
    run("make", "ar")
    done = run("read", "ar", fill(FOLDER / "ar.xlsx", "a.xlsx", "", "maybe"), "--annotator", "anna")
    assert done.exit_code == 1
    assert "a.xlsx, row 2: no label" in done.output
    assert "a.xlsx, row 3: 'maybe' is no label" in done.output
    assert "Traceback" not in done.output
    assert files(project) == set()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("make", "y"), "no such parameter file. There are: ar, x"),
        (("make", "x"), "params/x.yaml: this section needs the block 'sensitivity'"),
        (("make", "ar", "--others", "-1"), "-1"),
        (("read", "ar", "none.xlsx", "--annotator", "anna"), "none.xlsx: no such file"),
        (("read", "ar", "none.xlsx", "--annotator", "Anna B"), "'Anna B' cannot name an annotator"),
        (("read", "ar", "none.xlsx"), "--annotator"),
    ],
)
def test_a_fault_is_told_in_words(words: tuple[str, ...], said: str, study: Study) -> None:
    done = run(*words)
    assert done.exit_code in (1, 2)
    assert said in done.output
    assert "Traceback" not in done.output


CELL = """\
from judgeworthy import study, tables
from judgeworthy.annotation import labels
said = labels.of_responses(study.load("ar"))
tables.readable(said[said["flips"]])
"""


def test_labels_that_were_read_back_are_shown_in_a_notebook(study: Study) -> None:
    run("make", "ar")
    for name, copy in (("anna", "a.xlsx"), ("omar", "b.xlsx")):
        said = ["UNSURE"] * 8
        assert (
            run("read", "ar", fill(FOLDER / "ar.xlsx", copy, *said), "--annotator", name).exit_code
            == 0
        )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    NotebookClient(notebook, kernel_name="python3", timeout=300).execute()
    (output,) = notebook.cells[0].outputs
    assert output.data["text/html"].count(
        '<td dir="auto" style="text-align: start">UNSURE</td>'
    ) == 3 * len(arabic.FLIPS)
