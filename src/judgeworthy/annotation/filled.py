"""A filled sheet, checked: every fault at once, with file, row and remedy."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from judgeworthy.annotation import sheet
from judgeworthy.annotation.labels import LABELS, Label
from judgeworthy.annotation.sample import Item
from judgeworthy.errors import DataError

_KNOWN = f"{', '.join(LABELS[:-1])} or {LABELS[-1]}"


def read(path: Path, items: Mapping[str, Item]) -> list[Label]:
    """Read the labels of a sheet that one person filled in.

    Parameters
    ----------
    path : Path
        A workbook, or CSV.
    items : mapping of str to Item
        All that could be labelled, by id; a sheet need not have them all.

    Raises
    ------
    DataError
        If the file cannot be read, has no rows, or has an unknown id, a label that is missing or is
        none, two labels for one id, or a text that is not that of its id. All faults are told.
    """
    rows = sheet.read(path)
    faults = list(_faults(path, rows, items))
    if not rows:
        faults = [f"{path}: no rows under the heading; fill in what 'annotate make' wrote."]
    if faults:
        raise DataError("\n".join([*faults, "Nothing was read. Mend the sheet and read it again."]))
    comments = dict.fromkeys((_id(row) for _, row in rows), "")
    for _, row in rows:
        comments[_id(row)] = comments[_id(row)] or row.get("comment", "").strip()
    return [Label(id_, label, comments[id_]) for id_, (label, _) in _labels(rows).items()]


def _faults(
    path: Path, rows: list[tuple[int, sheet.Row]], items: Mapping[str, Item]
) -> Iterator[str]:
    first = _labels(rows)
    for number, row in rows:
        where, id_, label = f"{path}, row {number}", _id(row), _label(row)
        if id_ not in items:
            yield f"{where}: no item has the id '{id_}'; {_fresh('the row')}."
        else:
            yield from _changed(where, row, items[id_])
        if not label:
            yield f"{where}: no label; write {_KNOWN}."
        elif label not in LABELS:
            yield f"{where}: '{row['label'].strip()}' is no label; write {_KNOWN}."
        elif (earlier := first[id_]) and earlier[0] != label:
            yield (
                f"{where}: {id_} is {label} here and {earlier[0]} in row {earlier[1]}; "
                "keep one of the two rows."
            )


def _labels(rows: list[tuple[int, sheet.Row]]) -> dict[str, tuple[str, int]]:
    """Return the first label of each id and its row."""
    found: dict[str, tuple[str, int]] = {}
    for number, row in rows:
        if _label(row) in LABELS:
            found.setdefault(_id(row), (_label(row), number))
    return found


def _changed(where: str, row: sheet.Row, item: Item) -> Iterator[str]:
    texts = zip(sheet.SHOWN[1:], (item.question, item.reference, item.response), strict=True)
    changed = [
        name for name, text in texts if sheet.plain(row[name]) != sheet.plain(sheet.shown(text))
    ]
    if changed:
        yield (
            f"{where}: the {' and the '.join(changed)} of {item.id} is not as it was written, so "
            f"that the label may be about another text; {_fresh('it')}, or, if letters turned into "
            "question marks, save the sheet as an XLSX workbook."
        )


def _fresh(what: str) -> str:
    return f"copy {what} again from a fresh sheet (judgeworthy annotate make)"


def _id(row: sheet.Row) -> str:
    return "".join(sheet.plain(row["id"]).split()).lower()


def _label(row: sheet.Row) -> str:
    return "".join(sheet.plain(row["label"]).split()).upper()
