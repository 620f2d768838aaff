"""The record: every reply, kept once, in one append-only file a study and model.

``data/replies/<study>/<model>.jsonl`` grows while recording; each line is on disk before its reply
counts. ``pack`` moves the lines into ``<model>.jsonl.gz``, which is what is committed. A line that
was torn by a crash is ignored, and the recording goes on after it; packing moves it into
``<model>.jsonl.torn``.
"""

import gzip
import os
import warnings
import zlib
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import orjson
from filelock import FileLock, Timeout

from judgeworthy import project
from judgeworthy.errors import RecordError
from judgeworthy.models.holding import held
from judgeworthy.models.request import Reply, Request

Replies = dict[str, Reply]


class Record:
    """The replies to one study.

    Parameters
    ----------
    folder : Path
        Such as ``data/replies/te``.
    only_read : bool
        Whether it is looked at, to plan or to audit, so that nothing may be written for it.
    """

    def __init__(self, folder: Path, only_read: bool = False) -> None:
        self.folder = folder
        self.only_read = only_read

    @classmethod
    def of(cls, study: str) -> "Record":
        """Return the record of a study's replies."""
        return cls(project.root() / "data" / "replies" / study)

    def packed(self, model: str) -> Path:
        """Return the model's compressed file."""
        return self.folder / f"{model}.jsonl.gz"

    def growing(self, model: str) -> Path:
        """Return the file that grows while the model is recorded."""
        return self.folder / f"{model}.jsonl"

    def read(self, model: str) -> Replies:
        """Return all replies of a model by request identity.

        Raises
        ------
        RecordError
            If a file is not readable or is broken.
        """
        replies = {}
        for path, number, reply in self.lines(model):
            if reply is None:
                warnings.warn(f"{path}:{number}: torn or foreign line, ignored.", stacklevel=2)
            else:
                replies[reply.id] = reply
        return replies

    def lines(self, model: str) -> Iterator[tuple[Path, int, Reply | None]]:
        """Yield every line of a model's files: where it stands, and the reply, if it is one.

        Raises
        ------
        RecordError
            If a file is not readable or is broken.
        """
        for path in (self.packed(model), self.growing(model)):
            for number, line in _lines(path):
                yield path, number, _parse(line)

    @asynccontextmanager
    async def writer(self, model: str) -> AsyncIterator["Writer"]:
        """Open the model's file for appending; a second recorder waits for the first.

        Only this model waits: two recorders that each waited with everything would wait for ever.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        async with held(self._lock(model), model):
            writer = Writer(self.growing(model))
            try:
                yield writer
            finally:
                writer.close()

    def pack(self, model: str) -> None:
        """Move the recorded lines, as they are, into the compressed file; torn ones stand apart.

        Where another recorder is at work, it will do so at its end.
        """
        growing, packed = self.growing(model), self.packed(model)
        if not growing.is_file():
            return
        with suppress(Timeout), FileLock(self._lock(model), timeout=0):
            lines = [line for path in (packed, growing) for _, line in _lines(path)]
            whole = dict.fromkeys(line for line in lines if _is_whole(line))
            if torn := [line for line in lines if line not in whole]:
                self._set_apart(model, torn)
            if whole:
                partial = packed.with_suffix(".partial")
                with partial.open("wb") as stream:
                    stream.write(gzip.compress(b"".join(line + b"\n" for line in whole), mtime=0))
                    _sync(stream.fileno())
                partial.replace(packed)
            growing.unlink()

    def _lock(self, model: str) -> Path:
        return self.folder / f".{model}.lock"

    def _set_apart(self, model: str, torn: Sequence[bytes]) -> None:
        path = self.folder / f"{model}.jsonl.torn"
        with path.open("ab") as stream:
            stream.writelines(line + b"\n" for line in torn)
            _sync(stream.fileno())
        warnings.warn(f"{path}: {len(torn)} torn lines were moved there.", stacklevel=3)


class Writer:
    """Appends replies; they are on disk when ``append`` returns."""

    def __init__(self, path: Path) -> None:
        torn = path.is_file() and path.stat().st_size > 0 and not _ends_with_newline(path)
        self._stream = path.open("ab")
        if torn:
            self._stream.write(b"\n")

    def append(self, replies: Iterable[Reply]) -> None:
        """Write replies and wait until they are durable.

        Raises
        ------
        RecordError
            If the disk takes no more.
        """
        try:
            self._stream.write(b"".join(map(_line, replies)))
            self._stream.flush()
            _sync(self._stream.fileno())
        except OSError as error:
            raise RecordError(
                f"{self._stream.name}: cannot write ({error.strerror}); what was recorded before "
                "is kept. Make room and record again."
            ) from None

    def close(self) -> None:
        """Close the file; what the disk did not take was never acknowledged."""
        with suppress(OSError):
            self._stream.close()


def last_complete(request: Request, replies: Replies) -> tuple[Request, Reply | None]:
    """Return the last request of a chain that was given more room, and its reply.

    A reply that was cut off may have been asked again with twice the tokens, as a request of its
    own; the last complete one counts, or else the last.
    """
    reply = replies.get(request.id)
    while reply is not None and reply.cut_off:
        larger = request.with_more_room()
        if larger.id not in replies:
            break
        request, reply = larger, replies[larger.id]
    return request, reply


def with_more_room(requests: Iterable[Request], replies: Replies) -> list[Request]:
    """Return what to ask, with twice the tokens, about each reply that was cut off."""
    last = (last_complete(request, replies) for request in requests)
    return [request.with_more_room() for request, reply in last if reply and reply.cut_off]


def missing(requests: Iterable[Request], replies: Replies) -> list[Request]:
    """Return the requests that have no recorded reply, each identity once."""
    wanted = {request.id: request for request in requests if request.id not in replies}
    return list(wanted.values())


def _line(reply: Reply) -> bytes:
    return orjson.dumps(reply, option=orjson.OPT_APPEND_NEWLINE)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    if not path.is_file():
        return
    try:
        data = path.read_bytes()
        content = _unpack(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise RecordError(
            f"{path}: cannot be read ({error}); restore it from version control, or move it away "
            "and record anew."
        ) from None
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line:
            yield number, line


def _unpack(data: bytes) -> bytes:
    if not data:
        raise EOFError("empty file")  # which gzip takes for a sound one
    return gzip.decompress(data)


def _parse(line: bytes) -> Reply | None:
    try:
        return Reply(**orjson.loads(line))
    except (ValueError, TypeError):
        return None


def _is_whole(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except ValueError:
        return False
    return True


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) == b"\n"


def _sync(descriptor: int) -> None:
    os.fsync(descriptor)
