"""Responses that exist already: logs of Inspect, results of promptfoo, samples of lm-eval.

Each becomes one record a response, with the keys of `KEYS`. What the tools' own scorers said is
left out: it is no human label.

Inspect
    A ``.eval`` archive or the same log as JSON. The first epoch alone; texts that are kept as
    attachments are put back; the options of a multiple choice stand under its question.
promptfoo
    The JSON (or JSON lines) that ``promptfoo eval -o`` writes, version 3. The question is the
    variable that is called so, or the only one, or else the prompt. References are the values of
    assertions that hold the answer (equals, contains, …), or a variable that is called so; a rubric
    is none. Several prompts to one provider are told apart by their label.
lm-eval
    ``samples_<task>_<time>.jsonl``, as ``--log_samples`` writes it. The response is the model's
    raw one, once for all filters; the model is the folder that the file is in. Tasks that compare
    likelihoods hold no responses.
"""

import json
import os
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow

from judgeworthy.errors import DataError

KEYS = ("id", "question", "references", "response", "model")
Record = dict[str, Any]

# Assertions of promptfoo whose value is an answer.
_ANSWERS = (
    *("equals", "contains", "icontains", "contains-any", "icontains-any", "similar"),
    *("levenshtein", "rouge-n", "bleu", "factuality", "model-graded-factuality"),
)
_ZSTANDARD = 93  # by the specification of ZIP
_QUESTION = ("question", "query", "problem", "input", "prompt", "instruction", "text")
_REFERENCE = ("reference", "references", "expected", "answer", "answers", "target", "ideal", "gold")


@dataclass(frozen=True)
class Found:
    """What a file of a tool holds.

    Attributes
    ----------
    kind : str
        The tool, in words.
    records : list of dict
    """

    kind: str
    records: list[Record]


def of_object(path: Path, content: Any) -> Found | None:
    """Return the records of a JSON file, if it is one of Inspect or promptfoo.

    Raises
    ------
    DataError
        If it is one and holds no responses.
    """
    if not isinstance(content, dict):
        return None
    results = content.get("results")
    if isinstance(results, dict) and isinstance(results.get("results"), list):
        return _found(path, "results of promptfoo", _promptfoo(results["results"]))
    if isinstance(content.get("eval"), dict) and isinstance(content.get("samples"), list):
        return _found(path, "a log of Inspect", _inspect(path, content["eval"], content["samples"]))
    return None


def of_lines(path: Path, rows: Sequence[Any]) -> Found | None:
    """Return the records of JSON lines, if they are those of lm-eval or promptfoo.

    Raises
    ------
    DataError
        If they are and hold no responses.
    """
    first = rows[0] if rows and isinstance(rows[0], dict) else {}
    if {"doc_id", "resps"} <= first.keys():
        return _found(path, "samples of lm-eval", _lm_eval(path, rows))
    if {"testIdx", "promptIdx"} <= first.keys():
        return _found(path, "results of promptfoo", _promptfoo(rows))
    return None


def of_archive(path: Path) -> Found:
    """Return the records of Inspect's ``.eval`` archive.

    Raises
    ------
    DataError
        If the archive is broken, or the run has not ended.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = {member.filename: member for member in archive.infolist()}
            header = json.loads(_member(archive, members["header.json"]))
            names = [name for name in members if name.startswith("samples/")]
            samples = [json.loads(_member(archive, members[name])) for name in names]
    except KeyError:
        raise DataError(f"{path}: the run has not ended, there is no header; finish it.") from None
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        raise DataError(f"{path}: not a log of Inspect ({error}); copy it anew.") from None
    return _found(path, "a log of Inspect", _inspect(path, header.get("eval") or {}, samples))


def _found(path: Path, kind: str, records: Iterator[Record]) -> Found:
    try:
        return Found(kind, list(records))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise DataError(
            f"{path}: not in the shape of {kind} ({error!r}); write it with a current version."
        ) from None


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the content of a member; Python reads Zstandard in archives from 3.14 on alone."""
    if member.compress_type != _ZSTANDARD:
        return archive.read(member)
    with Path(archive.filename or "").open("rb") as stream:
        stream.seek(member.header_offset)
        name, extra = struct.unpack("<26x2H", stream.read(30))
        stream.seek(name + extra, os.SEEK_CUR)
        packed = stream.read(member.compress_size)
    content = pyarrow.input_stream(pyarrow.py_buffer(packed), compression="zstd").read()
    return bytes(content)


def _inspect(path: Path, eval_: Mapping[str, Any], samples: Sequence[Any]) -> Iterator[Record]:
    first = [sample for sample in samples if sample.get("epoch", 1) == 1]
    if not first:
        raise DataError(f"{path}: the log holds no samples; run it with --log-samples.")
    for sample in first:
        attached = sample.get("attachments") or {}
        choices = [_put_back(choice, attached) for choice in sample.get("choices") or []]
        options = [f"{chr(65 + number)}) {choice}" for number, choice in enumerate(choices)]
        question = _message(sample["input"], attached)
        output = sample.get("output") or {}
        yield {
            "id": str(sample["id"]),
            "question": "\n".join([question, *options]),
            "references": list(_targets(sample.get("target", ""), choices)),
            "response": _completion(output, attached),
            "model": output.get("model") or eval_.get("model", ""),
        }


def _targets(target: str | list[str], choices: Sequence[str]) -> Iterator[str]:
    """Yield the references; of an option's letter, the letter with the option's text."""
    for one in [target] if isinstance(target, str) else target:
        place = ord(one) - 65 if len(one) == 1 else -1
        yield f"{one}) {choices[place]}" if 0 <= place < len(choices) else one


def _completion(output: Mapping[str, Any], attached: Mapping[str, str]) -> str:
    choices = output.get("choices") or []
    message = choices[0].get("message") if choices else None
    return _put_back(_content(message.get("content", "")) if message else "", attached)


def _message(input_: str | list[Any], attached: Mapping[str, str]) -> str:
    """Return the question: the text, or what the user said last."""
    if isinstance(input_, str):
        return _put_back(input_, attached)
    said = [_content(one.get("content", "")) for one in input_ if one.get("role") == "user"]
    return _put_back(said[-1] if said else "", attached)


def _content(content: str | list[Any]) -> str:
    """Return the text of a message, without its reasoning."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part.get("type") == "text")


def _put_back(text: str, attached: Mapping[str, str]) -> str:
    return attached.get(text.removeprefix("attachment://"), text)


def _promptfoo(results: Sequence[Any]) -> Iterator[Record]:
    # promptIdx counts over providers too, so that tests tell whether each has several prompts.
    tests = {(result.get("testIdx"), _provider(result)) for result in results}
    several = len(results) > len(tests)
    for number, result in enumerate(results):
        case = result.get("testCase") or {}
        variables = result.get("vars") or case.get("vars") or {}
        prompt = result.get("prompt") or {}
        label = f" {prompt.get('label') or result.get('promptIdx')}" if several else ""
        yield {
            "id": str(result.get("testIdx", number)),
            "question": _called(variables, _QUESTION) or _only(variables) or prompt.get("raw", ""),
            "references": _expected(result, case) or _called(variables, _REFERENCE),
            "response": (result.get("response") or {}).get("output", ""),
            "model": f"{_provider(result)}{label}",
        }


def _provider(result: Mapping[str, Any]) -> str:
    provider = result.get("provider") or ""
    if isinstance(provider, str):
        return provider
    return str(provider.get("label") or provider.get("id", ""))


def _expected(result: Mapping[str, Any], case: Mapping[str, Any]) -> list[str]:
    graded = (result.get("gradingResult") or {}).get("componentResults") or []
    checks = case.get("assert") or [one["assertion"] for one in graded if one.get("assertion")]
    values = [check.get("value") for check in checks if check.get("type") in _ANSWERS]
    listed = [value if isinstance(value, list) else [value] for value in values]
    return [str(value) for several in listed for value in several if value is not None]


def _called(variables: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the value of the first of some names, in small letters or large."""
    plain = {name.casefold(): value for name, value in variables.items()}
    return next((plain[name] for name in names if name in plain), "")


def _only(variables: Mapping[str, Any]) -> Any:
    return next(iter(variables.values())) if len(variables) == 1 else ""


def _lm_eval(path: Path, rows: Sequence[Any]) -> Iterator[Record]:
    model = path.parent.name.replace("__", "/") or path.stem
    seen = set()
    for number, row in enumerate(rows, start=1):
        if row["doc_id"] in seen:  # the same response, read by another filter
            continue
        seen.add(row["doc_id"])
        response = (row["resps"] or [""])[0]
        response = response[0] if isinstance(response, list) and response else response
        if not isinstance(response, str):
            raise DataError(
                f"{path}, line {number}: likelihoods instead of responses; take a task whose "
                "output_type is generate_until."
            )
        doc = row.get("doc")
        doc = doc if isinstance(doc, dict) else {}
        yield {
            "id": str(row["doc_id"]),
            "question": _called(doc, _QUESTION) or _prompt(row.get("arguments")),
            "references": row.get("target", ""),
            "response": response,
            "model": model,
        }


def _prompt(arguments: Any) -> str:
    """Return the prompt, of which a chat keeps what the user said last."""
    while isinstance(arguments, (dict, list)) and arguments:
        arguments = next(iter(arguments.values() if isinstance(arguments, dict) else arguments))
    text = str(arguments or "")
    try:
        return _message(json.loads(text), {}) if text.startswith("[{") else text
    except ValueError:
        return text
