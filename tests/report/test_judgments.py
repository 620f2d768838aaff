"""Single judgments, filtered, searched and read side by side."""

from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Locator, Page

from judgeworthy import datasets, study
from reported import ROOT, Open

pytestmark = pytest.mark.browser


def table(name: str, section: str) -> pd.DataFrame:
    path = ROOT / "figures" / name / f"{section}_judgments.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def counted(page: Page) -> tuple[int, int]:
    """Return the judgments and the entries that the page counts."""
    shown = page.locator("#count")
    shown.filter(has_text="entries").wait_for()
    words = shown.inner_text().split()
    return int(words[0]), int(words[3])


def test_all_judgments_of_all_sections_are_there(page_of: Open) -> None:
    page = page_of("judgments.html#study=en")
    sections = ("calibration", "harder", "sensitivity")
    assert counted(page)[0] == sum(len(table("en", section)) for section in sections)


@pytest.mark.parametrize(
    "chosen",
    [
        {"judge": "qwen2.5-coder-1.5b"},
        {"condition": "RC"},
        {"condition": "NR", "generator": "gemma3-270m", "verdict": "INCORRECT"},
        {"condition": "RV", "judge": "smollm2-135m", "verdict": "CORRECT"},
        {"verdict": "INVALID"},
    ],
    ids=lambda chosen: " ".join(chosen.values()),
)
def test_filters_leave_as_many_judgments_as_the_tables_hold(
    page_of: Open, chosen: dict[str, str]
) -> None:
    page = page_of("judgments.html#study=en")
    counted(page)
    for name, value in chosen.items():
        if not page.locator(f"select[name={name}] option[value='{value}']").count():
            assert name == "verdict"  # of which the study has none
            continue
        page.locator(f"select[name={name}]").select_option(value)
    every = pd.concat([table("en", "calibration"), table("en", "sensitivity")])
    every = every.fillna("")
    every["condition"] = (every["condition"] + " " + every["variant"]).str.strip()
    known = {name: value for name, value in chosen.items() if value != "INVALID"}
    wanted = every[(every[list(known)] == pd.Series(known)).all(axis="columns")]
    if known != chosen:
        assert not (every["verdict"] == "INVALID").any()
    assert counted(page)[0] == len(wanted)


@pytest.mark.parametrize(
    ("way", "first", "second"),
    [("down", "CORRECT", "INCORRECT"), ("up", "INCORRECT", "CORRECT")],
)
def test_flips_are_as_many_as_the_table_of_flips_counts(
    page_of: Open, way: str, first: str, second: str
) -> None:
    judged = table("en", "sensitivity")
    plain = judged[judged["variant"] == ""]
    wide = plain.pivot(
        index=["judge", "generator", "question_id"], columns="condition", values="verdict"
    )
    flipped = ((wide["NR"] == first) & (wide["RC"] == second)).sum()
    assert flipped > 0
    page = page_of(f"judgments.html#study=en&flip=NR-RC-{way}")
    assert counted(page)[1] == flipped


def test_a_flips_two_judgments_stand_side_by_side(page_of: Open) -> None:
    page = page_of("judgments.html#study=en&flip=NR-RC-down")
    counted(page)
    for entry in page.locator("article").all()[:5]:
        without, with_reference = entry.locator(".judgment").all()[:2]
        assert without.locator("h4").inner_text().split() == ["NR", "CORRECT"]
        assert with_reference.locator("h4").inner_text().split() == ["RC", "INCORRECT"]
        (left, top), (right, other_top) = corner(without), corner(with_reference)
        assert left < right
        assert top == other_top
        for part in ("Question", "Reference", "Response", "Extracted answer", "Explanation"):
            assert entry.get_by_text(part, exact=True).count() >= 1


def corner(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box is not None
    return box["x"], box["y"]


def test_a_search_finds_the_questions_that_hold_its_words(page_of: Open) -> None:
    questions = datasets.questions(study.load("en"))
    words = questions[7].text.split()[-2:]
    page = page_of("judgments.html#study=en")
    everything = counted(page)
    page.get_by_label("Search").fill(" ".join(words).upper())
    some = counted(page)
    assert 0 < some[1] < everything[1]
    for entry in page.locator("article").all():
        said = entry.text_content() or ""
        assert all(word.lower() in said.lower() for word in words)
    page.get_by_label("Search").fill("no text holds this word: zzqx")
    assert counted(page) == (0, 0)
    page.get_by_role("button", name="Show all").click()
    assert counted(page) == everything


def test_the_address_keeps_what_was_chosen(page_of: Open) -> None:
    page = page_of("judgments.html#study=te&judge=smollm2-135m&condition=C2&text=1945")
    found = counted(page)
    assert page.locator("select[name=judge]").input_value() == "smollm2-135m"
    page.reload()
    assert counted(page) == found


@pytest.mark.parametrize(("name", "direction"), [("en", "ltr"), ("ar", "rtl"), ("te", "ltr")])
def test_texts_run_in_the_direction_of_their_script(
    page_of: Open, name: str, direction: str
) -> None:
    page = page_of(f"judgments.html#study={name}")
    counted(page)
    said = page.locator("article > .labelled:has-text('Question') .said")
    assert said.first.inner_text() == datasets.questions(study.load(name))[0].text
    found = said.evaluate_all("all => all.map((e) => getComputedStyle(e).direction)")
    assert found == [direction] * 20
    assert said.first.get_attribute("lang") == name


def test_a_study_without_text_of_ours_shows_verdicts_and_says_why(
    page_of: Open, report: Path
) -> None:
    page = page_of("judgments.html#study=qa-eval")
    assert counted(page)[0] == len(table("qa-eval", "human_agreement"))
    assert "is not part of the project" in page.locator("#source").inner_text()
    assert page.locator(".said").count() == 0
    assert "People accept it" in page.locator("article").first.inner_text()


def test_the_rest_of_a_long_list_is_turned_to(page_of: Open) -> None:
    page = page_of("judgments.html#study=en&flip=NR-RC")
    entries = counted(page)[1]
    first = page.locator("article h3").all_inner_texts()
    page.get_by_role("button", name="After").click()
    assert page.locator("#part").inner_text() == f"21 to {min(40, entries)} of {entries}"
    page.get_by_role("button", name="Before").click()
    assert page.locator("article h3").all_inner_texts() == first
