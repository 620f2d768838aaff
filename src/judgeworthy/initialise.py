"""A study of a user's own file: what its columns hold, what they allow, and its parameter file.

A file of several languages makes a study a language, since prompts, wrong answers and estimates
are of one language each; all of them read the same file.
"""

import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from judgeworthy import drafting, parameters, project, prompts
from judgeworthy.datasets.tabular import faults, guess, language, reading, table
from judgeworthy.datasets.tabular.faults import Fault
from judgeworthy.datasets.tabular.rows import Entry
from judgeworthy.errors import DataError, ParameterError
from judgeworthy.statistics.proportions import wilson
from judgeworthy.study.columns import Columns
from judgeworthy.text import fold

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_UNKNOWN = "und"
_ASK_LANGUAGE = (
    "no column is found to tell the language; say it with --language, such as --language en, or "
    "name the column with --column language=NAME."
)


@dataclass(frozen=True)
class Plan:
    """What is to be written, and what was found.

    Attributes
    ----------
    columns : Columns
    faults : tuple of Fault
        Of the whole file.
    found : tuple of str
        What the columns hold and what they allow, as lines to be read.
    files : dict of str to str
        Text of each parameter file, by the name of its study.
    """

    columns: Columns
    faults: tuple[Fault, ...]
    found: tuple[str, ...]
    files: Mapping[str, str]


@dataclass(frozen=True)
class Wish:
    """What the user says.

    Attributes
    ----------
    name : str
        Of the study; with several languages the beginning of their names.
    paths : tuple of Path
    language : str
        The one language to take; empty for all that the file has.
    columns : tuple of (role, column)
    leave_out_faulty : bool
    """

    name: str
    paths: tuple[Path, ...]
    language: str = ""
    columns: tuple[tuple[str, str], ...] = ()
    leave_out_faulty: bool = False


def look(wish: Wish) -> Plan:
    """Look at the files and decide what to write; nothing is written.

    Raises
    ------
    DataError
        If a file cannot be read, columns are not found, or no language has enough rows.
    ParameterError
        If the name cannot be that of a study, or what is wished cannot be.
    """
    _check(wish)
    found = table.read(wish.paths)
    columns = guess.columns(found, _columns(wish, found.columns))
    default = _code(wish.language) if wish.language else _UNKNOWN
    sound, faulty = faults.sound(found, columns, default)
    told = [*found.notes, *_held(columns, found.columns)]
    if default == _UNKNOWN and not columns.language:
        if not faulty or wish.leave_out_faulty:
            raise DataError(_ASK_LANGUAGE)
        return Plan(columns, faulty, (*told, _ASK_LANGUAGE), {})
    files = {}
    places = [_place(path).as_posix() for path in wish.paths]
    by_language = _by_language(sound, columns, wish)
    names = {code: f"{wish.name}-{code}" for code in by_language}
    if len(names) == 1:
        names = dict.fromkeys(names, wish.name)
    for code, entries in by_language.items():
        told += ["", f"{names[code]}: {language.name(code)}", *_allowed(entries, columns, code)]
        files[names[code]] = drafting.parameters(wish.name, places, code, columns, entries, faulty)
    _refuse_existing(files)
    return Plan(columns, faulty, tuple(told), files)


def write(plan: Plan, wish: Wish) -> list[str]:
    """Write the parameter files, and copy what lies outside the project to ``data/own``.

    The copies, and the replies to come, are kept out of version control until the user deletes the
    ``.gitignore`` beside them.

    Returns
    -------
    list of str
        What was copied and written, as lines to be read.

    Raises
    ------
    DataError
        If another file of the same name is there.
    """
    told = []
    for path in wish.paths:
        place = _place(path)
        target = project.root() / place
        if target.resolve() != path.resolve():
            told.append(f"Copied: {path} to {place}; change it there from now on.")
            if target.is_file() and target.read_bytes() != path.read_bytes():
                raise DataError(f"{target}: another file of this name is there; rename yours.")
            _keep_private(target.parent)
            shutil.copyfile(path, target)
    for name, text in plan.files.items():
        (project.root() / "params" / f"{name}.yaml").write_text(text, encoding="utf-8")
        _keep_private(project.root() / "data" / "replies" / name)
    return [*told, f"Written: {', '.join(f'params/{name}.yaml' for name in plan.files)}"]


def _keep_private(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def _place(path: Path) -> Path:
    """Return where a file stands in the project, once it does."""
    whole, root = path.resolve(), project.root().resolve()
    if whole.is_relative_to(root):
        return whole.relative_to(root)
    # The folder of lm-eval's samples names the model.
    folder = whole.parent.name if path.name.startswith("samples_") else ""
    return Path("data", "own", folder, path.name)


def _check(wish: Wish) -> None:
    if not _NAME.fullmatch(wish.name) or wish.name in parameters.NO_STUDY:
        raise ParameterError(
            f"'{wish.name}' cannot name a study; use small letters a to z, digits, ., - and _."
        )


def _code(said: str) -> str:
    code = language.code(said)
    if code is None:
        raise ParameterError(
            f"--language: '{said}' is no language; write a code of ISO 639, such as en, ar or te."
        )
    return code


def _columns(wish: Wish, there: Sequence[str]) -> tuple[tuple[str, str], ...]:
    for role, column in wish.columns:
        for said, known, what in ((role, guess.ROLES, "role"), (column, there, "column")):
            if said not in known:
                hint = parameters.nearest(said, list(known))
                raise ParameterError(f"--column: there is no {what} '{said}'. {hint}")
    return wish.columns


def _by_language(sound: Sequence[Entry], columns: Columns, wish: Wish) -> dict[str, list[Entry]]:
    wanted = _code(wish.language) if wish.language else None
    sorted_: dict[str, list[Entry]] = {}
    for entry in sound:
        if entry.language and wanted in (None, entry.language):
            sorted_.setdefault(entry.language, []).append(entry)
    if not sorted_:
        raise DataError(f"no sound row in the language '{wish.language or 'any'}'; add rows.")
    return sorted_


def _refuse_existing(files: Mapping[str, str]) -> None:
    for name in files:
        path = project.root() / "params" / f"{name}.yaml"
        if path.exists():
            raise ParameterError(
                f"{path} is there and stays as it is; remove it, or choose another name."
            )


def _held(columns: Columns, there: Sequence[str]) -> Iterator[str]:
    """Yield what each column is taken for."""
    yield "Columns:"
    separated = f", several joined by {columns.separator!r}" if columns.separator else ""
    held = {columns.question: "question"}
    held |= dict.fromkeys(columns.references, f"right answer{separated}")
    single = {
        "id": columns.id,
        "language": columns.language,
        "cluster": columns.cluster,
        "type of answer": columns.answer_type,
        "model": columns.model,
        "response": columns.response,
        "human label": columns.label,
    }
    held |= {column: what for what, column in single.items() if column}
    held |= {column: f"response of '{model}'" for model, column in columns.responses.items()}
    held |= {column: f"human label of '{model}'" for model, column in columns.labels.items()}
    for column in there:
        yield f"  {column}: {held.get(column, 'not used')}"


def _allowed(entries: Sequence[Entry], columns: Columns, code: str) -> Iterator[str]:
    """Yield what the rows of a language allow."""
    n, labelled = drafting.questions(entries), drafting.labelled(entries)
    half = _half_width(n)
    yield f"  {n} questions: a share is known to about ± {half:.2f} at worst."
    yield f"  calibration: {'yes' if n > 1 else 'no: wrong answers need a second question'}"
    models = dict.fromkeys(one.model for entry in entries for one in entry.responses)
    if models:
        responses = sum(len(entry.responses) for entry in entries)
        yield f"  sensitivity: yes, on {responses} responses of {', '.join(models)}"
    elif code in prompts.languages("generate"):
        yield "  sensitivity: yes, on responses that local models are asked for"
    else:
        yield "  sensitivity: no: there are no responses, and no prompt to ask for them in"
    if labelled >= drafting.FEWEST_LABELS:
        yield f"  human agreement: yes, on {labelled} labelled responses"
    else:
        lacking = f"{labelled} labels, and {drafting.FEWEST_LABELS} are needed"
        yield f"  human agreement: no: {lacking} (judgeworthy annotate collects them)"
    if shared := _shared(entries):
        yield f"  {shared} questions share a reference with another; neither lends it to the other."
    if not columns.answer_type and code not in prompts.languages("generate"):
        yield "  types of answer: number and date by their shape, all else counts as thing"


def _half_width(n: int) -> float:
    estimate = wilson(n // 2, n)
    return ((estimate.high or 0) - (estimate.low or 0)) / 2


def _shared(entries: Sequence[Entry]) -> int:
    first = {entry.id or fold(entry.question): fold(entry.references[0]) for entry in entries}
    counted = Counter(first.values())
    return sum(counted[reference] > 1 for reference in first.values())


def refusal(plan: Plan) -> str:
    """Return all faults in words, with the ways to go on."""
    return reading.told(plan.faults, "add --leave-out-faulty")
