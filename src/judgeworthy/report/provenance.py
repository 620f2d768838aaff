"""Where a page comes from: hashes of what it was made from, and the versions that made it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from platform import python_version

from judgeworthy.report.found import Files

MANIFEST = Path("figures", "manifest.json")
_PACKAGES = ("judgeworthy", "numpy", "pandas", "scipy", "statsmodels", "matplotlib", "nbconvert")
_INPUTS = {
    "params": "parameters",
    "data": "data",
    "record": "replies",
    "source": "source",
    "lock": "lock",
}


@dataclass(frozen=True)
class Provenance:
    """What figures and tables of a page were made from.

    Attributes
    ----------
    hashes : tuple of dict
        SHA-256 by what was hashed; one for each run that made some of the files.
    unpublished : tuple of str
        Files that are not those of the manifest.
    """

    hashes: tuple[Mapping[str, str], ...]
    unpublished: tuple[str, ...]


def manifest() -> dict[str, dict[str, str]]:
    """Return the manifest's entries; none where nothing was published yet."""
    if not MANIFEST.is_file():
        return {}
    entries: dict[str, dict[str, str]] = json.loads(MANIFEST.read_text(encoding="utf-8"))
    return entries


def of(files: Files, names: Iterable[str], entries: Mapping[str, Mapping[str, str]]) -> Provenance:
    """Return what some of a study's files were made from, as the manifest says."""
    hashes: list[dict[str, str]] = []
    unpublished = []
    for name in names:
        entry = entries.get(f"figures/{files.study}/{name}", {})
        made_from = {word: entry[key] for key, word in _INPUTS.items() if key in entry}
        if entry.get("sha256") != files.digests[name]:
            unpublished.append(name)
        elif made_from not in hashes:
            hashes.append(made_from)
    return Provenance(tuple(hashes), tuple(unpublished))


@cache
def versions() -> dict[str, str]:
    """Return the versions of what made the report."""
    return {"Python": python_version(), **installed(*_PACKAGES)}


def installed(*packages: str) -> dict[str, str]:
    """Return the versions of packages."""
    return {name: version(name) for name in packages}
