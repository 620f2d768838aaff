"""JupyterLab in a process of its own, with nothing of the user's."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TOKEN = "test"
SECONDS = 120
# It would ask whether to fetch news.
NEWS = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}


@contextmanager
def serving(project: Path, home: Path, theme: str) -> Iterator[str]:
    """Serve JupyterLab in a project, in a theme; give its address."""
    folders = {f"JUPYTER_{name}_DIR": home / name.lower() for name in ("CONFIG", "DATA", "RUNTIME")}
    _write(folders["JUPYTER_CONFIG_DIR"] / "labconfig" / "page_config.json", NEWS)
    settings = home / "settings" / "@jupyterlab" / "apputils-extension"
    _write(settings / "themes.jupyterlab-settings", {"theme": theme})
    options = [f"--IdentityProvider.token={TOKEN}", "--no-browser", "--allow-root", "--port=0"]
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options, f"--ServerApp.root_dir={project}"],
            cwd=project,
            env={
                **os.environ,
                **{name: str(path) for name, path in folders.items()},
                "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
                "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
            },
            stdout=log,
            stderr=log,
        )
    try:
        yield _address(process, folders["JUPYTER_RUNTIME_DIR"], home / "log")
    finally:
        process.terminate()
        process.wait(SECONDS)


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def _address(process: "subprocess.Popen[bytes]", runtime: Path, log: Path) -> str:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and process.poll() is None:
        for path in runtime.glob("jpserver-*.json"):
            if text := path.read_text():
                return str(json.loads(text)["url"])
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab does not start:\n{log.read_text()}")
