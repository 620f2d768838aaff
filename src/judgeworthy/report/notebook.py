"""An executed notebook as a part of a page, by nbconvert and a template of ours."""

import copy
import re
import sys
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from judgeworthy.report.found import Files, Page
from judgeworthy.report.polish import Fragment, polish

# Most of nbconvert's import is jsonschema's grammar of URLs, loaded if it is there; not needed.
# ruff: noqa: E402
_UNNEEDED = [name for name in ("rfc3987_syntax",) if name not in sys.modules]
sys.modules.update(dict.fromkeys(_UNNEEDED))  # type: ignore[arg-type]

import nbformat
from nbconvert.exporters import HTMLExporter, TemplateExporter
from nbconvert.filters import Highlight2HTML
from nbformat import NotebookNode
from nbformat.v4.rwbase import rejoin_lines

for _name in _UNNEEDED:
    del sys.modules[_name]

_PNG = "image/png"
_MARKS = re.compile(r"\*\*|\n+- |^- |\n+")  # of Markdown, which some words for pictures hold
_TABLES = (".csv", ".tex")
_WORDS = {".csv": "CSV", ".tex": "LaTeX", ".svg": "SVG", ".png": "PNG"}


@dataclass(frozen=True)
class Converted:
    """A notebook as HTML.

    Attributes
    ----------
    fragment : Fragment
    names : tuple of str
        The files of its study that it shows or names.
    """

    fragment: Fragment
    names: tuple[str, ...]


def convert(page: Page, files: Files) -> Converted:
    """Turn an executed notebook into HTML; pictures and downloads lie in the report's folder."""
    node = rejoin_lines(nbformat.from_dict(copy.deepcopy(page.content)))
    names: list[str] = []
    for cell in node.cells:
        if cell.cell_type == "code":
            mine = _link(cell, files, page)
            names += [name for name in mine if name not in names]
    html, _ = _exporter().from_notebook_node(node)
    return Converted(polish(html, page.title), tuple(names))


def _link(cell: dict[str, Any], files: Files, page: Page) -> list[str]:
    """Put addresses in the place of a cell's pictures, and links to its data beside it."""
    named = files.named_in(cell["source"])
    drawn = [output["data"] for output in cell["outputs"] if _PNG in output.get("data", {})]
    if not drawn:
        names = [name for name in named if Path(name).suffix in _TABLES]
    else:
        same = files.same(b64decode(drawn[0][_PNG]))
        names = [name for name in named if name.endswith(".csv")] or _judged(files, page)
        names += files.stems[Path(same).stem][-2:] if same else []
    for data in drawn if any(name.endswith(".png") for name in names) else ():
        # The vector picture, where there is one, stands before the other.
        picture = next(name for name in names if Path(name).suffix not in _TABLES)
        cell["metadata"]["picture"] = f"../figures/{files.study}/{picture}"
        data[_PNG] = ""
    for output in cell["outputs"]:
        if told := output.get("metadata", {}).get(_PNG):
            told["alt"] = _MARKS.sub(" ", told.get("alt", "")).strip()
    cell["metadata"]["downloads"] = _downloads(files, names)
    return names


def _judged(files: Files, page: Page) -> list[str]:
    """Return the table of judgments that a figure without a table of its own is drawn from."""
    name = f"{page.section.partition('_')[2]}_judgments.csv"
    return [name] if name in files.paths else []


def _downloads(files: Files, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return links to files of a study, gathered by what they have in common."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name in names:
        link = _WORDS[Path(name).suffix], f"../figures/{files.study}/{name}"
        found.setdefault(Path(name).stem, []).append(link)
    return [{"stem": stem, "addresses": links} for stem, links in found.items()]


class _Exporter(HTMLExporter):
    """nbconvert's, without its reading the page again, which takes longer than writing it."""

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> Any:
        """Convert a notebook to HTML and what else nbconvert found."""
        code = Highlight2HTML(pygments_lexer="ipython3", parent=self)  # type: ignore[no-untyped-call]
        self.register_filter("highlight_code", code)  # type: ignore[no-untyped-call]
        return TemplateExporter.from_notebook_node(self, nb, resources, **options)


@cache
def _exporter() -> _Exporter:
    templates = Path(__file__).parent / "templates"
    return _Exporter(  # type: ignore[no-untyped-call]
        template_name="notebook",
        extra_template_basedirs=[str(templates)],
        default_preprocessors=[],
        exclude_input=True,
        exclude_anchor_links=True,
        mathjax_url="",
        require_js_url="",
        jquery_url="",
        mermaid_js_url="",
        jupyter_widgets_base_url="",
        widget_renderer_url="",
    )
