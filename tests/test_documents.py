"""Every command that a document shows is one that exists, with the options that it shows."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from judgeworthy.cli import main

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "data" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands(kind: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of a kind in code blocks and in the text, as words."""
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        lines = [
            line
            for block in re.findall(r"```sh\n(.*?)```", text, re.S)
            for line in block.split("\n")
        ]
        for line in [
            *lines,
            *re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.S)),
        ]:
            words = shlex.split(line, comments=True) if line.count("'") % 2 == 0 else []
            if words and Path(words[0]).name == kind:
                yield f"{path.name}: {line}", words[1:]


@pytest.mark.parametrize(
    "words", [pytest.param(words, id=name) for name, words in commands("make")]
)
def test_a_goal_of_make_exists(words: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    goals = [word for word in words if "=" not in word]
    for goal in goals:
        assert re.search(rf"^{re.escape(goal)}:", makefile, re.M), goal


@pytest.mark.parametrize(
    "words", [pytest.param(words, id=name) for name, words in commands("judgeworthy")]
)
def test_a_command_of_ours_exists_with_its_options(words: list[str]) -> None:
    command: click.Command = main
    while isinstance(command, click.Group) and words:
        found = command.get_command(click.Context(command), words[0])
        assert found is not None, words[0]
        command, words = found, words[1:]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_the_documents_show_commands() -> None:
    assert len(list(commands("make"))) > 5
    assert len(list(commands("judgeworthy"))) > 5
