"""Runs a notebook for a study, so that ``make`` may trust what it finds.

``python -m judgeworthy.execute notebooks/01_calibration.ipynb te`` leaves the executed copy at
``build/te/01_calibration.ipynb``, its figures and tables in ``build/te/figures``, and the modules
and files that it depends on in ``build/te/01_calibration.d``. Without a study it refreshes the
outputs that are stored in the notebook itself, for its default parameters.
"""

import ast
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from judgeworthy import parameters, project, study
from judgeworthy.errors import JudgeworthyError

# Two thirds of the time that papermill takes to import go into what is loaded if it is there, and
# not needed here: jsonschema's grammar of URLs, and the way to notebooks on a Hadoop cluster.
# ruff: noqa: E402
_UNNEEDED = [name for name in ("rfc3987_syntax", "pyarrow") if name not in sys.modules]
sys.modules.update(dict.fromkeys(_UNNEEDED))  # type: ignore[arg-type]

import nbformat
import papermill
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from papermill.exceptions import PapermillExecutionError

for _name in _UNNEEDED:
    del sys.modules[_name]

_PACKAGE = "judgeworthy"
_ESCAPED = re.compile(r"[\s#:]")  # what would mean something to make in the name of a file
# ipykernel warns that kernels on this machine talk over TCP (its other way makes kernels that start
# together share sockets), and that a kernel was interrupted when it is told to end.
QUIET = ["--log-level=CRITICAL"]


def execute(notebook: Path, name: str) -> Path:
    """Execute a notebook for a study and return the executed copy.

    The copy appears whole or not at all: a run that fails or is stopped leaves none, so that the
    next one starts again.

    Raises
    ------
    JudgeworthyError
        With the message of the cell that failed.
    """
    # The page on all studies is of none, and reads no file of its own.
    files = () if name == parameters.SUMMARY else study.load(name).files
    data = [project.root() / file for file in files]
    folder = Path("build") / name
    target = folder / notebook.name
    partial = folder / f".{notebook.stem}.partial.ipynb"
    target.unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        papermill.execute_notebook(
            notebook,
            partial,
            parameters={"study": name, "output": str(folder / "figures")},
            kernel_name="python3",
            progress_bar=False,
            cwd=project.root(),
            extra_arguments=QUIET,
        )
    except PapermillExecutionError as error:
        raise JudgeworthyError(_words(error, notebook, name, partial)) from None
    dependencies(notebook, target, data)
    partial.replace(target)
    return target


def store(notebook: Path) -> None:
    """Refresh a notebook's stored outputs, without timing.

    Raises
    ------
    JudgeworthyError
        With the message of the cell that failed; the notebook stays as it was.
    """
    content = nbformat.read(notebook, as_version=4)
    resources = {"metadata": {"path": str(project.root())}}
    client = NotebookClient(
        content,
        kernel_name="python3",
        resources=resources,
        record_timing=False,
        extra_arguments=QUIET,
    )
    try:
        client.execute()
    except CellExecutionError as error:
        raise JudgeworthyError(f"{notebook} stopped:\n{error.ename}: {error.evalue}") from None
    nbformat.write(content, notebook)


def dependencies(notebook: Path, target: Path, data: Iterable[Path]) -> None:
    """Write the rules by which the executed copy depends on its modules, and on a user's files."""
    files = sorted(str(os.path.relpath(path)) for path in closure(notebook))
    own = [_ESCAPED.sub(r"\\\g<0>", os.path.relpath(path)).replace("$", "$$") for path in data]
    rules = [f"{target}: {' '.join(files)}", *(f"{target}: {file}" for file in own)]
    # A file that is gone is no reason to stop; % in a target would make it a pattern.
    rules += [f"{file}:".replace("%", r"\%") for file in (*files, *own)]
    target.with_suffix(".d").write_text("\n".join(rules) + "\n", encoding="utf-8")


def closure(notebook: Path) -> set[Path]:
    """Return the package's files that a notebook imports, directly or through one another."""
    waiting = list(_imports(_code(notebook)))
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            found.update(path.parent.glob("*.txt"))
            waiting.extend(_imports(path.read_text(encoding="utf-8")))
    return found


def _code(notebook: Path) -> str:
    cells = nbformat.read(notebook, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")


def _imports(source: str) -> Iterator[Path]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            yield from _files(name)


def _files(module: str) -> Iterator[Path]:
    """Yield the files of a module of ours and of the packages that hold it."""
    parts = module.split(".")
    if parts[0] != _PACKAGE:
        return
    root = Path(__file__).parent
    for depth in range(1, len(parts) + 1):
        path = root.joinpath(*parts[1:depth])
        candidates = (path / "__init__.py", path.with_suffix(".py"))
        yield from (file for file in candidates if file.is_file() and root in file.parents)


def _words(error: PapermillExecutionError, notebook: Path, name: str, partial: Path) -> str:
    ours = error.ename in {kind.__name__ for kind in JudgeworthyError.__subclasses__()}
    cause = error.evalue if ours else f"{error.ename}: {error.evalue}"
    detail = "" if ours else f"\nThe traceback is in {partial}."
    return f"{notebook} stopped for study '{name}':\n{cause}{detail}"


def main() -> None:
    """Run from the command line: notebook, study."""
    project.enter()
    notebook, *names = sys.argv[1:]
    try:
        for name in names:
            print(execute(Path(notebook), name))
        if not names:
            store(Path(notebook))
    except JudgeworthyError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(f"{notebook} was stopped; the next run starts it again.")


if __name__ == "__main__":
    main()
