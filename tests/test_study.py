"""A study is one parameter file."""

from pathlib import Path

import pytest

from conftest import COMMITTED, ROOT, STUDY
from judgeworthy import study
from judgeworthy.errors import ParameterError
from judgeworthy.models import catalog


def fault(project: Path, text: str) -> str:
    (project / "params" / "x.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError) as caught:
        study.load("x")
    return str(caught.value)


def test_a_study_is_named_after_its_file(project: Path) -> None:
    loaded = study.load("x")
    assert (loaded.name, loaded.judges, loaded.sample) == ("x", ("judge",), 4)


def test_what_is_left_out_has_a_default(project: Path) -> None:
    loaded = study.load("x")
    assert loaded.calibration is not None
    assert loaded.calibration.wrong_answers == "same_type"
    assert loaded.sensitivity is None
    assert (loaded.temperature, loaded.confidence, loaded.max_invalid) == (0.0, 0.95, 0.2)


def test_the_norwegian_language_is_not_false(project: Path) -> None:
    text = STUDY.replace("language: en", "language: no")
    (project / "params" / "x.yaml").write_text(text, encoding="utf-8")
    assert study.load("x").language == "no"


def test_sede_names_seed(project: Path) -> None:
    said = fault(project, STUDY.replace("seed:", "sede:"))
    assert "params/x.yaml:7: unknown key 'sede'. Did you mean 'seed'?" in said
    assert "the key 'seed' is missing" in said


@pytest.mark.parametrize(
    ("line", "old", "new", "said"),
    [
        (3, "language: en", "language: English", "'language' is 'English'"),
        (3, "language: en", "language: 2026-11-30", "'language' is '2026-11-30'"),
        (2, "dataset: parallel", "dataset: tydi", "should be 'parallel', 'tydiqa'"),
        (7, "seed: 1", "seed: -1", "greater than or equal to 0"),
        (4, "sample: 4", "sample: 0", "greater than or equal to 1"),
        (8, "max_tokens: 100", "max_tokens: 1e-3", "'max_tokens' is '1e-3'"),
        (5, "judges:\n  - judge", "judges: judge", "write a list"),
        (6, "  - judge", "  - judge\n  - judge", "name each judge once"),
    ],
)
def test_a_wrong_value_is_named_with_file_line_and_key(
    project: Path, line: int, old: str, new: str, said: str
) -> None:
    told = fault(project, STUDY.replace(old, new))
    assert f"params/x.yaml:{line}: '" in told
    assert said in told


SENSITIVITY = """\
sensitivity:
  generators: [judge]
  max_tokens: 20
"""


def test_a_study_without_a_judge_is_told(project: Path) -> None:
    told = fault(project, STUDY.replace("judges:\n  - judge", "judges: []"))
    assert told.endswith(
        "params/x.yaml:1: give judges and max_tokens, the token limit of a verdict."
    )


def test_a_study_without_a_generators_prompt_in_its_language_is_told(project: Path) -> None:
    told = fault(project, STUDY.replace("language: en", "language: no") + SENSITIVITY)
    assert "languages ar, en, te, not in 'no'" in told


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("  primary: [RV, RC]\n", "NR"),
        ("  primary: [NR, NR]\n", "RC"),
        ("  compared: 2\n  temperature: 0\n", "where nothing is drawn"),
    ],
)
def test_a_contrast_or_a_noise_floor_that_cannot_be_is_refused(
    project: Path, line: str, said: str
) -> None:
    assert said in fault(project, STUDY + SENSITIVITY + line)


def test_the_name_is_not_offered_as_a_key(project: Path) -> None:
    assert "name" not in fault(project, STUDY + "nmae: x\n").split("Valid keys: ")[1]
    assert "remove the key 'name'" in fault(project, STUDY + "name: x\n")


def test_an_unknown_study_lists_the_others(project: Path) -> None:
    with pytest.raises(ParameterError, match=r"params/y\.yaml: .* There are: x\."):
        study.load("y")


def test_a_study_is_found_from_a_folder_below(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "notebooks").mkdir()
    monkeypatch.chdir(project / "notebooks")
    assert study.names() == ["x"]
    assert study.load("x").name == "x"


@pytest.mark.parametrize("name", COMMITTED)
def test_the_committed_studies_load_and_know_their_judges(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    loaded = study.load(name)
    assert loaded.own_text == (not name.startswith("tydiqa-"))
    assert set(loaded.judges) <= set(catalog.load().models)
