"""What the pages are made from, gathered once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from judgeworthy import parameters
from judgeworthy import study as studies
from judgeworthy.report import found, provenance
from judgeworthy.report.found import Files, Page
from judgeworthy.report.provenance import Provenance

_PACKAGE = Path(__file__).parents[1]
_SOURCES = (".py", ".txt", ".j2", ".json", ".css", ".js")


@dataclass(frozen=True)
class Contents:
    """What there is, by study; "summary" is the page on all studies.

    Attributes
    ----------
    pages : tuple of Page
        The executed notebooks.
    """

    pages: tuple[Page, ...]

    @cached_property
    def files(self) -> dict[str, Files]:
        """Figures and tables of every study that has some."""
        every = {name: found.files(name) for name in found.names()}
        return {name: files for name, files in every.items() if files.paths}

    @cached_property
    def sections(self) -> dict[str, list[Page]]:
        """The pages of every study, also of one whose notebooks were not executed."""
        names = dict.fromkeys((*self.files, *(page.study for page in self.pages)))
        return {name: [page for page in self.pages if page.study == name] for name in names}

    @cached_property
    def titles(self) -> dict[str, str]:
        """How the studies are called, with their languages in their own scripts."""
        return {name: _title(name) for name in self.sections}

    @cached_property
    def plain_titles(self) -> dict[str, str]:
        """How the studies are called where room is scarce."""
        return {name: _title(name, plain=True) for name in self.sections}

    @property
    def rule(self) -> str:
        """The address of the page that states the rule of the decisions."""
        pages = self.sections.get(parameters.SUMMARY) or ()
        return next((page.address for page in pages), f"{parameters.SUMMARY}/index.html")

    @cached_property
    def judged(self) -> dict[str, Files]:
        """The studies whose single judgments can be read."""
        return {
            name: files
            for name, files in self.files.items()
            if any(table.endswith("_judgments.csv") for table in files.paths)
        }

    @cached_property
    def manifest(self) -> dict[str, dict[str, str]]:
        """The entries of ``figures/manifest.json``."""
        return provenance.manifest()

    @cached_property
    def code(self) -> list[str]:
        """What every page depends on: the package's files and the versions of others."""
        paths = sorted(path for path in _PACKAGE.rglob("*") if path.suffix in _SOURCES)
        every = b"".join(path.read_bytes() for path in paths)
        return [found.sha256(every), *provenance.versions().values()]

    def of(self, study: str) -> Files:
        """Return a study's figures and tables, none where there are none."""
        return self.files.get(study, Files(study, {}))

    def table(self, name: str) -> pd.DataFrame | None:
        """Return a table of all studies, if there is one."""
        path = self.of(parameters.SUMMARY).paths.get(name)
        return None if path is None else pd.read_csv(path, keep_default_na=False, na_values=[""])

    def origin(self, study: str, names: Iterable[str]) -> Provenance:
        """Return what some files of a study were made from."""
        return provenance.of(self.of(study), names, self.manifest)

    def inputs(self, study: str) -> list[object]:
        """Return what everything of a study depends on."""
        files = self.of(study)
        entries: dict[str, Mapping[str, str]] = {
            name: self.manifest.get(f"figures/{study}/{name}", {}) for name in files.paths
        }
        return [self.code, files.digests, entries, found.settings(study)]

    def ways(self, study: str) -> list[str]:
        """Return what a page says of a study's other pages."""
        shown = [text for page in self.sections[study] for text in (page.address, page.title)]
        return [self.titles[study], str(study in self.judged), self.rule, *shown]


def _title(study: str, plain: bool = False) -> str:
    if study == parameters.SUMMARY:
        return "All studies"
    chosen = studies.load(study)
    return chosen.plain_title if plain else chosen.title
