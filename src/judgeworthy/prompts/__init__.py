"""The prompts: one text file each, frozen once replies to them are recorded.

A file has a part ``[system]`` (constant) and a part ``[user]`` (the item), or a single part
``[completion]`` for a base model; ``placebo.*`` are plain texts about nothing, to stand in a
reference's place, and ``verbose.*`` and ``injected.*`` what is written around a wrong answer.
``$name`` marks what is filled in, once: text that is filled in stays data, whatever it contains.
"""

import re
from functools import cache
from importlib.resources import files
from string import Template

Message = dict[str, str]

_PART = re.compile(r"^\[(system|user|completion)\]\n", re.MULTILINE)

JUDGE = {
    "C1": "judge_no_reference",
    "C2": "judge_no_reference",
    "NR": "judge_no_reference",
    "RV": "judge_reference_visible",
    "RC": "judge_reference_compare",
}
PARAPHRASE = "judge_no_reference_paraphrase"


@cache
def parts(name: str) -> tuple[tuple[str, str], ...]:
    """Return the parts of a prompt file as pairs (role, text with ``$names``)."""
    text = files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
    pieces = _PART.split(text)[1:]
    return tuple((role, body.strip()) for role, body in zip(pieces[::2], pieces[1::2], strict=True))


def messages(name: str, **fields: str) -> tuple[Message, ...]:
    """Fill a prompt file.

    Parameters
    ----------
    name : str
        File name without ``.txt``, such as ``judge_no_reference``.
    **fields : str
        A value for each ``$name`` of the file.

    Raises
    ------
    KeyError
        If a ``$name`` of the file has no value.
    """
    return tuple({"role": role, "content": form % fields} for role, form in _forms(name))


@cache
def _forms(name: str) -> tuple[tuple[str, str], ...]:
    """Return the parts of a prompt file with ``%(names)s``, which are filled in at once."""
    return tuple(
        (role, Template(body.replace("%", "%%")).substitute(_Named())) for role, body in parts(name)
    )


class _Named(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return f"%({name})s"


def plain(name: str) -> str:
    """Return a prompt file that has no parts, such as ``placebo.en``, as it is."""
    return files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8").strip()


def languages(name: str) -> list[str]:
    """Return the languages in which a prompt, such as ``generate``, is written."""
    names = (file.name.split(".") for file in files(__name__).iterdir())
    return sorted(parts[1] for parts in names if parts[0] == name and len(parts) == 3)
