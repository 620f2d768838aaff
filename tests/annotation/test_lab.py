"""The widget in JupyterLab, driven by keys in a real browser."""

import os
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Locator, Page, expect, sync_playwright

from annotation import lab
from browsing import CHROMIUM, INSTALL
from judgeworthy.annotation import labels, sample
from judgeworthy.annotation.sample import Item
from judgeworthy.study import Study

WAIT = 120_000  # milliseconds: a kernel may start beside other work

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CELL = """\
from judgeworthy.annotation.widget import annotate
annotate("ar", annotator="anna")
"""
TABLE = """\
from judgeworthy import study, tables
from judgeworthy.annotation import labels
tables.readable(labels.load(study.load("ar")).reset_index())
"""


@pytest.fixture
def browser(study: Study, project: Path) -> Iterator[Page]:
    """Chromium at a notebook with the widget, and a table of the labels under it."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail(INSTALL)
        pytest.skip(INSTALL)
    cells = [nbformat.v4.new_code_cell(source) for source in (CELL, TABLE)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=kernel)
    nbformat.write(notebook, project / "x.ipynb")
    home = project.parent / "home"
    theme = os.environ.get("JUDGEWORTHY_TEST_THEME", "JupyterLab Light")
    with lab.serving(project, home, theme) as url, sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = launched.new_page(viewport={"width": 1200, "height": 1000})
        page.set_default_timeout(WAIT)
        expect.set_options(timeout=WAIT)
        page.goto(f"{url}lab/tree/x.ipynb?token={lab.TOKEN}")
        yield page
        launched.close()


def run_cell(page: Page, number: int) -> None:
    """Run a cell of the notebook by the keyboard alone."""
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
    page.locator(".jp-CodeCell .cm-content").nth(number).click()
    page.keyboard.press("Control+Enter")


def focus(page: Page) -> Locator:
    """Come to the widget from its cell by the keyboard alone."""
    root = page.locator(".judgeworthy-annotation")
    expect(root).to_be_visible()
    page.keyboard.press("Escape")
    for _ in range(12):
        if root.evaluate("node => node === document.activeElement"):
            break
        page.keyboard.press("Tab")
    expect(root).to_be_focused()
    return root


def counts(root: Locator, text: str) -> None:
    expect(root.locator(".count")).to_have_text(text)


def look(page: Page, name: str) -> None:
    """Keep a picture, if somebody wants to see it."""
    if folder := os.environ.get("JUDGEWORTHY_TEST_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def saved(study: Study) -> dict[str, tuple[str, str]]:
    return {id_: (each.label, each.comment) for id_, each in labels.read(study, "anna").items()}


def contrast(node: Locator) -> float:
    """Return the contrast of an element's text with what is behind it, after WCAG 2."""
    return float(
        node.evaluate(
            """node => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = numbers(colour).slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const clear = (colour) => colour === "transparent" || numbers(colour)[3] === 0;
  let behind = node;
  while (clear(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
  // A colour with an opacity is seen through.
  const paper = getComputedStyle(behind).backgroundColor;
  const [r, g, b, a = 1] = numbers(getComputedStyle(node).color);
  const under = numbers(paper);
  const ink = [r, g, b].map((c, i) => a * c + (1 - a) * under[i]);
  const [one, two] = [light(`rgb(${ink.join(",")})`), light(paper)].sort((x, y) => y - x);
  return (one + 0.05) / (two + 0.05);
}"""
        )
    )


def test_arabic_items_are_labelled_by_keys_and_no_label_is_lost(
    browser: Page, study: Study
) -> None:
    items = sample.draw(study).items
    run_cell(browser, 0)
    root = focus(browser)
    the_first_item_is_shown_from_right_to_left(root, items[0])
    look(browser, "first")
    keys_label_and_go_on(browser, root)
    keys_are_letters_while_a_comment_is_typed(browser, root)
    a_key_is_known_by_its_place_on_a_keyboard_of_another_script(root)
    said = {
        items[0].id: ("CORRECT", ""),
        items[1].id: ("INCORRECT", ""),
        items[2].id: ("UNSURE", "cui 123 لماذا؟"),
    }
    assert saved(study) == said
    a_label_can_be_changed(browser, root)
    said[items[1].id] = ("UNSURE", "")
    assert saved(study) == said
    the_page_is_loaded_again(browser, root)
    look(browser, "reloaded")
    a_label_that_does_not_reach_the_kernel_is_not_shown_as_saved(browser, root)
    look(browser, "restarted")
    assert saved(study) == said
    run_cell(browser, 0)
    root = focus(browser)
    the_rest_is_labelled(browser, root, items)
    look(browser, "done")
    assert len(saved(study)) == 8
    run_cell(browser, 1)
    the_notebook_shows_the_labels(browser, saved(study))


def the_first_item_is_shown_from_right_to_left(root: Locator, item: Item) -> None:
    counts(root, "Item 1 of 8 · 0 labelled, 0 unsure")
    for name in ("question", "reference", "response"):
        text = root.locator(f"[data-field={name}]")
        expect(text).to_have_text(getattr(item, name))
        assert text.get_attribute("dir") == "auto"
        assert text.evaluate("node => getComputedStyle(node).direction") == "rtl"
        assert contrast(text) >= 4.5
    caption = root.locator(".caption").first
    assert caption.evaluate("node => getComputedStyle(node).textAlign") == "right"
    assert root.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    for node in (caption, root.locator(".count"), root.locator(".hint"), root.get_by_text("Next")):
        assert contrast(node) >= 4.5, node.text_content()


def keys_label_and_go_on(page: Page, root: Locator) -> None:
    page.keyboard.press("1")
    counts(root, "Item 2 of 8 · 1 labelled, 0 unsure")
    expect(root.get_by_role("status")).to_have_text("Saved: item 1, CORRECT.")
    page.keyboard.press("i")
    counts(root, "Item 3 of 8 · 2 labelled, 0 unsure")
    assert page.locator(".jp-CodeCell").count() == 2, "in JupyterLab 1 makes a heading of a cell"


def keys_are_letters_while_a_comment_is_typed(page: Page, root: Locator) -> None:
    root.get_by_label("Comment").focus()
    page.keyboard.type("cui 123 لماذا؟")
    page.keyboard.press("ArrowLeft")
    expect(root.get_by_role("status")).to_have_text("Saved: item 3.")
    counts(root, "Item 3 of 8 · 2 labelled, 0 unsure")
    page.keyboard.press("Escape")
    expect(root).to_be_focused()


def a_key_is_known_by_its_place_on_a_keyboard_of_another_script(root: Locator) -> None:
    root.dispatch_event("keydown", {"key": "ع", "code": "KeyU", "bubbles": True})
    counts(root, "Item 4 of 8 · 3 labelled, 1 unsure")


def a_label_can_be_changed(page: Page, root: Locator) -> None:
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    counts(root, "Item 2 of 8 · 3 labelled, 1 unsure")
    button = root.get_by_role("button", name="INCORRECT")
    expect(button).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("u")
    counts(root, "Item 4 of 8 · 3 labelled, 2 unsure")


def the_page_is_loaded_again(page: Page, root: Locator) -> None:
    page.reload()
    run_cell(page, 0)  # the notebook was not saved, the labels were
    counts(root, "Item 4 of 8 · 3 labelled, 2 unsure")
    page.keyboard.press("Control+s")
    expect(page.locator(".jp-mod-dirty")).to_have_count(0)
    page.reload()
    counts(root, "Item 4 of 8 · 3 labelled, 2 unsure")


def a_label_that_does_not_reach_the_kernel_is_not_shown_as_saved(page: Page, root: Locator) -> None:
    page.get_by_role("menuitem", name="Kernel").click()
    page.get_by_text("Restart Kernel…", exact=True).click()
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
    root.get_by_role("button", name="UNSURE").click()
    expect(root.get_by_role("status")).to_contain_text("Not saved")
    counts(root, "Item 4 of 8 · 3 labelled, 2 unsure")


def the_rest_is_labelled(page: Page, root: Locator, items: tuple[Item, ...]) -> None:
    for number, item in enumerate(items[3:], start=3):
        expect(root.locator(".count")).to_contain_text(f"{number} labelled")
        text = root.locator("[data-field=response]")
        expect(text).to_have_text(item.response or "(empty)")
        assert text.locator("*").count() == 0, "what a response says is text, whatever it is"
        page.keyboard.press("c")
    expect(root.get_by_role("status")).to_have_text("Saved. All 8 items are labelled.")


def the_notebook_shows_the_labels(page: Page, said: dict[str, tuple[str, str]]) -> None:
    rows = page.locator(".jp-RenderedHTMLCommon tbody tr")
    expect(rows).to_have_count(8)
    cells = [row.split() for row in rows.all_inner_texts()]
    assert dict(cells) == {id_: label for id_, (label, _) in said.items()}
