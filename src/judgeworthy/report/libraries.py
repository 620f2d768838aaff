"""What the pages take from other packages: the tables' script, and the fonts of two scripts."""

import io
import re
from base64 import b64encode
from importlib.util import find_spec
from pathlib import Path

from fontTools.ttLib import TTFont

from judgeworthy.errors import DataError

PACKAGES = ("itables", "fonttools", "fontpkg-noto-sans-telugu", "fontpkg-noto-sans-arabic")
_EXPORTED = re.compile(r"export\{([^{}]*)\};")
_SCRIPTS = (
    ("Telugu", "fontpkg_noto_sans_telugu", "U+0C00-0C7F, U+200C-200D, U+25CC"),
    ("Arabic", "fontpkg_noto_sans_arabic", "U+0600-06FF, U+0750-077F, U+FB50-FDFF, U+FE70-FEFF"),
)
_VARIATIONS = ("fvar", "gvar", "avar", "HVAR", "MVAR", "STAT")
# A font that is referred to by its address is not loaded from disk by every browser.
_FACE = """\
@font-face {{
  font-family: "Report {script}";
  src: url("data:font/woff;base64,{data}") format("woff");
  unicode-range: {characters};
}}
"""


def datatables() -> str:
    """Return the script of DataTables as one that sets ``DataTable``.

    The package ships it as an ES module, which no browser loads from disk.

    Raises
    ------
    DataError
        If it does not end in the export that is rewritten here.
    """
    path = _package("itables") / "html" / "dt_bundle.js"
    source = path.read_text(encoding="utf-8")
    exports = list(_EXPORTED.finditer(source))
    default = re.search(r"(\w+) as default", exports[-1][1]) if exports else None
    if default is None:
        raise DataError(f"{path}: exports no default; install the version of requirements.lock.")
    end = exports[-1]
    body = f"{source[: end.start()]}window.DataTable = {default[1]};{source[end.end() :]}"
    return f"(() => {{\n{body}\n}})();\n"


def fonts() -> str:
    """Return a style sheet that holds the fonts of Telugu and Arabic, for machines without one."""
    return "".join(_face(*script) for script in _SCRIPTS)


def _face(script: str, package: str, characters: str) -> str:
    path = next((_package(package) / "files").glob("*.ttf"))
    data = b64encode(_regular(path)).decode()
    return _FACE.format(script=script, data=data, characters=characters)


def _regular(path: Path) -> bytes:
    """Return a variable font in its regular weight alone, packed: a tenth of its size."""
    font = TTFont(path, recalcTimestamp=False)
    for table in _VARIATIONS:
        if table in font:
            del font[table]
    font.flavor = "woff"
    packed = io.BytesIO()
    font.save(packed)
    return packed.getvalue()


def _package(name: str) -> Path:
    """Return a package's folder without importing it, which takes long."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise DataError(f"The package '{name}' is not installed; install it with: make env")
    return Path(spec.submodule_search_locations[0])
