"""What there is to report: the executed notebooks, and the files that they wrote."""

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from judgeworthy import parameters, project
from judgeworthy import study as studies
from judgeworthy.errors import DataError

KINDS = (".csv", ".tex", ".svg", ".png")


@dataclass(frozen=True)
class Page:
    """An executed notebook, and the page that it becomes.

    Attributes
    ----------
    study, section : str
        Such as ``te`` and ``01_calibration``.
    title : str
        Its heading.
    content : dict
        The notebook as JSON.
    digest : str
        SHA-256 of the notebook's file.
    """

    study: str
    section: str
    title: str
    content: dict[str, Any]
    digest: str

    @property
    def address(self) -> str:
        """Where it stands in the report."""
        return f"{self.study}/{self.section}.html"


@dataclass(frozen=True)
class Files:
    """A study's figures and tables.

    Attributes
    ----------
    study : str
    paths : mapping of str to Path
        Where they are, by their names.
    """

    study: str
    paths: Mapping[str, Path]

    @cached_property
    def digests(self) -> dict[str, str]:
        """The SHA-256 of each file, by its name; as in the manifest, of its name and content."""
        return {name: _digest(name, path.read_bytes()) for name, path in self.paths.items()}

    @cached_property
    def stems(self) -> dict[str, list[str]]:
        """The names of files by what they have in common, tables before pictures."""
        found: dict[str, list[str]] = {}
        for name in sorted(self.paths, key=lambda name: KINDS.index(Path(name).suffix)):
            found.setdefault(Path(name).stem, []).append(name)
        return dict(sorted(found.items()))

    def same(self, picture: bytes) -> str | None:
        """Return the name of the file that holds these bytes."""
        known = self.digests.items()
        return next((name for name, digest in known if _digest(name, picture) == digest), None)

    def named_in(self, code: str) -> list[str]:
        """Return the files that a cell names: their stems are its texts or its keywords."""
        words = set(_words(code))
        return [name for stem, names in self.stems.items() if stem in words for name in names]


def names() -> list[str]:
    """Return the names of what has a parameter file: the studies, and the page on all of them."""
    summary = project.root() / "params" / f"{parameters.SUMMARY}.yaml"
    return [*studies.names(), *([parameters.SUMMARY] if summary.is_file() else ())]


def pages() -> list[Page]:
    """Return the executed notebooks of the project's studies, the page on all studies last.

    Raises
    ------
    DataError
        If there is none, or one is broken.
    """
    found = [
        _page(name, path)
        for name in names()
        for path in sorted(Path("build", name).glob("[0-9]*.ipynb"))
    ]
    if not found:
        raise DataError("build/ holds no executed notebook; execute them with: make reproduce")
    return found


def files(study: str) -> Files:
    """Return a study's figures and tables: those of ``build/``, or else the committed ones."""
    folders = (Path("build", study, "figures"), Path("figures", study))
    folder = next((folder for folder in folders if folder.is_dir()), folders[0])
    paths = sorted(path for path in folder.glob("*") if path.suffix in KINDS)
    return Files(study, {path.name: path for path in paths})


def settings(study: str) -> str:
    """Return a study's parameter file as it was written."""
    return (project.root() / "params" / f"{study}.yaml").read_text(encoding="utf-8")


def sha256(content: bytes) -> str:
    """Return the SHA-256 of some bytes, as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _digest(name: str, content: bytes) -> str:
    return sha256(name.encode() + content)


def _page(study: str, path: Path) -> Page:
    raw = path.read_bytes()
    try:
        content: dict[str, Any] = json.loads(raw)
        first = "".join(content["cells"][0]["source"])
    except (ValueError, LookupError, TypeError):
        raise DataError(
            f"{path}: not a notebook; remove it and run: make reproduce STUDY={study}"
        ) from None
    heading = first.partition("\n")[0].lstrip("# ")
    return Page(study, path.stem, heading, content, sha256(raw))


def _words(code: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
