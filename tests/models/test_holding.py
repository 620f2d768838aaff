"""A recorder that waits for another says so at once: for whom, what comes then, how to end it."""

import asyncio
import os
import socket
from pathlib import Path

import pytest
from filelock import FileLock

from judgeworthy.models.record import Record


async def wait_for(folder: Path) -> None:
    async with Record(folder).writer("m"):
        pass


async def one_after_the_other(folder: Path) -> None:
    async with Record(folder).writer("m"):
        waiting = asyncio.create_task(wait_for(folder))
        await asyncio.sleep(0.5)
        assert not waiting.done()
    await waiting


def test_who_waits_says_once_for_whom_what_comes_then_and_how_to_end_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(one_after_the_other(tmp_path))
    out, err = capsys.readouterr()
    (said,) = err.splitlines()
    assert out == ""
    assert said.startswith(f"m: process {os.getpid()} on {socket.gethostname()} (since 2")
    assert "then asks for what is still missing. Ctrl-C ends it" in said


def test_a_holder_that_did_not_say_who_it_is_is_another_recorder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def wait() -> None:
        with FileLock(tmp_path / ".m.lock"):
            waiting = asyncio.create_task(wait_for(tmp_path))
            await asyncio.sleep(0.5)
        await waiting

    asyncio.run(wait())
    assert capsys.readouterr().err.startswith("m: another recorder is recording this model")


def test_who_does_not_wait_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(wait_for(tmp_path))
    asyncio.run(wait_for(tmp_path))
    assert capsys.readouterr() == ("", "")


def test_packing_does_not_wait_for_a_recorder_that_will_pack(tmp_path: Path) -> None:
    record = Record(tmp_path)
    record.growing("m").write_bytes(b'{"id": "1"}\n')
    with FileLock(tmp_path / ".m.lock"):
        record.pack("m")
    assert record.growing("m").exists()
    record.pack("m")
    assert not record.growing("m").exists()
