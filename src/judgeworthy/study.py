"""The study: one parameter file, read strictly."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic.json_schema import SkipJsonSchema

from judgeworthy import parameters, project
from judgeworthy.errors import ParameterError
from judgeworthy.models import catalog

Language = Annotated[str, Field(pattern="^[a-z]{2,3}$")]


class Study(BaseModel):
    """What is asked of whom: data set, language, judges, sample, seed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: SkipJsonSchema[str] = Field(description="The name of the parameter file.")
    title: str = Field(description="How figures and pages call the study.")
    dataset: Literal["parallel", "tydiqa"] = Field(description="Where the questions come from.")
    language: Language = Field(description="ISO 639 code of questions and answers.")
    judges: tuple[str, ...] = Field(min_length=1, description="Names from params/models.yaml.")
    seed: int = Field(ge=0, description="Of the sample and of the wrong answers.")
    sample: int | None = Field(None, ge=1, description="Number of questions; all by default.")
    wrong_answers: Literal["same_type", "random"] = Field(
        "same_type", description="Which other question lends its reference as C2's wrong answer."
    )
    temperature: float = Field(0.0, ge=0, description="Of the judges.")
    max_tokens: int = Field(ge=1, description="Token limit of a verdict in this language.")
    confidence: float = Field(0.95, gt=0.5, lt=1, description="Level of every interval.")
    max_invalid: float = Field(
        0.2, ge=0, le=1, description="Share of invalid replies above which nothing is estimated."
    )

    @property
    def plain_title(self) -> str:
        """The title without what stands in brackets: the language's name in its own script."""
        return re.sub(r"\s*\([^)]*\)", "", self.title)

    @field_validator("judges")
    @classmethod
    def _each_once(cls, judges: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(judges)) < len(judges):
            raise ValueError("name each judge once")
        return judges

    @property
    def own_text(self) -> bool:
        """Whether the project may commit the study's text, and so its replies."""
        return self.dataset == "parallel"


def load(name: str) -> Study:
    """Read ``params/<name>.yaml``.

    Raises
    ------
    ParameterError
        If the file is missing or not as the schema says, or names a judge that is not in the
        catalog or cannot judge.
    """
    path = project.root() / "params" / f"{name}.yaml"
    study = parameters.read(path, Study, name=name)
    models = catalog.load().models
    for judge in study.judges:
        if judge not in models:
            hint = parameters.nearest(judge, list(models))
            raise ParameterError(f"{path}: params/models.yaml has no judge '{judge}'. {hint}")
        if not models[judge].chat:
            raise ParameterError(
                f"{path}: '{judge}' is a base model, which completes a text and cannot judge."
            )
    return study


def names() -> list[str]:
    """Return the names of all studies of the project."""
    folder: Path = project.root() / "params"
    return sorted(path.stem for path in folder.glob("*.yaml") if path.stem != "models")
