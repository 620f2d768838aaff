"""The study: one parameter file, read strictly."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from judgeworthy import parameters, project, prompts
from judgeworthy.errors import ParameterError
from judgeworthy.models import catalog
from judgeworthy.study.blocks import (
    Calibration,
    Harder,
    HumanAgreement,
    PeerRanking,
    Sensitivity,
    once,
)
from judgeworthy.study.columns import Columns

Language = Annotated[str, Field(pattern="^[a-z]{2,3}$")]


# The blocks that a study of each data set may have, and whether its judges are asked by name.
_FITTING: dict[str, tuple[tuple[str, ...], bool]] = {
    "parallel": (("calibration", "harder", "sensitivity", "human_agreement"), True),
    "tabular": (("calibration", "harder", "sensitivity", "human_agreement"), True),
    "tydiqa": (("calibration", "harder", "sensitivity"), True),
    "qa-eval": (("human_agreement",), True),
    "openqa-eval": (("human_agreement",), False),
    "nomiracl": (("human_agreement",), False),
    "peer-prompts": (("peer_ranking",), False),
    "prd": (("peer_ranking",), False),
}
_PEERS = ("models", "response_tokens", "ballot_tokens")
BLOCKS = ("calibration", "harder", "sensitivity", "human_agreement", "peer_ranking")


class Study(BaseModel):
    """What is asked of whom: data set, language, judges, sample, seed; a block a section."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: SkipJsonSchema[str] = Field(description="The name of the parameter file.")
    title: str = Field(description="How figures and pages call the study.")
    dataset: Literal[
        "parallel",
        "tydiqa",
        "qa-eval",
        "openqa-eval",
        "nomiracl",
        "peer-prompts",
        "prd",
        "tabular",
    ] = Field(description="Where the questions come from.")
    files: tuple[str, ...] = Field((), description="Of tabular: one's own, from the project.")
    columns: Columns | None = Field(None, description="Of tabular: which column holds what.")
    faulty_rows: Literal["refuse", "leave_out"] = Field(
        "refuse", description="Of tabular: whether to go on with the sound rows alone."
    )
    language: Language = Field(description="ISO 639 code of questions and answers.")
    judges: tuple[str, ...] = Field(
        (), description="Names from params/models.yaml; none where others recorded the verdicts."
    )
    seed: int = Field(ge=0, description="Of the sample and of the wrong answers.")
    sample: int | None = Field(None, ge=1, description="Number of questions; all by default.")
    temperature: float = Field(0.0, ge=0, description="Of the judges.")
    max_tokens: int = Field(0, ge=0, description="Token limit of a verdict in this language.")
    confidence: float = Field(0.95, gt=0.5, lt=1, description="Level of every interval.")
    max_invalid: float = Field(
        0.2, ge=0, le=1, description="Share of invalid replies above which nothing is estimated."
    )
    calibration: Calibration | None = Field(None, description="Section 01; left out without it.")
    harder: Harder | None = Field(
        None, description="Harder wrong answers in section 01; not asked without it."
    )
    sensitivity: Sensitivity | None = Field(None, description="Section 02; left out without it.")
    human_agreement: HumanAgreement | None = Field(
        None, description="Section 03; left out without it."
    )
    peer_ranking: PeerRanking | None = Field(None, description="Section 04; left out without it.")

    @property
    def plain_title(self) -> str:
        """The title without what stands in brackets: the language's name in its own script."""
        return re.sub(r"\s*\([^)]*\)", "", self.title)

    @field_validator("judges")
    @classmethod
    def _eachonce(cls, judges: tuple[str, ...]) -> tuple[str, ...]:
        return once(judges, "judge")

    @model_validator(mode="after")
    def _wrong_answers_where_needed(self) -> "Study":
        controlled = self.sensitivity and (self.sensitivity.compared or self.sensitivity.controls)
        if (controlled or self.harder) and self.calibration is None:
            needing = "sensitivity.compared and sensitivity.controls" if controlled else "harder"
            raise ValueError(
                f"{needing}: the wrong answers of the block 'calibration' are shown; add it"
            )
        return self

    @model_validator(mode="after")
    def _file_of_own_data(self) -> "Study":
        if self.dataset != "tabular":
            given = [name for name in ("files", "columns") if getattr(self, name)]
            if given:
                raise ValueError(f"leave out {given[0]}: only 'dataset: tabular' has files")
        elif not self.files or self.columns is None:
            raise ValueError("give files and columns, or have them written by 'judgeworthy init'")
        return self

    @model_validator(mode="after")
    def _responses_to_judge(self) -> "Study":
        brought = self.columns is not None and bool(self.columns.all_responses)
        if self.sensitivity and not self.sensitivity.generators and not brought:
            raise ValueError("give sensitivity.generators: there are no responses to judge")
        return self

    @model_validator(mode="after")
    def _responses_to_label(self) -> "Study":
        if self.own_text and self.human_agreement and not self.sensitivity:
            raise ValueError(
                "human_agreement is about the responses of the block 'sensitivity'; add it"
            )
        return self

    @model_validator(mode="after")
    def _blocks_that_fit(self) -> "Study":
        fitting, by_name = _FITTING[self.dataset]
        odd = [name for name in BLOCKS if getattr(self, name) and name not in fitting]
        if odd:
            raise ValueError(
                f"{self.dataset} cannot have the block '{odd[0]}'; it may have "
                f"{' and '.join(fitting)}"
            )
        given = [name for name in ("judges", "max_tokens") if getattr(self, name)]
        if by_name and len(given) < 2:
            raise ValueError("give judges and max_tokens, the token limit of a verdict")
        if given and not by_name:
            raise ValueError(f"leave out {given[0]}: {self.dataset} asks no judges by name")
        return self

    @model_validator(mode="after")
    def _peers_where_asked(self) -> "Study":
        if self.peer_ranking is None:
            return self
        asked = {name: getattr(self.peer_ranking, name) for name in _PEERS}
        if self.dataset == "peer-prompts" and not all(asked.values()):
            lacking = next(name for name, value in asked.items() if not value)
            raise ValueError(f"give peer_ranking.{lacking}: the models of this study are asked")
        given = [name for name, value in asked.items() if value]
        if self.dataset != "peer-prompts" and given:
            raise ValueError(f"leave out peer_ranking.{given[0]}: {self.dataset} asks nobody")
        return self

    @property
    def labels_at_random(self) -> bool:
        """Whether the labelled responses are a random part of all: flips are sampled by design."""
        return not self.own_text or self.brings_labels

    @property
    def brings_labels(self) -> bool:
        """Whether a file of one's own has a column of human labels."""
        return self.columns is not None and bool(self.columns.all_labels)

    @property
    def annotators_independent(self) -> bool:
        """Whether every person labelled without knowing what the others said."""
        return self.dataset != "openqa-eval"

    @property
    def has_references(self) -> bool:
        """Whether its task knows reference answers: whether passages answer does not."""
        return self.dataset != "nomiracl"

    @property
    def recorded_with_reference(self) -> bool:
        """Whether verdicts that others recorded were given with the reference in sight."""
        return self.dataset == "openqa-eval"

    @property
    def own_text(self) -> bool:
        """Whether the study's text is the project's or the user's own, and so its replies."""
        return self.dataset in ("parallel", "peer-prompts", "tabular")

    @property
    def generators(self) -> tuple[str, ...]:
        """The models whose responses are judged."""
        return self.sensitivity.generators if self.sensitivity else ()

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that the study asks, each once."""
        peers = self.peer_ranking.models if self.peer_ranking else ()
        return tuple(dict.fromkeys((*self.judges, *self.generators, *peers)))


def load(name: str) -> Study:
    """Read ``params/<name>.yaml``.

    Raises
    ------
    ParameterError
        If the file is missing or not as the schema says, names a model that is not in the catalog
        or a judge that cannot judge, or is in a language that the generators have no prompt in.
    """
    path = project.root() / "params" / f"{name}.yaml"
    study = parameters.read(path, Study, name=name)
    models = catalog.load().models
    for name_ in study.models:
        if name_ not in models:
            role = "judge" if name_ in study.judges else "generator"
            hint = parameters.nearest(name_, list(models))
            raise ParameterError(f"{path}: params/models.yaml has no {role} '{name_}'. {hint}")
    if study.generators and study.language not in prompts.languages("generate"):
        known = ", ".join(prompts.languages("generate"))
        raise ParameterError(
            f"{path}: the generators' prompt exists in the languages {known}, not in "
            f"'{study.language}'; add generate.{study.language}.txt and "
            f"placebo.{study.language}.txt to the folder of prompts."
        )
    for kind in study.harder.kinds if study.harder else ():
        written = prompts.languages(kind)
        if written and study.language not in written:
            raise ParameterError(
                f"{path}, harder.kinds: '{kind}' exists in the languages {', '.join(written)}, not "
                f"in '{study.language}'; leave it out, or add {kind}.{study.language}.txt to the "
                "folder of prompts."
            )
    for judge in (*study.judges, *(study.peer_ranking.models if study.peer_ranking else ())):
        if not models[judge].chat:
            raise ParameterError(
                f"{path}: '{judge}' is a base model, which completes a text and cannot judge."
            )
    return study


def names() -> list[str]:
    """Return the names of all studies of the project."""
    folder: Path = project.root() / "params"
    stems = (path.stem for path in folder.glob("*.yaml"))
    return sorted(stem for stem in stems if stem not in parameters.NO_STUDY)
