"""The record: what was acknowledged stays, whatever happens to the file's end."""

import asyncio
import gzip
import json
import tempfile
import warnings
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgeworthy.errors import RecordError
from judgeworthy.models.record import Record, Writer, last_complete, missing
from judgeworthy.models.request import Reply, Request

REPLY = Reply(
    id="0" * 64,
    text='{"verdict": "CORRECT"}',
    finish_reason="stop",
    prompt_tokens=7,
    completion_tokens=5,
    form="schema",
    served="m",
    server="a server 1.0",
    file_sha256="",
    seconds=0.1,
    recorded="2026-11-30T16:00:00+00:00",
)
REQUEST = Request("m", ({"role": "user", "content": "Q"},), 0.0, 10)

texts = st.text(min_size=1)
many = st.lists(texts, min_size=1, max_size=4).map(
    lambda found: [
        replace(REPLY, id=f"{number:064}", text=text) for number, text in enumerate(found)
    ]
)


def write(record: Record, *replies: Reply) -> None:
    async def append() -> None:
        async with record.writer("m") as writer:
            for reply in replies:
                writer.append([reply])

    asyncio.run(append())


def read(record: Record) -> list[Reply]:
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        return list(record.read("m").values())


def several(number: int) -> list[Reply]:
    return [replace(REPLY, id=f"{index:064}", text=f"పారిస్ {index}") for index in range(number)]


@settings(max_examples=25)
@given(many)
def test_what_is_written_is_read(replies: list[Reply]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        record = Record(Path(folder))
        write(record, *replies)
        assert record.read("m") == {reply.id: reply for reply in replies}


def test_each_reply_is_on_disk_when_append_returns(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "m.jsonl")
    for number, reply in enumerate(several(3), start=1):
        writer.append([reply])
        assert len(read(Record(tmp_path))) == number
    writer.close()


def test_a_record_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert Record(tmp_path / "none").read("m") == {}


def test_a_cut_at_any_byte_of_the_last_line_loses_at_most_the_last_reply(tmp_path: Path) -> None:
    first, second, last = several(3)
    record = Record(tmp_path)
    write(record, first, second, last)
    path = record.growing("m")
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for length in range(start, len(whole)):
        path.write_bytes(whole[:length])
        complete = length == len(whole) - 1  # only the newline is gone
        assert read(record) == [first, second, last] if complete else [first, second]
        writer = Writer(path)
        writer.append([last])
        writer.close()
        assert read(record) == [first, second, last]


def test_a_torn_line_is_named_with_file_and_line(tmp_path: Path) -> None:
    record = Record(tmp_path)
    write(record, *several(2))
    path = record.growing("m")
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.warns(UserWarning, match=r"m\.jsonl:2: torn or foreign line, ignored\."):
        assert len(record.read("m")) == 1


@pytest.mark.parametrize(
    "line",
    [
        b"<<<<<<< HEAD",
        b"[1, 2]",
        b"null",
        b'"text"',
        b'{"id": "1"}',
        b'{"id": "1", "unknown": 2}',
        b"\xff\xfe",
        b"\x00\x00\x00",
        b'{"text": "\xe0\xb0',
    ],
)
def test_a_foreign_line_is_named_and_the_others_are_read(tmp_path: Path, line: bytes) -> None:
    record = Record(tmp_path)
    first, second = several(2)
    write(record, first)
    with record.growing("m").open("ab") as stream:
        stream.write(line + b"\n")
    write(record, second)
    with pytest.warns(UserWarning, match=r"m\.jsonl:2: torn or foreign line, ignored\."):
        assert list(record.read("m").values()) == [first, second]


def test_packing_keeps_all_in_order_and_leaves_one_file(tmp_path: Path) -> None:
    record = Record(tmp_path)
    first, second, third = several(3)
    write(record, first, second)
    record.pack("m")
    write(record, third)
    assert read(record) == [first, second, third]
    record.pack("m")
    assert read(record) == [first, second, third]
    assert {path.name for path in tmp_path.iterdir() if path.suffix != ".lock"} == {"m.jsonl.gz"}


def test_packing_nothing_leaves_nothing(tmp_path: Path) -> None:
    record = Record(tmp_path)
    write(record)
    record.pack("m")
    assert [path for path in tmp_path.iterdir() if path.suffix != ".lock"] == []


def test_packing_moves_a_torn_line_where_it_can_be_looked_at(tmp_path: Path) -> None:
    record = Record(tmp_path)
    write(record, *several(2))
    path = record.growing("m")
    torn = path.read_bytes()[:-5]
    path.write_bytes(torn)
    with pytest.warns(UserWarning, match=r"m\.jsonl\.torn: 1 torn lines were moved there\."):
        record.pack("m")
    assert list(record.read("m").values()) == several(1)
    assert (tmp_path / "m.jsonl.torn").read_bytes() == torn.splitlines()[1] + b"\n"


def test_packing_stopped_before_it_removed_the_growing_file_doubles_nothing(tmp_path: Path) -> None:
    record = Record(tmp_path)
    write(record, *several(3))
    growing = record.growing("m").read_bytes()
    record.pack("m")
    packed = record.packed("m").read_bytes()
    record.growing("m").write_bytes(growing)
    assert read(record) == several(3)
    record.pack("m")
    assert record.packed("m").read_bytes() == packed


def test_the_same_replies_pack_into_the_same_bytes(tmp_path: Path) -> None:
    packs = []
    for name in ("a", "b"):
        record = Record(tmp_path / name)
        write(record, *several(3))
        record.pack("m")
        packs.append(record.packed("m").read_bytes())
    assert packs[0] == packs[1]
    assert packs[0][4:8] == bytes(4)  # the time stamp of the gzip header


def test_packing_again_changes_nothing(tmp_path: Path) -> None:
    record = Record(tmp_path)
    write(record, *several(2))
    record.pack("m")
    packed = record.packed("m").read_bytes()
    write(record)
    record.pack("m")
    record.pack("m")
    assert record.packed("m").read_bytes() == packed


def test_a_packed_line_is_one_json_object_in_readable_letters(tmp_path: Path) -> None:
    record = Record(tmp_path)
    write(record, *several(1))
    record.pack("m")
    (line,) = gzip.decompress(record.packed("m").read_bytes()).decode().splitlines()
    assert "పారిస్" in line
    assert json.loads(line) == asdict(several(1)[0])


def spoilt(whole: bytes) -> dict[str, bytes]:
    return {
        "cut": whole[:-9],
        "empty": b"",
        "no gzip": b"version https://git-lfs.github.com/spec/v1\n",
        "header": b"\x00" + whole[1:],
        "data": whole[:12] + bytes(8) + whole[20:],
        "data, other": whole[:12] + b"\xff" * 8 + whole[20:],
        "checksum": whole[:-8] + bytes(8),
    }


@pytest.mark.parametrize("kind", spoilt(b""))
def test_a_broken_pack_is_an_error_that_names_the_file(tmp_path: Path, kind: str) -> None:
    record = Record(tmp_path)
    write(record, *several(20))
    record.pack("m")
    path = record.packed("m")
    path.write_bytes(spoilt(path.read_bytes())[kind])
    with pytest.raises(RecordError) as caught:
        record.read("m")
    assert str(path) in str(caught.value)
    assert "restore it from version control" in str(caught.value)


def test_any_damaged_byte_of_a_pack_is_an_error_or_changes_nothing(tmp_path: Path) -> None:
    record = Record(tmp_path)
    write(record, *several(3))
    record.pack("m")
    path = record.packed("m")
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            assert read(record) == several(3)
        except RecordError as error:
            assert str(path) in str(error)


def test_a_full_disk_is_told_and_keeps_what_was_recorded(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    record = Record(tmp_path)
    record.growing("m").symlink_to(full)
    with pytest.raises(RecordError, match=r"m\.jsonl: cannot write .*record again"):
        write(record, REPLY)


def cut_off(request: Request) -> dict[str, Reply]:
    return {request.id: replace(REPLY, id=request.id, finish_reason="length")}


def complete(request: Request) -> dict[str, Reply]:
    return {request.id: replace(REPLY, id=request.id)}


def test_more_room_is_a_request_of_its_own_with_twice_the_tokens() -> None:
    larger = REQUEST.with_more_room()
    assert larger.max_tokens == 2 * REQUEST.max_tokens
    assert larger.id != REQUEST.id


def test_the_last_complete_reply_of_the_chain_counts() -> None:
    larger = REQUEST.with_more_room()
    largest = larger.with_more_room()
    replies = cut_off(REQUEST) | cut_off(larger) | complete(largest)
    assert last_complete(REQUEST, replies) == (largest, replies[largest.id])


def test_without_a_complete_reply_the_last_one_counts() -> None:
    larger = REQUEST.with_more_room()
    assert last_complete(REQUEST, cut_off(REQUEST))[0] == REQUEST
    replies = cut_off(REQUEST) | cut_off(larger)
    assert last_complete(REQUEST, replies) == (larger, replies[larger.id])


def test_a_complete_reply_is_not_replaced_by_one_with_more_room() -> None:
    replies = complete(REQUEST) | complete(REQUEST.with_more_room())
    assert last_complete(REQUEST, replies) == (REQUEST, replies[REQUEST.id])


def test_without_a_reply_there_is_none() -> None:
    assert last_complete(REQUEST, complete(REQUEST.with_more_room())) == (REQUEST, None)


def test_missing_asks_for_each_identity_once_in_order() -> None:
    others = [replace(REQUEST, repeat=repeat) for repeat in (2, 1)]
    asked = [others[0], REQUEST, others[0], others[1], REQUEST]
    assert missing(asked, complete(REQUEST)) == others
    assert missing(asked, {}) == [others[0], REQUEST, others[1]]


def test_a_second_writer_waits_and_finds_what_the_first_recorded(tmp_path: Path) -> None:
    events: list[str] = []
    inside = asyncio.Event()

    async def first(record: Record) -> None:
        async with record.writer("m") as writer:
            inside.set()
            await asyncio.sleep(0.2)
            writer.append([REPLY])
            events.append("first wrote")

    async def second(record: Record) -> None:
        await inside.wait()
        async with record.writer("m"):
            events.append(f"second found {len(record.read('m'))}")

    async def both() -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(first(Record(tmp_path)))
            tasks.create_task(second(Record(tmp_path)))

    asyncio.run(both())
    assert events == ["first wrote", "second found 1"]


def test_a_writer_of_another_model_does_not_wait(tmp_path: Path) -> None:
    async def both() -> None:
        record = Record(tmp_path)
        async with record.writer("m") as one, asyncio.timeout(5), record.writer("n") as other:
            one.append([REPLY])
            other.append([REPLY])

    asyncio.run(both())
    assert len(Record(tmp_path).read("n")) == 1
