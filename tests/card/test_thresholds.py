"""The thresholds stand in params/summary.yaml and are read strictly."""

from pathlib import Path

import pytest

from conftest import ROOT
from judgeworthy import study
from judgeworthy.card import thresholds
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.errors import ParameterError


def test_the_file_states_every_default_with_a_comment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert thresholds.load() == Thresholds()
    lines = (ROOT / "params" / "summary.yaml").read_text("utf-8").splitlines()
    stated = {line.split(":")[0].strip() for line in lines if line.startswith("  ") and "#" in line}
    assert stated == set(Thresholds.model_fields)


def test_it_is_no_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert "summary" not in study.names()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("kapa: 0.9", "unknown key 'judge_card.kapa'. Did you mean 'kappa'?"),
        ("c1: 1.2", "'judge_card.c1' is '1.2'"),
        ("power: 1", "'judge_card.power' is '1'"),
        ("repetitions: 2", "'judge_card.repetitions' is '2'"),
    ],
)
def test_a_wrong_threshold_is_named_with_its_line(project: Path, line: str, said: str) -> None:
    (project / "params/summary.yaml").write_text(f"judge_card:\n  {line}\n", encoding="utf-8")
    with pytest.raises(ParameterError, match=r"summary\.yaml:2: ") as caught:
        thresholds.load()
    assert said in str(caught.value)
