"""A report of some studies, from the notebooks as they are stored, and a browser to look at it."""

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, Page

from browsing import launched
from judgeworthy.report.build import build
from reported import STUDIES, Open, place


@pytest.fixture(scope="session")
def project_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A project whose report is built, once for all that test it at the same time."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "reported"
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / "build" / "report" / "index.html").is_file():
            place(folder, STUDIES)
            with chdir(folder):
                build()
    return folder


@pytest.fixture(scope="session")
def report(project_folder: Path) -> Path:
    return project_folder / "build" / "report"


@pytest.fixture(scope="session")
def pages(report: Path) -> list[str]:
    """The addresses of all pages."""
    return sorted(path.relative_to(report).as_posix() for path in report.rglob("*.html"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def watched(browser: Browser, report: Path) -> Iterator[tuple[Page, list[str]]]:
    """A page of the browser, and what went wrong in it or was asked of the network."""
    page = browser.new_page()
    faults: list[str] = []
    page.on("console", lambda message: faults.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("requestfailed", lambda request: faults.append(f"failed: {request.url[:200]}"))
    page.on("request", lambda request: faults.extend(foreign(request.url, report)))
    yield page, faults


@pytest.fixture
def page_of(watched: tuple[Page, list[str]], report: Path) -> Iterator[Open]:
    """Open pages of the report; nothing may go wrong in them."""
    page, faults = watched
    faults.clear()

    def go(address: str, width: int = 1200) -> Page:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto("about:blank")
        page.goto(f"{report.as_uri()}/{address}")
        return page

    yield go
    assert faults == []


def foreign(url: str, report: Path) -> list[str]:
    ours = url.startswith((report.as_uri(), "data:", "about:"))
    return [] if ours else [f"asked for {url}"]
