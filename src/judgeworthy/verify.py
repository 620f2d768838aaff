"""The reproduction check: every fresh table against the committed one, number by number.

Needs the standard library alone, so that ``python -S`` starts it at once and a second
``make reproduce`` costs nothing.
"""

import csv
import hashlib
import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

Row = dict[str, str]
Table = dict[tuple[str, ...], Row]

FIGURES = Path("figures")
SUMMARY = "summary"  # the page on all studies
MANIFEST = FIGURES / "manifest.json"
KEYS = (
    "study",
    "question_id",
    "condition",
    "variant",
    "generator",
    "judge",
    "other",
    "transition",
    "measure",
    "effect",
    "response",
    "NR",
    "RV",
    "RC",
    "model",
)
PICTURES = (".png", ".svg")
JUDGMENTS = "_judgments.csv"  # after the section's name
NOT_MADE = "is committed, but the notebooks do not make it"
SHOWN = 40


def compare(study: str) -> tuple[int, list[str]]:
    """Compare a study's fresh tables with the committed ones.

    Returns
    -------
    reproduced : int
        Number of cells that are equal.
    differences : list of str
        One line a cell, row or file that differs.
    """
    reproduced = 0
    differences: list[str] = []
    committed, fresh = FIGURES / study, _built(study)
    names = {*_names(committed, ".csv"), *_names(fresh, ".csv")}
    for name in sorted(
        names, key=lambda name: (not name.endswith(JUDGMENTS), name)
    ):  # causes come first
        equal, differing = _compare_table(committed / name, fresh / name)
        reproduced += equal
        differences.extend(differing)
    for name in _names(committed, ".tex"):
        if not (fresh / name).is_file():
            differences.append(f"{committed / name}: {NOT_MADE}")
        elif _text(fresh / name) != _text(committed / name):
            differences.append(f"{committed / name}: differs from the fresh table")
    return reproduced, differences


def publish(study: str, everything: bool) -> list[str]:
    """Copy a study's fresh files to ``figures/``: those that are new, or everything and no more.

    Returns
    -------
    list of str
        One line a picture that was drawn differently and stays as it was.
    """
    target = FIGURES / study
    target.mkdir(parents=True, exist_ok=True)
    kept = []
    for name in _manifest() if everything else ():
        if _study(name) == study and not (_built(study) / Path(name).name).exists():
            Path(name).unlink(missing_ok=True)
    for file in sorted(_built(study).iterdir()):
        published = target / file.name
        if everything or not published.exists():
            shutil.copyfile(file, published)
        elif file.read_bytes() != published.read_bytes():
            kept.append(f"{published}: drawn differently now; make accept STUDY={study} takes it")
    return kept


def write_manifest(studies: list[str]) -> None:
    """Tie each published file to the hashes of what it was made from.

    A file that is not the fresh one, to the byte, keeps the entry of the run that made it.
    """
    manifest = {name: entry for name, entry in _manifest().items() if Path(name).is_file()}
    for study in studies:
        inputs = _inputs(study)
        for file in sorted(_built(study).iterdir()):
            published = FIGURES / study / file.name
            if published.read_bytes() == file.read_bytes():
                manifest[str(published)] = {"sha256": _hash([published]), **inputs}
    text = json.dumps(dict(sorted(manifest.items())), indent=1) + "\n"
    if not MANIFEST.is_file() or _text(MANIFEST) != text:
        partial = MANIFEST.with_suffix(".partial")
        partial.write_text(text, encoding="utf-8")
        partial.replace(MANIFEST)


def altered(study: str) -> list[str]:
    """Return a line for every published file that is gone, or picture that was altered.

    Tables are compared with the fresh ones, cell by cell, and so need no hash.
    """
    entries = {name: entry for name, entry in _manifest().items() if _study(name) == study}
    lines = []
    for name, entry in entries.items():
        path = Path(name)
        if not path.is_file():
            lines.append(f"{name}: is in the manifest but not there")
        elif path.suffix in PICTURES and _hash([path]) != entry["sha256"]:
            lines.append(f"{name}: is not the file that was published")
    return lines


def _compare_table(committed: Path, fresh: Path) -> tuple[int, list[str]]:
    if not committed.is_file():
        return 0, []
    if not fresh.is_file():
        return 0, [f"{committed}: {NOT_MADE}"]
    old, new = _read(committed), _read(fresh)
    judged = committed.name.endswith(JUDGMENTS)
    equal, differences = 0, []
    for key, row in {**new, **old}.items():
        cells, changes = _changes(old.get(key), new.get(key))
        equal += cells
        if changes:
            source = _source(committed, row) if judged else ""
            label = f"{committed}: {', '.join(key)}"
            differences += [f"{label}: {change}{source}" for change in changes]
    return equal, differences


def _changes(old: Row | None, new: Row | None) -> tuple[int, list[str]]:
    """Return how many cells are as they were, and one entry for each that is not."""
    if old is None or new is None:
        return 0, ["row is new" if old is None else "row is gone"]
    changes = []
    columns = {**old, **new}
    for column in columns:
        was, now = old.get(column, ""), new.get(column, "")
        if was != now:
            changes.append(f"{column} was {was or 'empty'}, is {now or 'empty'} now")
    return len(columns) - len(changes), changes


def _read(path: Path) -> Table:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    keyed: Table = {}
    for number, row in enumerate(rows, start=1):
        names = tuple(f"{name}={row[name]}" for name in KEYS if row.get(name))
        key = names or (f"row {number}",)
        keyed[key if key not in keyed else (*key, f"row {number}")] = row
    return keyed


def _source(table: Path, row: Row) -> str:
    """Say which file a judgment was read from."""
    section = table.name.removesuffix(JUDGMENTS)
    judged = Path("data", "judgments", table.parent.name, f"{section}.csv")
    replies = Path("data", "replies", table.parent.name, f"{row.get('judge')}.jsonl.gz")
    return f" (from {judged if judged.is_file() else replies})"


def _built(study: str) -> Path:
    return Path("build", study, "figures")


def _names(folder: Path, suffix: str) -> list[str]:
    return sorted(path.name for path in folder.glob(f"*{suffix}"))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _study(name: str) -> str:
    return Path(name).parts[1]


def _manifest() -> dict[str, dict[str, str]]:
    if not MANIFEST.is_file():
        return {}
    try:
        manifest: dict[str, dict[str, str]] = json.loads(_text(MANIFEST))
    except ValueError as error:
        sys.exit(f"{MANIFEST}: not JSON ({error}); restore it from version control.")
    return manifest


def _inputs(study: str) -> dict[str, str]:
    whose = "*" if study == SUMMARY else study
    places = ("questions/*.csv", f"judgments/{whose}/*", f"labels/{whose}/*", f"maps/{whose}.csv")
    data = [path for place in places for path in Path("data").glob(place)]
    return {
        "params": _hash([*Path("params").glob(f"{whose}.yaml"), Path("params", "models.yaml")]),
        "data": _hash([*data, *_own(study)]),
        "record": _hash(Path("data", "replies").glob(f"{whose}/*.gz")),
        "source": _hash(_sources(study)),
        "lock": _hash([Path("requirements.lock")]),
    }


def _sources(study: str) -> Iterator[Path]:
    """Yield the notebooks and the modules that their rules name."""
    for rules in Path("build", study).glob("*.d"):
        yield Path("notebooks", rules.with_suffix(".ipynb").name)
        first = _text(rules).splitlines()[0]
        yield from (Path(name) for name in first.split(":", 1)[1].split())


def _own(study: str) -> Iterator[Path]:
    """Yield the files of the user's own data: a rule each, after that of the modules."""
    for rules in Path("build", study).glob("*.d"):
        target = f"{rules.with_suffix('.ipynb')}: "
        for line in _text(rules).splitlines()[1:]:
            if line.startswith(target):
                escaped = line.removeprefix(target).replace("$$", "$")
                yield Path(re.sub(r"\\(.)", r"\1", escaped))


def _hash(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted({file for file in files if file.is_file()}):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def main(arguments: list[str]) -> int:
    """Compare; ``--publish`` what is new after that, or ``--accept`` everything as it is."""
    studies = [name for name in arguments if not name.startswith("-")]
    if "--accept" in arguments:
        for study in studies:
            publish(study, everything=True)
        write_manifest(studies)
        print(f"published as they are: {', '.join(studies)}")
        return 0
    reproduced, differences = 0, []
    for study in studies:
        equal, differing = compare(study)
        reproduced += equal
        differences += [*altered(study), *differing]
    if "--publish" in arguments and not differences:
        kept = [line for study in studies for line in publish(study, everything=False)]
        write_manifest(studies)
        print("\n".join(kept), end="\n" if kept else "")
    _print(differences)
    print(f"{reproduced} numbers reproduced, {len(differences)} differ ({', '.join(studies)})")
    return bool(differences)


def _print(differences: list[str]) -> None:
    for line in differences[:SHOWN]:
        print(line)
    if len(differences) > SHOWN:
        print(f"… and {len(differences) - SHOWN} more")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
