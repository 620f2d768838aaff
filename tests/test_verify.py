"""The reproduction check names every cell, row and file that is not as committed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from judgeworthy import verify

TABLE = "judge,n,c1\nsmall,50,0.88\nlarge,50,0.96\n"
JUDGMENTS = "question_id,condition,judge,verdict\np01,C1,small,CORRECT\np01,C2,small,INCORRECT\n"


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A study that was built once and published."""
    monkeypatch.chdir(tmp_path)
    fresh = Path("build", "te", "figures")
    fresh.mkdir(parents=True)
    Path("build", "te", "01_calibration.d").write_text("build/te/01_calibration.ipynb: a.py\n")
    (fresh / "calibration.csv").write_text(TABLE)
    (fresh / "calibration_judgments.csv").write_text(JUDGMENTS)
    (fresh / "calibration.tex").write_text("\\toprule")
    (fresh / "calibration.png").write_bytes(b"picture")
    assert verify.main(["--publish", "te"]) == 0
    return "te"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_the_first_run_publishes_everything(study: str) -> None:
    published = {path.name for path in Path("figures", study).iterdir()}
    assert published == {
        "calibration.csv",
        "calibration.tex",
        "calibration.png",
        "calibration_judgments.csv",
    }
    assert verify.MANIFEST.is_file()


def test_equal_tables_are_counted_as_reproduced(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify.main([study]) == 0
    assert "14 numbers reproduced, 0 differ" in capsys.readouterr().out


def test_one_changed_number_fails_and_is_named(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(Path("figures/te/calibration.csv"), "0.88", "0.89")
    assert verify.main([study]) == 1
    output = capsys.readouterr().out
    assert "figures/te/calibration.csv: judge=small: c1 was 0.89, is 0.88 now" in output


def test_one_changed_verdict_names_question_condition_judge_and_source(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(
        Path("build/te/figures/calibration_judgments.csv"), "C2,small,INCORRECT", "C2,small,CORRECT"
    )
    assert verify.main([study]) == 1
    output = capsys.readouterr().out
    assert "question_id=p01, condition=C2, judge=small: verdict was INCORRECT, is CORRECT" in output
    assert "from data/replies/te" in output


def test_a_study_without_text_names_its_judgments(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("data/judgments/te").mkdir(parents=True)
    Path("data/judgments/te/calibration.csv").write_text(JUDGMENTS)
    edit(Path("build/te/figures/calibration_judgments.csv"), "C1,small,CORRECT", "C1,small,INVALID")
    assert verify.main([study]) == 1
    assert "from data/judgments/te/calibration.csv" in capsys.readouterr().out


@pytest.mark.parametrize(("old", "new"), [("large,50,0.96\n", ""), ("small,", "tiny,")])
def test_rows_that_come_or_go_are_named(
    study: str, old: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(Path("build/te/figures/calibration.csv"), old, new)
    assert verify.main([study]) == 1
    assert "row is gone" in capsys.readouterr().out


def test_a_changed_latex_table_fails(study: str) -> None:
    edit(Path("figures/te/calibration.tex"), "toprule", "midrule")
    assert verify.main([study]) == 1


@pytest.mark.parametrize("name", ["calibration.csv", "calibration.tex"])
def test_a_table_that_is_no_longer_made_fails(
    study: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("build/te/figures", name).unlink()
    assert verify.main([study]) == 1
    assert "the notebooks do not make it" in capsys.readouterr().out


def test_a_tampered_picture_fails(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("figures/te/calibration.png").write_bytes(b"another picture")
    assert verify.main([study]) == 1
    assert "figures/te/calibration.png: is not the file" in capsys.readouterr().out


def test_a_picture_that_went_missing_fails(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("figures/te/calibration.png").unlink()
    assert verify.main([study]) == 1
    assert "is in the manifest but not there" in capsys.readouterr().out


def test_a_difference_publishes_nothing(study: str) -> None:
    before = verify.MANIFEST.read_bytes()
    edit(Path("build/te/figures/calibration.csv"), "0.88", "0.89")
    assert verify.main(["--publish", study]) == 1
    assert "0.88" in Path("figures/te/calibration.csv").read_text()
    assert verify.MANIFEST.read_bytes() == before


def test_accept_publishes_a_wanted_change(study: str) -> None:
    edit(Path("build/te/figures/calibration.csv"), "0.88", "0.89")
    assert verify.main(["--accept", study]) == 0
    assert "0.89" in Path("figures/te/calibration.csv").read_text()
    assert verify.main([study]) == 0


def test_accept_takes_away_what_is_no_longer_made(study: str) -> None:
    Path("build/te/figures/calibration.tex").unlink()
    assert verify.main(["--accept", study]) == 0
    assert not Path("figures/te/calibration.tex").exists()
    assert verify.main([study]) == 0


def test_a_picture_drawn_differently_elsewhere_changes_nothing(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = verify.MANIFEST.read_bytes()
    Path("build/te/figures/calibration.png").write_bytes(b"picture by another machine")
    assert verify.main(["--publish", study]) == 0
    assert "drawn differently" in capsys.readouterr().out
    assert Path("figures/te/calibration.png").read_bytes() == b"picture"
    assert verify.MANIFEST.read_bytes() == before


def test_the_manifest_ties_files_to_their_inputs(study: str) -> None:
    Path("data/questions").mkdir(parents=True)
    Path("data/questions/parallel.csv").write_text("id\n")
    before = verify.MANIFEST.read_text()
    assert verify.main(["--publish", study]) == 0
    assert verify.MANIFEST.read_text() != before


def test_a_users_own_file_is_among_the_inputs(study: str) -> None:
    target = "build/te/01_calibration.ipynb"
    rules = f"{target}: a.py\n{target}: data/own/my\\ \\#1\\ $$.csv\na.py:\n"
    Path("build/te/01_calibration.d").write_text(rules)
    own = Path("data/own/my #1 $.csv")
    own.parent.mkdir(parents=True)
    hashes = set()
    for text in ("q;a", "q;b"):
        own.write_text(text)
        assert verify.main(["--accept", study]) == 0
        manifest = json.loads(verify.MANIFEST.read_text())
        hashes.add(manifest["figures/te/calibration.csv"]["data"])
    assert len(hashes) == 2


def test_the_page_on_all_studies_rests_on_what_each_of_them_was_made_from(study: str) -> None:
    fresh = Path("build", "summary", "figures")
    fresh.mkdir(parents=True)
    (fresh / "judge_card.csv").write_text("study,judge,decision\nte,small,do not use\n")
    Path("build", "summary", "05_judge_card.d").write_text("build/summary/05.ipynb: a.py\n")
    entries = []
    for judged in ("a", "b"):
        path = Path("data", "judgments", "other", "calibration.csv")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(judged)
        assert verify.main(["--publish", study, "summary"]) == 0
        entries.append(json.loads(verify.MANIFEST.read_text()))
    cards, tables = ("figures/summary/judge_card.csv", "figures/te/calibration.csv")
    assert entries[0][cards]["data"] != entries[1][cards]["data"]
    assert entries[0][tables] == entries[1][tables]


def test_it_needs_the_standard_library_alone(study: str) -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-I", verify.__file__, study], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
