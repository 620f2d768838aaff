"""A card says the same in every format, and stands alone."""

import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from judgeworthy import simulator, study
from judgeworthy.card import export
from judgeworthy.card.collected import Card
from judgeworthy.card.decision import CRITERIA, decide
from judgeworthy.card.evidence import estimates
from judgeworthy.card.thresholds import Thresholds
from judgeworthy.cli import main
from judgeworthy.simulator import Judge

FEW = Thresholds(repetitions=50)


@pytest.fixture
def card(project: Path, monkeypatch: pytest.MonkeyPatch) -> Card:
    monkeypatch.setattr(export, "CURVE", (30, 50))
    drawn = simulator.evidence(Judge(40, 2, 0.9, 0.6), np.random.default_rng(5))
    return Card(study.load("x"), "judge", drawn, decide(estimates(drawn), FEW))


def test_json_holds_every_measure_and_missing_numbers_are_null(card: Card) -> None:
    (said,) = json.loads(export.as_json([card], FEW))
    assert said["decision"] == str(card.decision.verdict)
    assert [row["measure"] for row in said["measures"]] == list(CRITERIA)
    (kappa,) = [row for row in said["measures"] if row["measure"] == "kappa"]
    assert kappa["value"] is None and kappa["state"] == "missing"
    assert [row["n"] for row in said["curve"]] == [30, 50]
    assert said["thresholds"]["c2"] == 0.10


def test_markdown_says_what_json_says(card: Card) -> None:
    said, text = export.content(card, FEW), export.markdown([card], FEW)
    assert said["sentence"] in text and said["rule"] in text
    header, line, *rows = [row for row in text.splitlines() if row.startswith("|")]
    assert header.count("|") == line.count("|")
    assert len(rows) >= len(CRITERIA)


def test_html_stands_alone_and_is_well_formed(card: Card) -> None:
    page = export.html([card], FEW)
    tags: list[str] = []
    loads: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.append(tag)
            loads.extend(str(value) for name, value in attrs if name in ("src", "href"))

    Reader().feed(page)
    assert {"h1", "table", "svg"} <= set(tags)
    assert all(link.startswith("#") for link in loads), "nothing is fetched"


def test_a_name_in_a_title_is_no_markup(card: Card) -> None:
    odd = Card(card.study, "<script>x</script>", card.evidence, card.decision)
    assert "<script>" not in export.html([odd], FEW)


@pytest.mark.parametrize("kind", export.FORMATS)
def test_the_command_writes_every_format(project: Path, kind: str) -> None:
    (project / "params/summary.yaml").write_text("judge_card:\n  repetitions: 50\n")
    done = CliRunner().invoke(main, ["card", "x", "--format", kind])
    assert done.exit_code == 0, done.output
    assert "not enough data" in done.output


def test_a_wrong_judge_is_told(project: Path) -> None:
    (project / "params/summary.yaml").write_text("judge_card:\n  repetitions: 50\n")
    done = CliRunner().invoke(main, ["card", "x", "--judge", "juge"])
    assert done.exit_code != 0 and "Did you mean 'judge'" in done.output
