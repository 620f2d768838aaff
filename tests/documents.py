"""What the documents of the project say, taken apart for the tests that hold them to it."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md")),
    *(ROOT / folder / "README.md" for folder in ("benchmarks", "data")),
    *sorted((ROOT / "docs").glob("*.md")),
]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Command:
    """A command as a document shows it, and as words without its comment."""

    document: str
    line: str
    words: tuple[str, ...]
    block: bool

    @property
    def program(self) -> str:
        return Path(self.words[0]).name

    @property
    def text(self) -> str:
        """The command without comment: what it is listed by."""
        return " ".join(self.line.split("#")[0].split())


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def prose(text: str) -> str:
    """Return a document without its fenced blocks."""
    return FENCE.sub("", text)


def quoted(text: str) -> list[str]:
    """Return what stands between backticks outside the fenced blocks."""
    return re.findall(r"`([^`\n]+)`", prose(text))


def commands(*programs: str) -> Iterator[Command]:
    """Yield every command of the fenced blocks of sh, and in the text those of some programs.

    In the text a command without arguments, such as ``judgeworthy init``, only names itself.
    """
    for path in DOCUMENTS:
        text = text_of(path)
        blocks = [body for kind, body in FENCE.findall(text) if kind == "sh"]
        lines = [(line, True) for body in blocks for line in body.splitlines() if line.strip()]
        for line, block in [*lines, *((line, False) for line in quoted(text))]:
            words = _words(line)
            if words and (block or re.sub(r"^\S*/bin/", "", words[0]) in programs):
                yield Command(name(path), line.strip(), words, block)


def _words(line: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(line, comments=True))
    except ValueError:  # prose with an apostrophe, not a command
        return ()


def section(text: str, heading: str) -> str:
    """Return what stands under a heading, up to the next one of its rank or above."""
    level = heading.split(" ", 1)[0]
    rest = text.split(f"\n{heading}\n", 1)[1]
    return re.split(rf"^#{{1,{len(level)}}} ", rest, maxsplit=1, flags=re.M)[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of the rows of all tables of a text, without headings."""
    found = []
    for table in re.findall(r"(?:^\|.*\|\n)+", f"{text}\n", re.M):
        found += [
            [cell.strip() for cell in line.strip("|").split(" | ")]
            for line in table.splitlines()[2:]
        ]
    return found


def names(cell: str) -> list[str]:
    """Return the names in backticks of a cell, those of their interval and bounds among them."""
    found = []
    for column, marks in re.findall(r"`([^`]+)`((?: [±↕])*)", cell):
        ends = ["", *(("_low", "_high") if "±" in marks else ())]
        ends += ["_min", "_max"] if "↕" in marks else []
        found += [f"{column}{end}" for end in ends]
    return found
