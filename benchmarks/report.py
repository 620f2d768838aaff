"""The results as Markdown, and what README quotes of them."""

from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
Results = Mapping[str, Mapping[str, Any]]
MARK = "<!-- benchmarks -->"
HOW = (
    "`make bench` measures all of it, which takes more than an hour; `make bench ONLY=loops`, or "
    "some other parts, measures these alone."
)

WHERE = "`make bench` measures it and writes [benchmarks/README.md](benchmarks/README.md)."


def page(results: Results) -> str:
    """Return the page of all results."""
    parts = [section(name, part) for name, part in results.items()]
    return "\n".join(["# Benchmarks\n", f"{HOW}\n", *parts])


def quote(results: Results) -> str:
    """Return what README says of them: one paragraph."""
    said = [say(results[name]) for name, say in QUOTED.items() if name in results]
    return " ".join([*said, WHERE])


def _loops(part: Mapping[str, Any]) -> str:
    ours, *others = part["rows"]
    rates = {row["loop"]: cell(row["requests/s"]) for row in others if "requests/s" in row}
    return (
        f"Against an endpoint on the same machine (50 ms latency, 50 requests in flight, medians "
        f"of {part['date']}) our loop, which records durably, parses and shows progress, made "
        f"{cell(ours['requests/s'])} requests/s: {ours['of AsyncOpenAI']:.2f} of AsyncOpenAI with "
        f"its aiohttp transport, {ours['of bare aiohttp']:.2f} of bare aiohttp. The others: "
        f"{'; '.join(f'{name} {rate}' for name, rate in rates.items())}."
    )


def _faults(part: Mapping[str, Any]) -> str:
    (row,) = part["rows"]
    return (
        f"Where one request in five met a fault, {row['done']:,} of {row['requests']:,} were done, "
        f"{row['lost']} lost, {row['doubled']} doubled and {row['wrongly final']} wrongly final, "
        f"with {row['ratio']:.2f} times the requests that the faults made necessary."
    )


def _memory(part: Mapping[str, Any]) -> str:
    peaks = [f"{row['MiB, with packing']:,.0f} MiB for {row['replies']:,}" for row in part["rows"]]
    return f"Recording took {' and '.join(peaks)} replies at most."


QUOTED = {"loops": _loops, "faults": _faults, "memory": _memory}


def section(name: str, part: Mapping[str, Any]) -> str:
    """Return one part: what was measured, the table, and where and when."""
    where = f"{part['date']}; {part['machine']}"
    return f"## {name}\n\n{part['about']}\n\n{table(part['rows'])}\n\n{where}\n"


def table(rows: Sequence[Row]) -> str:
    """Return rows as a Markdown table."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = [columns, ["---"] * len(columns)]
    lines += [[cell(row.get(name, "")) for name in columns] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(value: object) -> str:
    """Return a number with three digits that count, or more before the point."""
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
