"""Runs the benchmarks: ``make bench``, or ``make bench ONLY="loops faults"``.

Prints each part as Markdown, keeps it in ``results.json`` with its date, machine and versions, and
writes anew what README.md, here and of the project, says of it.
"""

import argparse
import importlib
import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import report
from serving import HERE

PARTS = {
    "loops": "compare",
    "faults": "faults",
    "replay": "replay",
    "reproduce": "reproduce",
    "bootstrap": "bootstrap",
    "memory": "memory",
}
PACKAGES = ("openai", "aiohttp", "pandas", "numpy", "scipy", "papermill")
RESULTS, README = HERE / "results.json", HERE.parent / "README.md"


def main() -> None:
    """Measure what was asked for, or everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"any of {', '.join(PARTS)}; all by default")
    parser.add_argument("--small", action="store_true", help="a trial; nothing is kept")
    given = parser.parse_args()
    if odd := set(given.parts) - PARTS.keys():
        parser.error(f"no part {', '.join(sorted(odd))}; there are {', '.join(PARTS)}")
    for name in given.parts or PARTS:
        part = measured(importlib.import_module(PARTS[name]), given.small)
        print(report.section(name, part), flush=True)
        if not given.small:
            keep(name, part)


def measured(module: ModuleType, small: bool) -> dict[str, Any]:
    """Return a part's rows, and where and when they were measured."""
    rows = module.measure(**(module.SMALL if small else {}))
    return {
        "about": " ".join((module.__doc__ or "").split()),
        "rows": rows,
        "date": f"{datetime.now(UTC):%-d %B %Y}",
        "machine": machine(),
    }


def machine() -> str:
    """Return the machine and the versions that count."""
    cpu = next(
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    )
    versions = [f"{name} {version(name)}" for name in PACKAGES]
    versions.append(f"Python {platform.python_version()}")
    return f"{os.cpu_count()} cores of {cpu}; {', '.join(versions)}"


def keep(name: str, part: dict[str, Any]) -> None:
    """Put a part in the place of the one measured before."""
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    results[name] = part
    ordered = {name: results[name] for name in PARTS if name in results}
    RESULTS.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (HERE / "README.md").write_text(report.page(ordered), encoding="utf-8")
    before, _, after = README.read_text(encoding="utf-8").split(report.MARK)
    README.write_text(
        report.MARK.join([before, f"\n{report.quote(ordered)}\n", after]), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
