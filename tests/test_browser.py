"""What a reader of a notebook sees, in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page

from browsing import launched
from judgeworthy import datasets, study, tables

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with launched() as browser:
        yield browser.new_page()


@pytest.mark.parametrize(("name", "direction"), [("en", "ltr"), ("ar", "rtl"), ("te", "ltr")])
def test_items_are_read_in_the_direction_of_their_script(
    page: Page, name: str, direction: str, tmp_path: Path
) -> None:
    questions = datasets.questions(study.load(name))[:3]
    shown = [
        {"question": question.text, "response": question.references[0]} for question in questions
    ]
    html = tables.readable(pd.DataFrame(shown)).data
    path = tmp_path / "items.html"
    path.write_text(f'<!doctype html><meta charset="utf-8">{html}', encoding="utf-8")
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(path.as_uri())
    assert requested == [path.as_uri()]
    cells = page.locator("tbody tr td:first-child")
    assert cells.all_inner_texts() == [question.text for question in questions]
    found = cells.evaluate_all("cells => cells.map(cell => getComputedStyle(cell).direction)")
    assert found == [direction] * 3
