"""The sheet: what people get, filled in as people do, and read back with every fault."""

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from judgeworthy.annotation import filled, sheet
from judgeworthy.annotation.labels import LABELS, Label
from judgeworthy.annotation.sample import Item
from judgeworthy.errors import DataError

ITEMS = {
    item.id: item
    for item in (
        Item("r000000001a", "ما عاصمة فرنسا؟", "باريس", "العاصمة هي باريس."),
        Item("r12345e6789", "في أي سنة انتهت الحرب؟", "1945", '=HYPERLINK("http://x","y")'),
        Item("r00000000b3", "متى هبط الإنسان على القمر؟", "20 July 1969", ""),
    )
}
FIRST, SECOND, THIRD = ITEMS
TEXTS = ("question", "reference", "response")


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    path = tmp_path / "ar.xlsx"
    sheet.write_workbook(list(ITEMS.values()), "ar", path)
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "ar.csv"
    sheet.write_csv(list(ITEMS.values()), path)
    return path


def fill(path: Path, change: Callable[[Worksheet], None], labels: tuple[str, ...] = LABELS) -> Path:
    """Fill a workbook in as a person would, and change something else in it."""
    workbook = load_workbook(path)
    for row, label in enumerate(labels, start=2):
        workbook["items"].cell(row, 5).value = label
    change(workbook["items"])
    workbook.save(path)
    return path


def refill(path: Path, **labels: str) -> list[list[str]]:
    """Return the rows of CSV with labels filled in."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    for row in rows[1:]:
        row[4] = labels.get(row[0], "CORRECT")
    return rows


def save(path: Path, rows: list[list[str]], encoding: str, delimiter: str, first: str = "") -> Path:
    with path.open("w", encoding=encoding, newline="") as stream:
        stream.write(first)
        csv.writer(stream, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return path


def faults(path: Path) -> list[str]:
    with pytest.raises(DataError) as caught:
        filled.read(path, ITEMS)
    *told, last = str(caught.value).splitlines()
    assert last == "Nothing was read. Mend the sheet and read it again."
    return told


def nothing(_: Worksheet) -> None:
    pass


def test_a_workbook_has_the_items_to_fill_in_and_the_guideline_in_their_language(
    workbook: Path,
) -> None:
    written = load_workbook(workbook)
    assert written.sheetnames == ["items", "guideline"]
    rows = list(written["items"].iter_rows(values_only=True))
    assert rows[0] == ("id", "question", "reference", "response", "label", "comment")
    for row, item in zip(rows[1:], ITEMS.values(), strict=True):
        assert row[:4] == (item.id, item.question, item.reference, item.response or None)
        assert row[4:] == (None, None)
    shown = [cell.value or "" for cell in written["guideline"]["A"]]
    assert "\n".join(shown) == sheet.guideline("ar")
    assert shown[0] == "كيفية التصنيف"


def test_a_workbook_is_laid_out_to_be_read_and_filled_in(workbook: Path) -> None:
    items = load_workbook(workbook)["items"]
    assert items.freeze_panes == "A2"
    assert items.sheet_view.rightToLeft
    assert all(cell.alignment.wrap_text for row in items["A2:F4"] for cell in row)
    (choice,) = items.data_validations.dataValidation
    assert choice.formula1 == '"CORRECT,INCORRECT,UNSURE"'
    assert str(choice.sqref) == "E2:E4"
    locked = [[cell.protection.locked for cell in row] for row in items["A2:F4"]]
    assert locked == [[True] * 4 + [False] * 2] * 3


def test_english_and_telugu_sheets_run_from_left_to_right(tmp_path: Path) -> None:
    for language, question in (("en", "Who?"), ("te", "ఎవరు?")):
        path = tmp_path / f"{language}.xlsx"
        sheet.write_workbook([Item("r1", question, "a", "b")], language, path)
        for each in load_workbook(path):
            assert not each.sheet_view.rightToLeft


@pytest.mark.parametrize("language", ["en", "ar", "te"])
def test_a_guideline_names_the_labels_and_columns_and_is_written_in_its_language(
    language: str,
) -> None:
    text = sheet.guideline(language)
    assert all(word in text for word in (*LABELS, *TEXTS[1:], "label", "comment"))
    assert [int(n) for n in re.findall(r"^(\d)\. ", text, re.MULTILINE)] == list(range(1, 9))
    script = {"en": "[a-z]", "ar": "[\u0600-\u06ff]", "te": "[\u0c00-\u0c7f]"}[language]
    letters = [each for each in text if each.isalpha()]
    assert len(re.findall(script, text)) > 0.75 * len(letters) * (language != "te")
    assert not re.search("judge|flip|generator|verdict", text)


def test_a_language_without_a_guideline_has_the_english_one() -> None:
    assert sheet.guideline("fr") == sheet.guideline("en")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t="])
def test_no_cell_becomes_a_formula(start: str, tmp_path: Path) -> None:
    items = [Item("r1", f"{start}1+1", f"{start}A1", f"{start}cmd|' /C calc'!A0")]
    sheet.write_workbook(items, "en", tmp_path / "x.xlsx")
    cells = load_workbook(tmp_path / "x.xlsx")["items"][2][1:4]
    assert [cell.data_type for cell in cells] == ["s"] * 3
    assert all(cell.quotePrefix for cell in cells), "nor when it is edited"
    sheet.write_csv(items, tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as stream:
        written = list(csv.reader(stream))[1]
    assert all(text.startswith("'") for text in written[1:4])


def test_csv_keeps_excel_from_turning_texts_into_dates_and_ids_into_numbers(table: Path) -> None:
    written = {row[0]: row for row in refill(table)[1:]}
    assert written[THIRD][2] == "'20 July 1969"
    assert written[SECOND][2] == "1945", "a plain number stays what it is"
    for id_ in ITEMS:
        with pytest.raises(ValueError, match="could not convert"):
            float(id_)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(
    st.lists(st.tuples(texts.filter(str.strip), texts, texts), min_size=1, max_size=3), st.data()
)
def test_any_text_comes_back_from_both_formats(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str, str]],
    data: st.DataObject,
) -> None:
    folder = tmp_path_factory.mktemp("sheets")
    items = {f"r{n}": Item(f"r{n}", *each) for n, each in enumerate(rows)}
    labels = [data.draw(st.sampled_from(LABELS)) for _ in items]
    expected = [Label(id_, label) for id_, label in zip(items, labels, strict=True)]
    sheet.write_workbook(list(items.values()), "en", folder / "x.xlsx")
    fill(folder / "x.xlsx", nothing, tuple(labels))
    assert filled.read(folder / "x.xlsx", items) == expected
    sheet.write_csv(list(items.values()), folder / "x.csv")
    again = refill(folder / "x.csv", **dict(zip(items, labels, strict=True)))
    save(folder / "x.csv", again, "utf-8-sig", ",")
    assert filled.read(folder / "x.csv", items) == expected


def test_a_filled_workbook_is_read_with_its_comments(workbook: Path) -> None:
    def comment(items: Worksheet) -> None:
        items["F3"] = " لست متأكدًا "

    assert filled.read(fill(workbook, comment), ITEMS) == [
        Label(FIRST, "CORRECT"),
        Label(SECOND, "INCORRECT", "لست متأكدًا"),
        Label(THIRD, "UNSURE"),
    ]


def test_what_an_editor_changes_by_itself_is_no_fault(workbook: Path) -> None:
    def edit(items: Worksheet) -> None:
        items["A1"], items["E1"] = " ID ", "Label"
        items["A2"] = f" {FIRST.upper()}\u200f"
        items["C3"] = 1945  # typed anew, as a number
        items["B2"] = "ما  عاصمة\u00a0فرنسا؟ "
        items["F5"] = " "
        items.move_range("A2:F2", rows=8)  # sorted, with empty rows between

    labels = ("\u200f correct ", "In correct", "UNSURE\u00a0")
    read = filled.read(fill(workbook, edit, labels), ITEMS)
    assert {label.id: label.label for label in read} == dict(zip(ITEMS, LABELS, strict=True))


@pytest.mark.parametrize(
    ("encoding", "delimiter", "first"),
    [
        ("utf-8", ",", ""),
        ("utf-8-sig", ";", ""),
        ("utf-16", "\t", ""),
        ("utf-8-sig", ";", "sep=;\r\n"),
    ],
)
def test_csv_is_read_as_spreadsheets_save_it(
    table: Path, encoding: str, delimiter: str, first: str
) -> None:
    rows = [[*row, "", ""] for row in refill(table, **{SECOND: " incorrect "})]
    save(table, [*rows, [""] * 8], encoding, delimiter, first)
    assert [label.label for label in filled.read(table, ITEMS)] == [
        "CORRECT",
        "INCORRECT",
        "CORRECT",
    ]


def unknown(items: Worksheet) -> None:
    items["A3"] = "rffff"


def missing(items: Worksheet) -> None:
    items["E3"] = None


def none(items: Worksheet) -> None:
    items["E3"] = "CORRECT?"


def changed(items: Worksheet) -> None:
    items["D3"] = "باريس"


def contradictory(items: Worksheet) -> None:
    for column, cell in enumerate(items[3], start=1):
        items.cell(9, column).value = cell.value
        items.cell(9, column).data_type = cell.data_type
    items["E9"] = "UNSURE"


FAULTS = {
    unknown: "row 3: no item has the id 'rffff'; copy the row again from a fresh sheet",
    missing: "row 3: no label; write CORRECT, INCORRECT or UNSURE.",
    none: "row 3: 'CORRECT?' is no label; write CORRECT, INCORRECT or UNSURE.",
    changed: f"row 3: the response of {SECOND} is not as it was written",
    contradictory: f"row 9: {SECOND} is UNSURE here and INCORRECT in row 3; keep one",
}


@pytest.mark.parametrize(
    ("change", "said"), FAULTS.items(), ids=lambda each: getattr(each, "__name__", "")
)
def test_a_fault_is_told_with_file_row_and_remedy(
    change: Callable[[Worksheet], None], said: str, workbook: Path
) -> None:
    (told,) = faults(fill(workbook, change))
    assert told.startswith(f"{workbook}, {said}")


def test_all_faults_are_told_at_once(workbook: Path) -> None:
    def spoil(items: Worksheet) -> None:
        contradictory(items)
        items["A2"], items["E2"] = "rffff", "yes"
        items["E4"] = None

    told = faults(fill(workbook, spoil))
    assert (
        [re.search(r"row \d+: .{8}", each)[0] for each in told]
        == [  # type: ignore[index]
            "row 2: no item ",
            "row 2: 'yes' is",
            "row 4: no label",
            f"row 9: {SECOND[:8]}",
        ]
    )


def test_a_column_sorted_by_itself_is_found_in_every_row(workbook: Path) -> None:
    def sort(items: Worksheet) -> None:
        for row, id_ in enumerate(sorted(ITEMS, reverse=True), start=2):
            items.cell(row, 1).value = id_

    told = faults(fill(workbook, sort))
    assert len(told) == 3
    assert "the question and the reference and the response" in told[0]


def test_one_id_twice_with_one_label_is_one_label(workbook: Path) -> None:
    def repeat(items: Worksheet) -> None:
        contradictory(items)
        items["E9"], items["F9"] = "incorrect", "again"

    read = filled.read(fill(workbook, repeat), ITEMS)
    assert read[1] == Label(SECOND, "INCORRECT", "again")
    assert len(read) == 3


def test_missing_columns_are_named(workbook: Path) -> None:
    def drop(items: Worksheet) -> None:
        items["D1"] = items["E1"] = None

    with pytest.raises(DataError, match=r"ar\.xlsx, row 1: no column response, label; found id"):
        filled.read(fill(workbook, drop), ITEMS)


def unreadable(folder: Path, table: Path) -> Iterator[tuple[Path, str]]:
    yield folder / "none.xlsx", "no such file"
    yield save(folder / "x.xlsx", [["not a zip"]], "utf-8", ","), "not a workbook"
    lost = [
        [each.encode("cp1252", "replace").decode("cp1252") for each in r] for r in refill(table)
    ]
    yield save(folder / "lost.csv", lost, "cp1252", ";"), "as an XLSX workbook"
    latin = [[*row[:5], "é"] for row in lost]
    yield save(folder / "latin.csv", latin, "cp1252", ";"), "not in UTF-8; save it as an XLSX"
    (folder / "torn.csv").write_text('id,"quest')
    yield folder / "torn.csv", "broken CSV"
    (folder / "empty.csv").write_text("")
    yield folder / "empty.csv", "no column id"
    yield save(folder / "heading.csv", refill(table)[:1], "utf-8", ","), "no rows"


def test_a_file_that_is_no_sheet_says_what_to_do(tmp_path: Path, table: Path) -> None:
    for path, said in unreadable(tmp_path, table):
        with pytest.raises(DataError, match=said) as caught:
            filled.read(path, ITEMS)
        assert path.name in str(caught.value)
