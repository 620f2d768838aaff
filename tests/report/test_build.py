"""What is built from what, and when it is built again."""

import json
import re
from contextlib import chdir
from html import unescape
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from judgeworthy.cli import main
from judgeworthy.errors import DataError
from judgeworthy.report import answer, found, libraries, polish
from judgeworthy.report.build import build
from reported import ROOT, place

STUDIES = ("tydiqa-te", "en", "models")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose report is not built yet; we are in it."""
    folder = tmp_path / "small"
    place(folder, STUDIES)
    monkeypatch.chdir(folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return the report's files without the time at which they were made."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): timeless(path.read_bytes()) for path in files}


def timeless(content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    return b"".join(line for line in lines if b"<time>" not in line)


def test_two_builds_are_equal_to_the_byte_but_for_the_time(small: Path) -> None:
    first = contents(build().front.parent)
    Path("build/.report.json").unlink()
    assert len(build().made) == len(first)
    assert contents(small / "build" / "report") == first


def test_what_nothing_changed_for_is_not_made_again(small: Path) -> None:
    build()
    assert build().made == ()
    notebook = Path("build/en/01_calibration.ipynb")
    text = notebook.read_text(encoding="utf-8")
    notebook.write_text(text.replace("does the judge know", "does it know"), encoding="utf-8")
    made = build().made
    assert "en/01_calibration.html" in made
    assert not [name for name in made if name.startswith(("tydiqa", "judgments", "figures/"))]
    assert "en/02_sensitivity.html" in made, "since it names the other page"


def test_what_is_gone_leaves_the_report(small: Path) -> None:
    build()
    Path("build/en/02_sensitivity.ipynb").unlink()
    build()
    assert not Path("build/report/en/02_sensitivity.html").exists()
    assert "Sensitivity" not in Path("build/report/en/01_calibration.html").read_text()


def test_without_executed_notebooks_the_next_command_is_said(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = CliRunner().invoke(main, ["report"])
    assert done.exit_code == 1
    assert "make reproduce" in done.output
    assert "Traceback" not in done.output


def test_a_broken_notebook_is_named_with_the_next_command(small: Path) -> None:
    Path("build/en/01_calibration.ipynb").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match=r"en/01_calibration.ipynb.*make reproduce STUDY=en"):
        build()


def test_a_study_that_was_not_executed_is_named_with_the_command_that_does(small: Path) -> None:
    build()
    assert "make reproduce STUDY=tydiqa-te" in Path("build/report/tydiqa-te/index.html").read_text()
    assert "make reproduce STUDY=tydiqa-te" in Path("build/report/index.html").read_text()


def test_a_picture_that_is_not_the_published_one_is_shown_all_the_same(small: Path) -> None:
    notebook = Path("build/en/01_calibration.ipynb")
    content = json.loads(notebook.read_text(encoding="utf-8"))
    pictures = [
        output["data"]
        for cell in content["cells"]
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", {})
    ]
    pictures[0]["image/png"] = pictures[1]["image/png"].replace("\n", "")[:-8] + "AAAAAAAA"
    notebook.write_text(json.dumps(content), encoding="utf-8")
    build()
    assert 'src="data:image/png;base64,' in Path("build/report/en/01_calibration.html").read_text()


def test_a_file_that_is_not_the_published_one_is_said_to_be_none(small: Path) -> None:
    figures = Path("build/en/figures")
    figures.mkdir()
    for path in sorted((ROOT / "figures/en").iterdir()):
        figures.joinpath(path.name).write_bytes(path.read_bytes())
    figures.joinpath("calibration.csv").write_text("judge,c1\nx,0.5\n")
    build()
    page = Path("build/report/en/01_calibration.html").read_text()
    assert "Not published as shown here: calibration.csv." in page


def test_the_page_holds_no_style_or_script_of_its_own(report: Path, pages: list[str]) -> None:
    for address in pages:
        text = (report / address).read_text(encoding="utf-8")
        assert not re.search(r'<style|\sstyle="|<script>|\son[a-z]+="|@import', text), address
        assert not re.search(r'(?:src|<link[^>]* href)="https?:', text), address
        assert "default-src 'none'" in unescape(text), address


def test_the_answer_follows_the_estimates() -> None:
    decided, calibrated, drops = (
        pd.read_csv(ROOT / "figures" / "summary" / f"{name}.csv")
        for name in ("judge_card", "calibration", "languages")
    )
    said = answer.sentences(decided, calibrated, drops)
    assert len(said) == 3
    changed = decided.assign(decision="do not use")
    changed.loc[3, "decision"] = "trust without reference"
    row = changed.loc[3]
    first = answer.sentences(changed, calibrated, drops)[0]
    assert first.startswith(f"In 1 of {len(decided)} cases, {row['judge']} on {row['study']}")
    assert f"in {len(decided) - 1} the judge is not to be used" in first
    assert "No, in none of" in answer.sentences(changed.drop(index=3), calibrated, drops)[0]


def test_where_nothing_was_measured_the_answer_says_so() -> None:
    decided, calibrated, drops = (
        pd.read_csv(ROOT / "figures" / "summary" / f"{name}.csv").head(0)
        for name in ("judge_card", "calibration", "languages")
    )
    _, accepted, languages = answer.sentences(decided, calibrated, drops)
    assert accepted == "No judge was asked about answers known to be right or wrong."
    assert languages == "No judge was asked the same facts in two languages."


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("0.78 [0.65, 0.87]", "0.78"),
        ("−0.04 [−0.12, 0.04]", "-0.04"),
        ("< 0.0001", "0.0001"),
        ("95%", "95"),
        ("1e-05", "1e-05"),
        ("--", ""),
        ("p01", None),
        ("0 / 0 / 0", None),
        ("2036 كواكب", None),
    ],
)
def test_cells_are_sorted_by_the_number_that_they_begin_with(text: str, order: str | None) -> None:
    assert polish.order(text) == order


def test_a_library_that_exports_nothing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "html").mkdir()
    (tmp_path / "html" / "dt_bundle.js").write_text("export{a as b};")
    monkeypatch.setattr(libraries, "_package", lambda name: tmp_path)
    with pytest.raises(DataError, match=r"requirements\.lock"):
        libraries.datatables()


def test_a_cell_names_its_files_by_texts_and_keywords() -> None:
    with chdir(ROOT):
        files = found.files("te")
    code = 'tables.save(output, calibration=x)\nplots.draw(found["sensitivity"], "nothing")'
    names = files.named_in(code)
    assert {"calibration.csv", "calibration.tex", "sensitivity.csv"} <= set(names)
    assert not [name for name in names if name.startswith(("harder", "flips"))]
