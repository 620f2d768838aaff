"""The parameter file of a study of a user's own file, drafted with comments."""

from collections.abc import Iterator, Sequence

import yaml

from judgeworthy import prompts
from judgeworthy.datasets.tabular import language, reading
from judgeworthy.datasets.tabular.faults import Fault
from judgeworthy.datasets.tabular.rows import Entry
from judgeworthy.datasets.wrong_answers import assign
from judgeworthy.models import catalog
from judgeworthy.study.columns import Columns
from judgeworthy.text import fold

FEWEST_LABELS = 20

# Small ones that run on this machine without a key.
_JUDGES = ("smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b")
_SEED = 1
_FEW = 0.1  # of the questions may be without a wrong answer of their type
_COMPARED, _LABELS, _SIZES = 20, 60, (20, 50, 100, 200)
_TOKENS = {True: (400, 64), False: (1024, 128)}  # by whether the script is plain: verdict, response


def parameters(
    name: str,
    files: Sequence[str],
    code: str,
    columns: Columns,
    entries: Sequence[Entry],
    faulty: Sequence[Fault],
) -> str:
    """Return the text of a parameter file.

    Parameters
    ----------
    name : str
        As the user calls the study.
    files : sequence of str
        Where the data is, from the project.
    code : str
        The language.
    columns : Columns
    entries : sequence of Entry
        The sound rows of this language.
    faulty : sequence of Fault
        What is left out; of the whole file.
    """
    verdict, response = _TOKENS[_is_plain(entries)]
    n = questions(entries)
    lines = [
        f"# Written by 'judgeworthy init {name}'; change what you like.",
        f"title: {_scalar(f'{language.name(code)}, {name}')}",
        "dataset: tabular",
        "files:",
        *(f"  - {_scalar(file)}" for file in files),
        f"language: {code}",
        *_of_columns(columns),
        *_of_faults(faulty),
        "judges:                    # names from params/models.yaml, where you may add your own",
        *(f"  - {judge}" for judge in _judges()),
        f"seed: {_SEED}",
        "temperature: 0",
        f"max_tokens: {verdict:<15}# of a verdict; many scripts cost several tokens a character",
        "confidence: 0.95",
        "max_invalid: 0.2           # above this share of invalid replies nothing is estimated",
        *(["", *_of_calibration(entries)] if n > 1 else []),
        *_of_sensitivity(entries, code, n, response),
        *_of_labels(labelled(entries)),
    ]
    return "\n".join(lines) + "\n"


def _of_columns(columns: Columns) -> Iterator[str]:
    yield "columns:"
    for name, value in columns.model_dump(exclude_defaults=True).items():
        if isinstance(value, dict):
            yield f"  {name}:{' ' * (26 - len(name))}# what it is called in tables: its column"
            yield from (f"    {_scalar(key)}: {_scalar(column)}" for key, column in value.items())
        elif isinstance(value, tuple):
            yield f"  {name}:"
            yield from (f"    - {_scalar(column)}" for column in value)
        else:
            yield f"  {name}: {_scalar(value)}"


def _of_faults(faulty: Sequence[Fault]) -> Iterator[str]:
    if faulty:
        rows = len({fault.place for fault in faulty})
        yield f"faulty_rows: leave_out     # {rows} when this was written; 'refuse' names them"


def _of_calibration(entries: Sequence[Entry]) -> Iterator[str]:
    yield "calibration:"
    items = [(question,) for question in reading.questions(entries)]
    alone = len(assign(items, "same_type", _SEED).unassigned)
    if alone <= _FEW * len(items) or alone <= len(assign(items, "random", _SEED).unassigned):
        yield "  wrong_answers: same_type   # C2: the reference of another question of the type"
    else:
        yield "  wrong_answers: random      # C2: of any other question, since the types are few"


def _of_sensitivity(entries: Sequence[Entry], code: str, n: int, tokens: int) -> Iterator[str]:
    asked = not any(entry.responses for entry in entries)
    if asked and code not in prompts.languages("generate"):
        return
    yield "sensitivity:"
    if asked:
        yield "  generators:"
        yield from (f"    - {judge}" for judge in _judges())
        yield f"  max_tokens: {tokens:<15}# of a response"
    yield "  temperature: 0.3           # of the noise floor, and of generators that are asked"
    if n > 1:
        yield f"  compared: {min(n, _COMPARED):<17}# questions of the noise floor and the placebo"
        yield "  controls: true             # judge right and wrong answers with the reference, too"
    yield "  primary: [NR, RC]          # the one contrast that is tested"


def _of_labels(labelled: int) -> Iterator[str]:
    if labelled >= FEWEST_LABELS:
        sizes = [size for size in _SIZES if size <= labelled]
        yield "human_agreement:"
        yield f"  labels: {min(_LABELS, labelled // 2):<19}# from which the score is corrected"
        yield f"  sizes: {sizes}"


def _judges() -> list[str]:
    known = catalog.load().models
    return [name for name in _JUDGES if name in known] or [
        name for name, model in known.items() if model.chat
    ]


def _is_plain(entries: Sequence[Entry]) -> bool:
    text = "".join(entry.question for entry in entries)
    return sum(letter.isascii() for letter in text) >= 0.8 * len(text)


def _scalar(text: str) -> str:
    style = '"' if "\n" in text else None
    dumped = yaml.safe_dump(text, allow_unicode=True, width=10_000, default_style=style)
    return str(dumped).removesuffix("...\n").strip()


def questions(entries: Sequence[Entry]) -> int:
    """Return how many questions rows are about."""
    return len({entry.id or fold(entry.question) for entry in entries})


def labelled(entries: Sequence[Entry]) -> int:
    """Return how many responses people have labelled."""
    return sum(one.human is not None for entry in entries for one in entry.responses)
