"""The report as a reader sees it: in the dark, on a phone, by keyboard, without a network."""

import re
from pathlib import Path

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page

from reported import ROOT, Open

pytestmark = pytest.mark.browser

SUMMARY = ROOT / "figures" / "summary"
# One of each kind.
KINDS = ("index.html", "en/index.html", "en/01_calibration.html", "judgments.html#study=te")

# Texts whose contrast with what is behind them is less than WCAG AA asks for.
FAINT = """() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b]
    .map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = channels(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const texts = [...document.body.querySelectorAll('*')].filter((e) => e.checkVisibility()
    && !e.matches(':disabled, option')
    && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()));
  const faint = texts.filter((e) => {
    const style = getComputedStyle(e);
    const [one, other] = [channels(style.color), behind(e)].map(light);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < (large ? 3 : 4.5);
  });
  return [texts.length, faint.map((e) => e.outerHTML.slice(0, 200))];
}"""

REACHABLE = "a[href], button, input, select, summary, [tabindex='0']"
# Numbers everything that can be used, and says where the focus is and whether that is seen.
NUMBER = f"""() => [...document.querySelectorAll("{REACHABLE}")]
  .filter((e) => e.checkVisibility({{ visibilityProperty: true }}) && !e.disabled)
  .map((e, i) => {{ e.dataset.number = i; return e.outerHTML.slice(0, 200); }})"""
FOCUS = """() => {
  const e = document.activeElement;
  const style = getComputedStyle(e);
  const seen = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  return [e.dataset.number ?? '', seen];
}"""


def test_every_page_opens_from_disk_without_a_fault_or_a_request_and_fits_a_phone(
    page_of: Open, pages: list[str]
) -> None:
    assert len(pages) > 10
    for address in pages:
        page = page_of(address, width=390)
        assert page.locator("h1").count() == 1, address
        assert page.locator("table:not(.dataTable)").count() == 0, address
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, address


@pytest.mark.parametrize("address", KINDS)
def test_texts_stand_out_from_what_is_behind_them_in_the_light_and_in_the_dark(
    page_of: Open, address: str
) -> None:
    page = page_of(address)
    open_everything(page)
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        count, faint = page.evaluate(FAINT)
        assert count > 50
        assert faint == [], scheme


def open_everything(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")


def test_the_switch_turns_the_light_off_here_and_on_the_next_page(page_of: Open) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page = page_of("ar/index.html")
    light = page.evaluate(ground)
    page.get_by_role("button", name="Dark").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.get_by_role("link", name="Judgments", exact=True).click()
    page.wait_for_url("**/judgments.html*")
    page.get_by_role("button", name="Light").wait_for()
    assert page.evaluate(ground) == dark
    page.get_by_role("button", name="Light").click()
    assert page.evaluate(ground) == light
    page.evaluate("localStorage.clear()")


@pytest.mark.parametrize("address", ["index.html", *KINDS[2:]])
def test_the_keyboard_alone_reaches_everything_and_shows_where_it_is(
    page_of: Open, address: str
) -> None:
    page = page_of(address)
    usable = page.evaluate(NUMBER)
    reached, unseen = set(), []
    for _ in range(len(usable) + 5):
        page.keyboard.press("Tab")
        number, seen = page.evaluate(FOCUS)
        if number in reached:
            break
        reached.add(number)
        unseen += [number] if number and not seen else []
    assert [usable[i] for i in range(len(usable)) if str(i) not in reached] == []
    assert [usable[int(number)] for number in unseen] == []


def test_every_picture_has_words_for_those_who_cannot_see_it(
    report: Path, pages: list[str]
) -> None:
    pictures = [
        (address, picture)
        for address in pages
        for picture in read(report / address).find_all("img")
    ]
    assert len(pictures) > 10
    for address, picture in pictures:
        assert len(str(picture["alt"])) > 20, address
        assert "**" not in str(picture["alt"]), address
        assert not str(picture["src"]).startswith("data:"), "the published picture is shown"


def test_every_link_within_the_report_leads_somewhere(report: Path, pages: list[str]) -> None:
    for address in pages:
        for link in read(report / address).find_all(["a", "img", "script", "link"]):
            way = str(link.get("href") or link.get("src") or "")
            if not re.match(r"https?:|data:|#|$", way):
                file = (report / address).parent / way.partition("#")[0]
                assert file.is_file(), (address, way)


def test_the_front_page_shows_every_decision_with_its_interval(page_of: Open) -> None:
    decided = pd.read_csv(SUMMARY / "judge_card.csv")
    page = page_of("index.html")
    rows = page.locator("#cards ~ .dt-container tbody tr")
    assert rows.count() == len(decided)
    first = decided.iloc[0]
    text = rows.first.inner_text()
    for name in ("judge", "decision"):
        assert first[name] in text
    assert f"{first['value']:.2f} [" in text
    trusted = (decided["decision"] == "trust without reference").sum()
    assert f"of {len(decided)} cases" in page.locator(".answer").first.inner_text()
    assert page.locator(".badge.trust-without-reference").count() == trusted


def test_a_filter_leaves_as_many_rows_as_the_table_has_of_that_kind(page_of: Open) -> None:
    decided = pd.read_csv(SUMMARY / "judge_card.csv")
    page = page_of("index.html")
    page.get_by_label("Filter").fill("not enough data")
    wanted = (decided["decision"] == "not enough data").sum()
    rows = page.locator("#cards ~ .dt-container tbody tr")
    assert rows.count() == wanted
    assert f"{wanted} rows of {len(decided)}" in page.locator(".dt-info").first.inner_text()


def test_a_column_of_estimates_is_sorted_by_number_and_by_keyboard(page_of: Open) -> None:
    page = page_of("index.html")
    page.get_by_role("button", name="Distance: Activate to sort").press("Enter")
    shown = page.locator("#cards ~ .dt-container tbody tr td:last-child").all_inner_texts()
    numbers = [float(text.replace("−", "-")) for text in shown if text != "--"]
    assert len(numbers) > 10
    assert numbers == sorted(numbers)


@pytest.mark.parametrize(("name", "script"), [("te", "Telugu"), ("ar", "Arabic")])
def test_a_script_is_drawn_in_the_embedded_font(
    browser: Browser, report: Path, name: str, script: str
) -> None:
    page = browser.new_page()
    page.goto((report / name / "index.html").as_uri())
    client = page.context.new_cdp_session(page)
    client.send("DOM.enable")
    client.send("CSS.enable")
    root = client.send("DOM.getDocument")["root"]["nodeId"]
    node = client.send("DOM.querySelector", {"nodeId": root, "selector": "h1"})["nodeId"]
    fonts = client.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    page.close()
    assert [script in font["familyName"] for font in fonts if font["isCustomFont"]] == [True]


def test_figures_and_tables_are_downloaded_beside_where_they_are_shown(report: Path) -> None:
    soup = read(report / "en" / "02_sensitivity.html")
    cells = [cell for cell in soup.select("section.cell") if cell.find("figure")]
    assert len(cells) > 5
    for cell in cells:
        links = [str(link["href"]) for link in cell.select(".downloads a")]
        for kind in (".csv", ".svg", ".png"):
            assert any(link.endswith(kind) for link in links), links


def test_a_page_says_what_it_was_made_from(report: Path) -> None:
    footer = read(report / "en" / "02_sensitivity.html").select_one("footer")
    assert footer is not None
    for word in ("parameters", "data", "replies", "source", "lock", "Python", "numpy"):
        assert word in footer.get_text()
    assert "Not published" not in footer.get_text()


def read(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
