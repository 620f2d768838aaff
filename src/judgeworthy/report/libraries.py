"""What the pages take from other packages: the tables' script, and the fonts of two scripts."""

import re
from base64 import b64encode
from importlib.util import find_spec
from pathlib import Path

from judgeworthy.errors import DataError

PACKAGES = ("itables", "fontpkg-noto-sans-telugu", "matplotlib")
_EXPORTED = re.compile(r"export\{([^{}]*)\};")
_TELUGU = "U+0C00-0C7F, U+1CDA, U+1CF2, U+200C-200D, U+25CC"
_ARABIC = "U+0600-06FF, U+0750-077F, U+FB50-FDFF, U+FE70-FEFF"
# A font that is referred to by its address is not loaded from disk by every browser.
_FACE = """\
@font-face {{
  font-family: "{name}";
  font-weight: {weights};
  src: url("data:font/ttf;base64,{data}") format("truetype");
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
    telugu = next((_package("fontpkg_noto_sans_telugu") / "files").glob("*.ttf"))
    arabic = _package("matplotlib") / "mpl-data" / "fonts" / "ttf" / "DejaVuSans.ttf"
    return _face("Report Telugu", "100 900", telugu, _TELUGU) + _face(
        "Report Arabic", "400", arabic, _ARABIC
    )


def _face(name: str, weights: str, path: Path, characters: str) -> str:
    data = b64encode(path.read_bytes()).decode()
    return _FACE.format(name=name, weights=weights, data=data, characters=characters)


def _package(name: str) -> Path:
    """Return a package's folder without importing it, which takes long."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise DataError(f"The package '{name}' is not installed; install it with: make env")
    return Path(spec.submodule_search_locations[0])
