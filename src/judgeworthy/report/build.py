"""The whole report: which files it consists of, and what each is made from."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from judgeworthy import parameters
from judgeworthy import study as studies
from judgeworthy.card import reading
from judgeworthy.layouts import judge_card as layouts
from judgeworthy.report import answer, browse, cards, found, frame, libraries, provenance
from judgeworthy.report.contents import Contents
from judgeworthy.report.found import Page
from judgeworthy.report.ledger import Ledger
from judgeworthy.report.polish import polish
from judgeworthy.tables import readable

FOLDER = Path("build", "report")
_FRONT = "index.html"
_QUESTION = "May this judge be trusted when it sees no reference answer?"
_ASSETS = Path(__file__).parent / "assets"
_ANSWER = ("judge_card.csv", "calibration.csv", "languages.csv")


@dataclass(frozen=True)
class Built:
    """What was built.

    Attributes
    ----------
    front : Path
        The page to open.
    pages : int
        Number of pages.
    made : tuple of str
        Files that were made anew.
    """

    front: Path
    pages: int
    made: tuple[str, ...]


def build() -> Built:
    """Build the report of what was executed, in ``build/report``.

    Files that nothing changed for stay as they are.

    Raises
    ------
    DataError
        If nothing was executed yet, or a file is broken.
    """
    contents = Contents(tuple(found.pages()))
    ledger = Ledger(FOLDER)
    _assets(ledger)
    _figures(contents, ledger)
    for page in contents.pages:
        _notebook(contents, page, ledger)
    for study in contents.files:
        _study(contents, study, ledger)
    _judgments(contents, ledger)
    _front(contents, ledger)
    ledger.close()
    front = FOLDER / _FRONT
    front.touch()  # by which make sees that everything was looked at
    return Built(front, sum(1 for _ in FOLDER.rglob("*.html")), tuple(ledger.made))


def _assets(ledger: Ledger) -> None:
    for path in sorted(_ASSETS.iterdir()):
        ledger.copy(f"assets/{path.name}", path)
    installed = provenance.installed(*libraries.PACKAGES)
    ledger.write("assets/datatables.js", installed, libraries.datatables)
    ledger.write("assets/fonts.css", installed, libraries.fonts)


def _figures(contents: Contents, ledger: Ledger) -> None:
    for files in contents.files.values():
        for name, path in files.paths.items():
            ledger.copy(f"figures/{files.study}/{name}", path, files.digests[name])
    if contents.manifest:
        ledger.copy("figures/manifest.json", provenance.MANIFEST)


def _notebook(contents: Contents, page: Page, ledger: Ledger) -> None:
    """Make the page of an executed notebook."""

    def filled() -> str:
        # Imported here: where no page is made anew, the converter is not needed.
        from judgeworthy.report import notebook

        study = page.study
        converted = notebook.convert(page, contents.of(study))
        return frame.render(
            "notebook.html.j2",
            f"{page.title} · {contents.titles[study]}",
            "../",
            page=page,
            study=contents.titles[study],
            sections=contents.sections[study],
            fragment=converted.fragment,
            settings=found.settings(study),
            judged=study in contents.judged,
            provenance=contents.origin(study, converted.names),
        )

    inputs = [page.digest, contents.inputs(page.study), contents.ways(page.study)]
    ledger.write(page.address, inputs, filled)


def _study(contents: Contents, study: str, ledger: Ledger) -> None:
    """Make the page of a study: its cards in full, its parameters, everything to download."""
    every = contents.table("measures.csv")
    mine = None if every is None else every[every["study"] == study]

    def filled() -> str:
        return frame.render(
            "study.html.j2",
            contents.titles[study],
            "../",
            name=study,
            sections=contents.sections[study],
            settings=found.settings(study),
            files=contents.of(study),
            rule=contents.rule,
            judged=study in contents.judged,
            provenance=contents.origin(study, contents.of(study).paths),
            **_measures(mine),
        )

    told = "" if mine is None else mine.to_csv()
    ledger.write(f"{study}/{_FRONT}", [told, contents.inputs(study), contents.ways(study)], filled)


def _measures(mine: pd.DataFrame | None) -> dict[str, Any]:
    """Return what was measured of a study's judges as a table in HTML, and what was not."""
    if mine is None or not (mine["n"] > 0).any():
        return {"measures": "", "absent": []}
    measured, labels = mine[mine["n"] > 0], reading.labels()
    shown = layouts.measures(measured.fillna({"note": ""}), labels)
    shown.insert(0, "judge", measured["judge"])
    html = polish(str(readable(shown).data), "Measures of the judges").html
    names = set(mine["measure"]) - set(measured["measure"])
    return {"measures": html, "absent": [labels[name] for name in labels if name in names]}


def _judgments(contents: Contents, ledger: Ledger) -> None:
    """Make the page on which single judgments are read, and its data."""
    titles = {study: contents.titles[study] for study in contents.judged}
    for name, files in contents.judged.items():
        script = partial(browse.script, studies.load(name), files)
        ledger.write(f"judgments/{name}.js", [*contents.inputs(name), _texts(name)], script)
    ledger.write(
        "judgments.html",
        [contents.code, titles],
        lambda: frame.render("judgments.html.j2", "Read the judgments", titles=titles),
    )


def _texts(study: str) -> list[str]:
    """Return the digests of the questions and of a study's recorded replies."""
    paths = [*Path("data", "questions").glob("*.csv"), *Path("data", "replies", study).glob("*")]
    own = [Path(name) for name in studies.load(study).files]
    return [found.sha256(path.read_bytes()) for path in sorted(paths) + own if path.is_file()]


def _front(contents: Contents, ledger: Ledger) -> None:
    def filled() -> str:
        return frame.render(
            "index.html.j2",
            _QUESTION,
            titles=contents.titles,
            sections=contents.sections,
            files=contents.files,
            judged=contents.judged,
            summary=parameters.SUMMARY,
            rule=contents.rule,
            published=bool(contents.manifest),
            **_answer(contents),
        )

    summary = contents.of(parameters.SUMMARY)
    ways = {study: contents.ways(study) for study in contents.sections}
    names = {study: list(files.paths) for study, files in contents.files.items()}
    entries = contents.inputs(parameters.SUMMARY) if summary.paths else [contents.code]
    ledger.write(_FRONT, [entries, ways, names, bool(contents.manifest)], filled)


def _answer(contents: Contents) -> dict[str, Any]:
    """Return what the front page answers, nothing where all studies were not looked at yet."""
    decided, calibrated, drops = (contents.table(name) for name in _ANSWER)
    if decided is None or calibrated is None or drops is None:
        return {"sentences": [], "cards": [], "alt": ""}
    return {
        "sentences": answer.sentences(decided, calibrated, drops),
        "cards": cards.shown(decided, contents.plain_titles),
        "alt": answer.alt(calibrated),
        "provenance": contents.origin(parameters.SUMMARY, _ANSWER),
    }
