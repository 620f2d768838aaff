"""`make reproduce` of all studies in a fresh copy with a ready environment, and again at once.

Beside it the sum of bare Papermill runs of the same notebooks, one after the other, each in a
process of its own. Each was run once.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from serving import HERE

SMALL = {"studies": ("te",)}


def measure(studies: tuple[str, ...] = ()) -> list[dict[str, object]]:
    """Return one row for each way to run the notebooks."""
    with TemporaryDirectory() as folder:
        copy = Path(folder, "project")
        left_out = shutil.ignore_patterns(".*", "build", "benchmarks")
        shutil.copytree(HERE.parent, copy, ignore=left_out)
        # The environment's bin, as it was called: a resolved link would leave the environment.
        goal = ["make", f"BIN={Path(sys.executable).parent}", "reproduce"]
        goal += [f"STUDY={' '.join(studies)}"] if studies else []
        unbuilt, again = seconds(goal, copy), seconds(goal, copy)
        executed = sorted(path.relative_to(copy / "build") for path in copy.glob("build/*/*.ipynb"))
        bare = sum(seconds(papermill(*path.parts), copy) for path in executed)
    rows = {"make reproduce": unbuilt, "bare Papermill": bare, "make reproduce, again": again}
    return [
        {"what": what, "notebooks": len(executed), "seconds": took, "ratio": took / bare}
        for what, took in rows.items()
    ]


def papermill(study: str, notebook: str) -> list[str]:
    """Return the command that runs a notebook for a study as Papermill comes."""
    parameters = ["-p", "study", study, "-p", "output", f"bare/{study}"]
    command = [sys.executable, "-m", "papermill", "--no-progress-bar", "-k", "python3"]
    return [*command, f"notebooks/{notebook}", "bare.ipynb", *parameters]


def seconds(command: list[str], folder: Path) -> float:
    """Return how long a command takes in a copy of the project, on the copy's own code."""
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    environment |= {"PYTHONPATH": str(folder / "src"), "OMP_NUM_THREADS": "1"}
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started
