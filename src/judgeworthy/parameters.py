"""Strict reading of a YAML parameter file into a validated model.

YAML guesses types (``no`` is False, ``1e-3`` is text, ``2026-01-01`` is a date). Here every scalar
is read as written and takes the type that the model's field declares.
"""

from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from judgeworthy.errors import ParameterError

Place = tuple[str | int, ...]
M = TypeVar("M", bound=BaseModel)
# What in params/ is no study: the models, and what the card of all studies asks of judges.
SUMMARY = "summary"
NO_STUDY = ("models", SUMMARY)


def read(path: Path, schema: type[M], **given: Any) -> M:
    """Read a parameter file.

    Parameters
    ----------
    path : Path
        The YAML file.
    schema : type
        The pydantic model that describes it.
    **given
        Fields that do not stand in the file, such as its name.

    Raises
    ------
    ParameterError
        If the file is missing, is not a YAML mapping, or has an unknown, missing, repeated or
        mistyped key; the message names file, line, key, nearest valid key and remedy.
    """
    lines: dict[Place, int] = {}
    values = _plain(_compose(path), (), lines, path)
    if not isinstance(values, dict):
        raise ParameterError(f"{path}: expected lines of the form 'key: value'.")
    repeated = sorted(given.keys() & values.keys())
    if repeated:
        raise ParameterError(f"{path}: remove the key '{repeated[0]}', which the file's name sets.")
    try:
        return schema.model_validate({**values, **given})
    except ValidationError as error:
        faults = [_explain(fault, path, lines, schema) for fault in error.errors()]
        raise ParameterError("\n".join(faults)) from None


def _compose(path: Path) -> yaml.Node:
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except FileNotFoundError:
        stems = (file.stem for file in path.parent.glob("*.yaml"))
        others = sorted(stem for stem in stems if stem not in NO_STUDY)
        raise ParameterError(
            f"{path}: no such parameter file. There are: {', '.join(others) or 'none'}."
        ) from None
    except UnicodeDecodeError as error:
        raise ParameterError(f"{path}: not UTF-8 ({error}); save it as UTF-8.") from None
    except yaml.YAMLError as error:
        raise ParameterError(f"{path}: not valid YAML: {error}") from None
    if node is None:
        raise ParameterError(f"{path}: the file is empty; copy another one of its folder.")
    return node


def _plain(node: yaml.Node, place: Place, lines: dict[Place, int], path: Path) -> Any:
    lines[place] = node.start_mark.line + 1
    if isinstance(node, yaml.ScalarNode):
        return node.value
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*place, i), lines, path) for i, item in enumerate(node.value)]
    result: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise ParameterError(f"{path}:{line}: put what holds a bracket or brace in quotes.")
        if key.value in result:
            raise ParameterError(f"{path}:{line}: the key '{key.value}' stands twice; keep one.")
        result[key.value] = _plain(value, (*place, key.value), lines, path)
    return result


def _explain(fault: Any, path: Path, lines: dict[Place, int], schema: type[BaseModel]) -> str:
    place: Place = fault["loc"]
    known_place = place
    while known_place not in lines and known_place:
        known_place = known_place[:-1]
    where = f"{path}:{lines[known_place]}"
    key = ".".join(str(part) for part in place)
    if fault["type"] == "extra_forbidden":
        return f"{where}: unknown key '{key}'. {nearest(str(place[-1]), _keys(schema, place))}"
    if fault["type"] == "missing":
        return f"{where}: the key '{key}' is missing; add it."
    if fault["type"] == "tuple_type":
        return f"{where}: '{key}' is {fault['input']!r}: write a list, a line '- …' an entry."
    said = fault["msg"].removeprefix("Value error, ")
    if isinstance(fault["input"], dict):  # a fault of several keys together
        about = f"'{key}': " if key else ""
        return f"{where}: {about}{said}."
    return f"{where}: '{key}' is {fault['input']!r}: {said}."


def _keys(schema: Any, place: Place) -> list[str]:
    """Return the keys that are valid where an unknown one was found."""
    definitions = schema.model_json_schema()
    node = definitions
    for part in place[:-1]:
        node = node.get("properties", {}).get(part) or node.get("additionalProperties") or node
        node = node.get("anyOf", [node])[0]
        if "$ref" in node:
            node = definitions["$defs"][node["$ref"].rsplit("/", 1)[1]]
    return list(node.get("properties", {}))


def nearest(key: str, valid: list[str]) -> str:
    """Return a hint that names the nearest valid key and all valid keys."""
    close = get_close_matches(key, valid, n=1, cutoff=0.5)
    hint = f"Did you mean '{close[0]}'? " if close else ""
    return f"{hint}Valid keys: {', '.join(valid)}."
