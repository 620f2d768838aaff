"""The figures show what the table says, the same to the byte each time."""

import warnings
from pathlib import Path

import pandas as pd
import pytest

from judgeworthy import tables
from judgeworthy.layouts import calibration as layouts
from judgeworthy.plots import calibration as plots
from judgeworthy.plots import canvas

ESTIMATED = pd.DataFrame(
    {
        "judge": ["small", "large", "silent"],
        "n": 50,
        "c1": [0.9, 1.0, None],
        "c1_low": [0.8, 0.93, None],
        "c1_high": [0.95, 1.0, None],
        "c2": [0.88, 0.02, None],
        "c2_low": [0.75, 0.0, None],
        "c2_high": [0.93, 0.1, None],
        "cgp": [0.02, 0.98, None],
        "cgp_low": [-0.1, 0.88, None],
        "cgp_high": [0.14, 1.0, None],
        "c1_invalid": [0, 0, 40],
        "c2_invalid": [1, 0, 41],
        "note": ["", "", "not estimable: 40 of 50 C1 replies are invalid"],
    }
)
TITLE = "العربية · తెలుగు"


def test_the_marks_stand_at_the_estimates() -> None:
    rates, gaps = plots.rates_and_gap(ESTIMATED, TITLE, 0.95).axes
    points = {round(line.get_xdata()[0], 3) for line in rates.lines if len(line.get_xdata())}
    assert {0.9, 0.88, 1.0, 0.02} <= points
    assert {0.02, 0.98} <= {round(line.get_xdata()[0], 3) for line in gaps.lines}


def test_the_labels_of_the_two_scales_stand_apart() -> None:
    figure = plots.rates_and_gap(ESTIMATED, TITLE, 0.95)
    figure.canvas.draw()
    rates, gaps = (
        [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
        for axes in figure.axes
    )
    visible = [box for box in gaps if box.x1 > figure.axes[1].bbox.x0]
    assert rates[-1].x1 < min(box.x0 for box in visible)


def test_n_invalid_and_what_is_not_estimable_stand_in_the_figure() -> None:
    rates, _ = plots.rates_and_gap(ESTIMATED, TITLE, 0.95).axes
    labels = [label.get_text() for label in rates.get_yticklabels()]
    assert labels[0] == "small\nn = 50, invalid 1"
    assert any("not estimable" in text.get_text() for text in rates.texts)


def test_pictures_are_identical_to_the_byte(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        canvas.save(
            plots.rates_and_gap(ESTIMATED, TITLE, 0.95), tmp_path / folder, "calibration", "alt"
        )
    assert "<dc:title>alt</dc:title>" in (tmp_path / "one" / "calibration.svg").read_text()
    for suffix in ("png", "svg"):
        one, two = (tmp_path / folder / f"calibration.{suffix}" for folder in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_arabic_and_telugu_have_glyphs(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        canvas.save(plots.rates_and_gap(ESTIMATED, TITLE, 0.95), tmp_path, "calibration", "alt")


def test_a_latex_table_escapes_and_says_what_is_missing(tmp_path: Path) -> None:
    tables.save_latex(layouts.estimates(ESTIMATED), tmp_path, "t", "At 95% & more_")
    text = (tmp_path / "t.tex").read_text()
    assert r"\caption{At 95\% \& more\_}" in text
    assert "0.90 [0.80, 0.95]" in text
    assert "silent & 50 & -- & -- & -- & 40 & 41" in text


def test_a_csv_is_written_to_six_digits(tmp_path: Path) -> None:
    tables.save(tmp_path, t=pd.DataFrame({"value": [1 / 3]}))
    assert (tmp_path / "t.csv").read_bytes() == b"value\n0.333333\n"


@pytest.mark.parametrize("text", ["<b>bold</b>", "a & b"])
def test_a_readable_table_keeps_texts_as_data_in_their_own_direction(text: str) -> None:
    html = tables.readable(pd.DataFrame({"response": [text]})).data
    assert '<td dir="auto"' in html
    assert text not in html
