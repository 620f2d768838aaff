"""The benchmarks run, at a tiny size, and what documents say of them is what was measured."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import asked
import compare
import report
from bench import PARTS, RESULTS
from judgeworthy.sections import verdicts
from serving import serving

ROOT = Path(__file__).parents[2]
NUMBER, IN_FLIGHT = 20, 5
# It runs notebooks, which the tests of the notebooks do as well.
QUICK = sorted(PARTS.keys() - {"loops", "reproduce"})


def results() -> dict[str, dict[str, object]]:
    read: dict[str, dict[str, object]] = {}
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else read


@pytest.mark.slow
@pytest.mark.parametrize("part", QUICK)
def test_a_part_is_measured(part: str) -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "bench.py"), "--small", part]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    _, _, *rows = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert rows


@pytest.mark.slow
@pytest.mark.parametrize("name", [*compare.LOOPS, *compare.PEERS])
def test_a_loop_asks_once_a_judgment_and_never_more_at_a_time_than_it_may(name: str) -> None:
    if name in compare.PEERS and not compare.installed(name):
        pytest.skip("make bench-peers makes its environment")
    with serving() as url:
        run = compare.run(name, url, NUMBER, IN_FLIGHT)
    assert run.sent == 1
    assert run.in_flight <= IN_FLIGHT


def test_every_loop_and_peer_asks_for_the_schema_of_a_verdict() -> None:
    assert asked.SCHEMA == verdicts.SCHEMA


def test_a_peer_that_is_not_installed_is_said_to_be_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(compare, "ENVIRONMENTS", tmp_path)
    with pytest.raises(RuntimeError, match="not installed: make bench-peers"):
        compare.run("openevals", "http://127.0.0.1:9/v1", 1, 1)


def test_a_row_without_numbers_says_why() -> None:
    rows = [{"loop": "ours", "version": "1", "requests/s": 512.3, "of bare aiohttp": 0.714}]
    table = report.table([*rows, {"loop": "theirs", "version": "not installed"}])
    assert table.splitlines()[2:] == [
        "| ours | 1 | 512 | 0.714 |",
        "| theirs | not installed |  |  |",
    ]


def test_the_page_shows_the_results() -> None:
    page = ROOT / "benchmarks" / "README.md"
    assert page.read_text(encoding="utf-8") == report.page(results())


def test_the_readme_quotes_the_results() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    _, quoted, _ = text.split(report.MARK)
    assert quoted.strip() == report.quote(results())
