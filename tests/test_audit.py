"""The audit finds what a record lacks, what does not belong there, and what is broken."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from judgeworthy import audit, study
from judgeworthy.cli import main
from judgeworthy.models.record import Record
from judgeworthy.models.request import Reply, Request
from judgeworthy.sections import calibration


@pytest.fixture
def asked(project: Path) -> list[Request]:
    (stage,) = calibration.stages(study.load("x"), Record.of("x"))
    return list(stage["judge"].values())


def reply(request: Request, finish_reason: str = "stop") -> Reply:
    return Reply(request.id, "{}", finish_reason, 1, 1, "", "", "", "", 0.1, "")


def write(replies: Sequence[Reply], more: str = "") -> None:
    path = Record.of("x").growing("judge")
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(one.__dict__) + "\n" for one in replies]
    path.write_text("".join(lines) + more, encoding="utf-8")


def finding() -> audit.Finding:
    (found,) = audit.audit(study.load("x"))
    return found


def check() -> Result:
    return CliRunner().invoke(main, ["record", "x", "--check"])


def test_a_whole_record_is_sound(asked: list[Request]) -> None:
    write([reply(one) for one in asked])
    assert finding().sound
    done = check()
    assert done.exit_code == 0
    assert done.output == (
        "judge: 8 replies, 0 missing, 0 that nothing asks for, 0 doubled, 0 torn\n"
    )


def test_each_fault_is_named_where_it_stands(asked: list[Request]) -> None:
    foreign = replace(asked[0], temperature=0.9)
    other = replace(reply(asked[2]), text="another reply")
    write([*map(reply, asked[2:]), reply(foreign), other], "torn {\n")
    found = finding()
    assert (found.replies, len(found.missing), found.sound) == (7, 2, False)
    assert found.orphans == (foreign.id,)
    assert found.doubled == (asked[2].id,)
    assert found.torn == (f"{Record.of('x').growing('judge')}:9",)
    done = check()
    assert done.exit_code == 1
    assert "7 replies, 2 missing, 1 that nothing asks for, 1 doubled, 1 torn" in done.output
    assert f"missing: {found.missing[0].replace('  ', ' ')}" in done.output


def test_an_edited_prompt_shows_as_missing_and_as_orphans(asked: list[Request]) -> None:
    write([reply(replace(one, messages=(*one.messages, {"role": "user"}))) for one in asked])
    found = finding()
    assert (len(found.missing), len(found.orphans)) == (8, 8)


def test_a_reply_with_more_room_belongs_to_the_record(asked: list[Request]) -> None:
    first, *rest = asked
    write([reply(first, "length"), reply(first.with_more_room()), *map(reply, rest)])
    assert finding().sound


def test_a_record_that_is_not_there_lacks_everything(asked: list[Request]) -> None:
    assert len(finding().missing) == 8
    assert "missing: and 3 more" in check().output
