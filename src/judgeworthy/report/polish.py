"""HTML of notebooks, made fit for the report: no inline style, tables to sort and scroll."""

import re
from dataclasses import dataclass

from bs4 import BeautifulSoup, Tag

# An estimate with its interval, a percentage, a p value, or that there is none.
_NUMBER = re.compile(r"(?:< ?)?([-−+±]?\d[\d.]*(?:e-?\d+)?)%?(?: \[.*\])?")
_LONG = 30  # characters
_NONE = ("", "--", "nan", "NaN", "<NA>")


@dataclass(frozen=True)
class Fragment:
    """A part of a page.

    Attributes
    ----------
    html : str
    headings : tuple of (str, str)
        Identity and text of the headings of the second level.
    """

    html: str
    headings: tuple[tuple[str, str], ...]


def polish(html: str, name: str) -> Fragment:
    """Make HTML fit for the report.

    Parameters
    ----------
    html : str
    name : str
        What tables before the first heading are called.
    """
    soup = BeautifulSoup(html, "html.parser")
    heading = name
    headings = []
    for element in soup.find_all(True):
        element.attrs.pop("style", None)
        if element.name == "h2":
            heading = element.get_text()
            headings.append((str(element.get("id", "")), heading))
        elif element.name == "table":
            _table(element, soup, heading)
    return Fragment(str(soup), tuple(headings))


def _table(table: Tag, soup: BeautifulSoup, heading: str) -> None:
    for name in ("border", "class"):
        table.attrs.pop(name, None)
    for cell in table.thead.find_all("th") if table.thead else ():
        cell["scope"] = "col"
    rows = [row.find_all(["td", "th"]) for row in (table.tbody or table).find_all("tr")]
    for cell in (cell for row in rows for cell in row if isinstance(cell, Tag)):
        if len(cell.get_text().split()) == 1:
            cell["class"] = "word"
        elif len(cell.get_text()) > _LONG:
            cell["class"] = "long"
    for column in zip(*rows, strict=False):
        _column([cell for cell in column if isinstance(cell, Tag)])
    region = {"class": "scroll", "role": "region", "tabindex": "0", "aria-label": heading}
    table.wrap(soup.new_tag("div", attrs=region))


def _column(cells: list[Tag]) -> None:
    """Mark the cells of a column of numbers with what they are sorted by."""
    texts = [cell.get_text().strip() for cell in cells]
    orders = [order(text) for text in texts]
    if any(orders) and None not in orders:
        for cell, value in zip(cells, orders, strict=True):
            cell["data-order"] = str(value)
            cell["class"] = "number"
            cell.attrs.pop("dir", None)


def order(text: str) -> str | None:
    """Return the number by which a cell is sorted: empty where there is none, None for words."""
    if text in _NONE:
        return ""
    found = _NUMBER.fullmatch(text)
    return found[1].replace("−", "-").lstrip("+±") if found else None
