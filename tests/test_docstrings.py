"""Docstrings say what the code says: parameters, attributes, errors and sources."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "judgeworthy"
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
SECTION = re.compile(r"^(Parameters|Attributes|Returns|Yields|Raises|References)\n-+$", re.M)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


def definitions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Definition]]:
    """Yield every function and class of a module, and of its classes, by name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield f"{prefix}{child.name}", child
            if isinstance(child, ast.ClassDef):
                yield from definitions(child, f"{prefix}{child.name}.")


def defined(module: str) -> dict[str, Definition]:
    return dict(definitions(ast.parse(MODULES[module].read_text(encoding="utf-8"))))


def public(module: str) -> dict[str, Definition]:
    known = defined(module)
    return {name: known[name] for name in known if not re.search(r"\._(?!_)", f".{name}")}


def sections(node: Definition) -> dict[str, str]:
    """Return the sections of a docstring by their headings."""
    parts = SECTION.split(ast.get_docstring(node) or "")
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def entries(text: str) -> list[str]:
    """Return the names that a section describes: ``one, two : type`` are two."""
    heads = [line for line in text.splitlines() if line and not line.startswith((" ", ".."))]
    return [name.strip().lstrip("*") for head in heads for name in head.split(" : ")[0].split(",")]


def arguments(function: Function) -> list[str]:
    given = function.args
    every = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return [one.arg for one in every if one is not None and one.arg not in ("self", "cls")]


def init(node: ast.ClassDef) -> Function | None:
    found = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    return next((each for each in found if each.name == "__init__"), None)


def fields(node: ast.ClassDef) -> list[str]:
    annotated = [each.target for each in node.body if isinstance(each, ast.AnnAssign)]
    return [target.id for target in annotated if isinstance(target, ast.Name)]


def is_dataclass(node: ast.ClassDef) -> bool:
    return any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)


def raised(function: Function) -> set[str]:
    """Return the errors that a function itself raises by their class."""
    thrown = [each.exc for each in ast.walk(function) if isinstance(each, ast.Raise)]
    names = {ast.unparse(exc.func) for exc in thrown if isinstance(exc, ast.Call)}
    return {name for name in names if re.fullmatch(r"[A-Z]\w*Error", name)}


@pytest.mark.parametrize("module", MODULES)
def test_the_parameters_described_are_those_of_the_signature(module: str) -> None:
    for name, node in defined(module).items():
        described = sections(node).get("Parameters")
        function = init(node) if isinstance(node, ast.ClassDef) else node
        if described is not None:
            assert function is not None, name
            assert entries(described) == arguments(function), name


@pytest.mark.parametrize("module", MODULES)
def test_the_attributes_described_are_the_fields_of_the_class(module: str) -> None:
    for name, node in public(module).items():
        if isinstance(node, ast.ClassDef) and is_dataclass(node) and fields(node):
            shown = [field for field in fields(node) if not field.startswith("_")]
            assert set(entries(sections(node).get("Attributes", ""))) == set(shown), name


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("statistics.")])
def test_a_function_of_the_statistics_describes_what_it_takes(module: str) -> None:
    for name, node in public(module).items():
        if not isinstance(node, ast.ClassDef) and arguments(node):
            assert "Parameters" in sections(node), name


@pytest.mark.parametrize("module", MODULES)
def test_an_error_that_a_function_raises_is_described(module: str) -> None:
    for name, node in public(module).items():
        if not isinstance(node, ast.ClassDef) and not _told_elsewhere(node):
            heads = sections(node).get("Raises", "").splitlines()
            described = {word for line in heads for word in re.findall(r"^\w+|(?<=, )\w+", line)}
            assert raised(node) <= described, name


def _told_elsewhere(node: Function) -> bool:
    """Whether the command line or the reader of parameters tells what a function raises."""
    decorators = " ".join(map(ast.unparse, node.decorator_list))
    return "command" in decorators or "validator" in decorators or node.name == "__getitem__"


@pytest.mark.parametrize("module", MODULES)
def test_every_source_that_is_cited_is_listed_and_every_listed_one_cited(module: str) -> None:
    text = MODULES[module].read_text(encoding="utf-8")
    listed = re.findall(r"^\s*\.\. \[(\d+)\] (.+)$", text, re.M)
    assert set(re.findall(r"(?<!\.\. )\[(\d+)\]_", text)) == {number for number, _ in listed}
    for _, source in listed:
        assert re.search(r"\((?:1[789]|20)\d\d\)", source), f"no year: {source}"


@pytest.mark.parametrize("module", MODULES)
def test_a_section_of_a_docstring_has_a_heading_that_is_known(module: str) -> None:
    text = MODULES[module].read_text(encoding="utf-8")
    for heading in re.findall(r"^ *([A-Z]\w+)\n *-{4,}$", text, re.M):
        assert SECTION.fullmatch(f"{heading}\n----"), heading
