"""Stage 4: the map from labels to models, which lies in a file of its own, is put back."""

import csv
from collections.abc import Sequence
from pathlib import Path

from judgeworthy import project
from judgeworthy.errors import DataError
from judgeworthy.sections.peer_ranking.blinding import Orders, Paper


def location(study: str) -> Path:
    """Return the file of a study's map."""
    return project.root() / "data" / "maps" / f"{study}.csv"


def put_away(orders: Orders, path: Path) -> None:
    """Write the map: judge, paper, and the models in the order shown."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["judge", "paper", "models"])
        for (judge, place), models in orders.items():
            writer.writerow([judge, place, " ".join(models)])


def of_papers(papers: Sequence[Paper], path: Path) -> Orders:
    """Return the map of these papers.

    Raises
    ------
    DataError
        If the file is missing or broken, or has no such paper or one of other length.
    """
    orders = read(path)
    for paper in papers:
        found = orders.get((paper.judge, paper.place), ())
        if len(found) != len(paper.answers):
            raise DataError(
                f"{path}: of other papers ({paper.judge}, {paper.place}); 'make record' writes it "
                "anew."
            )
    return orders


def read(path: Path) -> Orders:
    """Read the map.

    Raises
    ------
    DataError
        If the file is missing or broken.
    """
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        return {(row["judge"], row["paper"]): tuple(row["models"].split()) for row in rows}
    except FileNotFoundError:
        raise DataError(f"{path}: no such map; 'make record' writes it.") from None
    except (KeyError, AttributeError, UnicodeDecodeError, csv.Error):
        raise DataError(f"{path}: broken; restore it from version control.") from None
