"""What was made from what, so that a page is made anew only where something of it changed."""

import json
from collections.abc import Callable
from pathlib import Path

from judgeworthy.report.found import sha256

_LEDGER = Path("build", ".report.json")


class Ledger:
    """The report's files and the digests of what they were made from.

    Parameters
    ----------
    folder : Path
        The report.

    Attributes
    ----------
    made : list of str
        What was made anew.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: list[str] = []
        self._known = _read()
        self._seen: dict[str, str] = {}

    def write(self, address: str, inputs: object, content: Callable[[], str | bytes]) -> None:
        """Make a file of the report, unless it is there and was made from the same inputs."""
        digest = sha256(json.dumps(inputs, sort_keys=True).encode())
        self._seen[address] = digest
        path = self.folder / address
        if path.is_file() and self._known.get(address) == digest:
            return
        text = content()
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.partial")
        partial.write_bytes(text.encode() if isinstance(text, str) else text)
        partial.replace(path)
        self.made.append(address)

    def copy(self, address: str, path: Path, digest: str = "") -> None:
        """Copy a file into the report, unless the same is there."""
        self.write(address, digest or sha256(path.read_bytes()), path.read_bytes)

    def close(self) -> None:
        """Remove what is no longer part of the report, and remember the rest."""
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if path.is_file() and path.relative_to(self.folder).as_posix() not in self._seen:
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()
        _LEDGER.write_text(json.dumps(self._seen, indent=1), encoding="utf-8")


def _read() -> dict[str, str]:
    try:
        known: dict[str, str] = json.loads(_LEDGER.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known
