"""The catalog: every model once, with where it is served and what it accepts."""

from pathlib import Path

import pytest

from conftest import MODELS, ROOT
from judgeworthy.errors import ParameterError
from judgeworthy.models import catalog
from judgeworthy.models.catalog import Catalog

JUDGES = {"gemini-3.1-flash-lite", "gemma3-27b", "qwen3-32b"}
PEERS = {"claude-opus-4.6", "gpt-5.2", "gemini-3.1-pro", "grok-4.1-fast", "mistral-large-2512"}
EXAMPLES = {"ollama-example", "vllm-example", "openrouter-example"}
LOCAL = {
    "gemma3-270m-chat",
    "smollm2-135m",
    "gemma3-270m",
    "qwen2.5-coder-0.5b",
    "qwen2.5-coder-1.5b",
}
FILE = """\
    file:
      name: m.gguf
      sha256: {sha256}
      packages: [m-part1==1.0]
      member: "*.gguf"
"""


@pytest.fixture
def committed(monkeypatch: pytest.MonkeyPatch) -> Catalog:
    monkeypatch.chdir(ROOT)
    return catalog.load()


def read(project: Path, text: str) -> Catalog:
    (project / "params" / "models.yaml").write_text(text, encoding="utf-8")
    return catalog.load()


def fault(project: Path, text: str) -> str:
    with pytest.raises(ParameterError) as caught:
        read(project, text)
    assert "params/models.yaml" in str(caught.value)
    return str(caught.value)


def test_the_judges_and_peers_of_the_papers_and_an_example_a_server_are_there(
    committed: Catalog,
) -> None:
    assert set(committed.models) >= (JUDGES | PEERS | EXAMPLES | LOCAL)


def test_the_local_models_have_a_file_and_the_others_an_endpoint(committed: Catalog) -> None:
    assert {name for name, model in committed.models.items() if model.local} == LOCAL
    assert all(model.endpoint for model in committed.models.values() if not model.local)


def test_the_papers_models_have_a_key_and_prices(committed: Catalog) -> None:
    for name in JUDGES | PEERS:
        model = committed[name]
        assert model.key and model.price_prompt and model.price_completion


def test_every_key_stands_in_the_example_of_the_env_file(committed: Catalog) -> None:
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    listed = {line.removesuffix("=") for line in lines if line.endswith("=")}
    assert {model.key for model in committed.models.values() if model.key} == listed


def test_each_name_stands_for_itself(committed: Catalog) -> None:
    assert all(model.name == name for name, model in committed.models.items())


def test_an_unknown_model_is_named_with_the_nearest(project: Path) -> None:
    with pytest.raises(ParameterError) as caught:
        catalog.load()["juge"]
    said = "params/models.yaml has no model 'juge'. Did you mean 'judge'? Valid keys: judge."
    assert str(caught.value) == said


def test_both_an_endpoint_and_a_file_are_refused(project: Path) -> None:
    said = fault(project, MODELS + FILE.format(sha256="0" * 64))
    assert "models.yaml:3: 'models.judge'" in said
    assert "give either an endpoint or a file" in said


def test_neither_an_endpoint_nor_a_file_is_refused(project: Path) -> None:
    without = MODELS.replace("    endpoint: http://127.0.0.1:9/v1\n", "")
    assert "give either an endpoint or a file" in fault(project, without)
    assert read(project, without + FILE.format(sha256="0" * 64))["judge"].local


@pytest.mark.parametrize(
    ("added", "seconds"),
    [("", 600), ("    concurrency: 32\n", 3840), ("    concurrency: 32\n    timeout: 5\n", 5)],
)
def test_a_local_model_is_waited_for_as_long_as_all_in_flight_may_take_unless_it_is_said(
    project: Path, added: str, seconds: float
) -> None:
    remote = MODELS + added
    assert read(project, remote)["judge"].wait == (5 if "timeout" in added else 600)
    local = remote.replace("    endpoint: http://127.0.0.1:9/v1\n", "")
    assert read(project, local + FILE.format(sha256="0" * 64))["judge"].wait == seconds


def test_a_fault_is_told_alone(project: Path) -> None:
    assert len(fault(project, MODELS.replace("json_object", "json")).splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    form:", "    from:", "unknown key 'models.judge.from'. Did you mean 'form'?"),
        ("    form: json_object\n", "", "the key 'models.judge.form' is missing"),
        ("json_object", "json", "'models.judge.form' is 'json'"),
        ("http://127", "127", "'models.judge.endpoint' is '127.0.0.1:9/v1'"),
        ("seed: true", "seed: maybe", "'models.judge.seed' is 'maybe'"),
        ("  judge:", "  a/judge:", "'models.a/judge.name' is 'a/judge'"),
        ("    id:", "    name: j\n    id:", "remove the key 'models.judge.name'"),
        ("models:", "modles:", "unknown key 'modles'. Did you mean 'models'?"),
    ],
)
def test_a_fault_in_an_entry_is_named_with_its_place(
    project: Path, old: str, new: str, said: str
) -> None:
    assert said in fault(project, MODELS.replace(old, new))


def test_a_fault_in_a_file_is_named_with_its_place(project: Path) -> None:
    text = MODELS.replace("    endpoint: http://127.0.0.1:9/v1\n", FILE.format(sha256="0"))
    said = fault(project, text.replace("member:", "membr:"))
    assert "models.yaml:7: 'models.judge.file.sha256' is '0'" in said
    assert "models.yaml:9: unknown key 'models.judge.file.membr'. Did you mean 'member'?" in said


def test_the_same_entry_twice_is_refused(project: Path) -> None:
    twice = MODELS + MODELS.removeprefix("models:\n")
    assert "models.yaml:9: the key 'judge' stands twice" in fault(project, twice)
