"""A parameter file is read as it is written, and what cannot be read is named with its remedy."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from judgeworthy import parameters
from judgeworthy.errors import ParameterError


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    width: int = 1


class Schema(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str = ""
    language: str = "en"
    seed: int = 0
    tolerance: float = 0.5
    exact: bool = True
    names: tuple[str, ...] = ()
    inner: Inner | None = None
    entries: dict[str, Inner] = {}


def read(folder: Path, text: str, **given: Any) -> Schema:
    path = folder / "x.yaml"
    path.write_text(text, encoding="utf-8")
    return parameters.read(path, Schema, **given)


def fault(folder: Path, text: str) -> str:
    with pytest.raises(ParameterError) as caught:
        read(folder, text)
    assert str(folder / "x.yaml") in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("language: no", "language", "no"),
        ("language: 'no'", "language", "no"),
        ("title: 2026-11-30", "title", "2026-11-30"),
        ("title: 1e-3", "title", "1e-3"),
        ("title: ~", "title", "~"),
        ("tolerance: 1e-3", "tolerance", 0.001),
        ("tolerance: 1", "tolerance", 1.0),
        ("seed: 007", "seed", 7),
        ("exact: no", "exact", False),
        ("exact: true", "exact", True),
        ("names: [no, 1e-3, 2026-11-30]", "names", ("no", "1e-3", "2026-11-30")),
    ],
)
def test_a_value_has_the_type_of_its_field(
    tmp_path: Path, line: str, key: str, value: object
) -> None:
    found = getattr(read(tmp_path, line), key)
    assert (found, type(found)) == (value, type(value))


def test_an_unknown_key_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    said = fault(tmp_path, "language: en\nsede: 3\n")
    assert "x.yaml:2: unknown key 'sede'. Did you mean 'seed'?" in said
    assert "Valid keys: title, language, seed, tolerance, exact, names, inner, entries." in said


def test_an_unknown_key_like_no_other_gets_no_guess(tmp_path: Path) -> None:
    assert "Did you mean" not in fault(tmp_path, "qqqq: 3\n")


@pytest.mark.parametrize("text", ["inner:\n  widht: 3\n", "entries:\n  one:\n    widht: 3\n"])
def test_an_unknown_key_below_another_is_named_with_its_place(tmp_path: Path, text: str) -> None:
    said = fault(tmp_path, text)
    assert f"x.yaml:{text.count(chr(10))}: unknown key '" in said
    assert said.endswith("widht'. Did you mean 'width'? Valid keys: width.")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("seed: three", "'seed' is 'three': Input should be a valid integer"),
        ("seed: 2026-11-30", "'seed' is '2026-11-30': Input should be a valid integer"),
        ("seed: 1e-3", "'seed' is '1e-3': Input should be a valid integer"),
        ("seed: no", "'seed' is 'no': Input should be a valid integer"),
        ("seed:", "'seed' is '': Input should be a valid integer"),
        ("tolerance: small", "'tolerance' is 'small': Input should be a valid number"),
        ("exact: 2026-11-30", "'exact' is '2026-11-30': Input should be a valid boolean"),
        ("title: [a]", "'title' is ['a']: Input should be a valid string"),
        ("names: a", "'names' is 'a': write a list, a line '- …' an entry"),
        ("inner: {width: x}", "'inner.width' is 'x': Input should be a valid integer"),
    ],
)
def test_a_wrong_type_is_named_with_file_line_and_key(tmp_path: Path, line: str, said: str) -> None:
    assert f"x.yaml:3: {said}" in fault(tmp_path, f"# a comment\n\n{line}\n")


def test_all_faults_are_named_at_once(tmp_path: Path) -> None:
    assert len(fault(tmp_path, "sede: 3\nexact: maybe\ninner: {width: x}\n").splitlines()) == 3


@pytest.mark.parametrize("text", ["seed: 1\nseed: 2\n", "inner:\n  width: 1\n  width: 2\n"])
def test_a_key_that_stands_twice_is_refused(tmp_path: Path, text: str) -> None:
    line = text.count("\n")
    key = text.split()[-2].rstrip(":")
    assert f"x.yaml:{line}: the key '{key}' stands twice; keep one." in fault(tmp_path, text)


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    class Needy(BaseModel):
        seed: int

    (tmp_path / "x.yaml").write_text("title: a\n", encoding="utf-8")
    with pytest.raises(ParameterError, match=r"x.yaml:1: the key 'seed' is missing; add it\."):
        parameters.read(tmp_path / "x.yaml", Needy)


def test_a_missing_file_lists_the_others(tmp_path: Path) -> None:
    for name in ("te", "en", "models"):
        (tmp_path / f"{name}.yaml").touch()
    with pytest.raises(ParameterError, match=r"ta\.yaml: no such parameter file") as caught:
        parameters.read(tmp_path / "ta.yaml", Schema)
    assert str(caught.value).endswith("There are: en, te.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("# only a comment\n", "the file is empty"),
        ("- a\n- b\n", "expected lines of the form 'key: value'"),
        ("seed 3\n", "expected lines of the form 'key: value'"),
        ("names: [a\n", "not valid YAML"),
        ("seed: 1\n---\nseed: 2\n", "not valid YAML"),
        ("title: {{ study }}\n", "x.yaml:1: put what holds a bracket or brace in quotes"),
    ],
)
def test_what_is_not_a_mapping_is_refused(tmp_path: Path, text: str, said: str) -> None:
    assert said in fault(tmp_path, text)


def test_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("title: café\n", encoding="latin-1")
    with pytest.raises(ParameterError, match=r"x\.yaml: not UTF-8 .*; save it as UTF-8\."):
        parameters.read(tmp_path / "x.yaml", Schema)


def test_what_is_given_may_not_stand_in_the_file(tmp_path: Path) -> None:
    assert read(tmp_path, "seed: 3\n", title="x").title == "x"
    with pytest.raises(ParameterError, match="remove the key 'title'"):
        read(tmp_path, "title: y\n", title="x")
