"""The study: one parameter file, read strictly."""

import re
from pathlib import Path
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from judgeworthy import parameters, project, prompts
from judgeworthy.errors import ParameterError
from judgeworthy.models import catalog

_Name = TypeVar("_Name", bound=str)
Language = Annotated[str, Field(pattern="^[a-z]{2,3}$")]
HarderKind = Literal["nearest", "corrupted", "verbose", "injected"]
Names = Annotated[tuple[str, ...], Field(min_length=1)]


class Calibration(BaseModel):
    """Stage 1: whether the judge knows the task."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    wrong_answers: Literal["same_type", "random"] = Field(
        "same_type", description="Which other question lends its reference as C2's wrong answer."
    )


class Harder(BaseModel):
    """Stage 1 with harder wrong answers, kept apart from C2's."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kinds: tuple[HarderKind, ...] = Field(
        get_args(HarderKind), min_length=1, description="Which wrong answers are shown."
    )

    @field_validator("kinds")
    @classmethod
    def _each_once(cls, kinds: tuple[HarderKind, ...]) -> tuple[HarderKind, ...]:
        return _once(kinds, "kind")


class Sensitivity(BaseModel):
    """Stage 2: whether the verdict depends on seeing a reference."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    generators: tuple[str, ...] = Field((), description="Names from params/models.yaml.")
    sample: int | None = Field(None, ge=1, description="Number of questions; all by default.")
    temperature: float = Field(0.3, ge=0, description="Of the generators, and of the noise floor.")
    max_tokens: int = Field(0, ge=0, description="Token limit of a response in this language.")
    compared: int = Field(0, ge=0, description="Questions of the noise floor and the placebo.")
    controls: bool = Field(False, description="Whether C1's and C2's answers are judged too.")
    primary: tuple[Literal["NR"], Literal["RV", "RC"]] = Field(
        ("NR", "RC"), description="The one contrast that is tested; all others are exploratory."
    )
    resamples: int = Field(2000, ge=100, description="Of the cluster bootstrap.")

    @field_validator("generators")
    @classmethod
    def _each_once(cls, generators: tuple[str, ...]) -> tuple[str, ...]:
        return _once(generators, "generator")

    @model_validator(mode="after")
    def _room_to_answer(self) -> "Sensitivity":
        if self.generators and not self.max_tokens:
            raise ValueError("give max_tokens, the token limit of a generator's response")
        return self

    @model_validator(mode="after")
    def _noise_is_sampled(self) -> "Sensitivity":
        if self.compared and self.temperature == 0:
            raise ValueError(
                "sensitivity.compared measures the noise between two seeds at "
                "sensitivity.temperature, which is 0, where nothing is drawn; raise it, or set "
                "compared to 0"
            )
        return self


class HumanAgreement(BaseModel):
    """Whose side the judge is on, and what its score is worth: against human labels."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    labels: int = Field(
        60, ge=2, description="Labelled responses from which the accuracy is corrected."
    )
    sizes: tuple[int, ...] = Field(
        (20, 50, 100, 200), description="Numbers of labels whose coverage is measured."
    )
    subsamples: int = Field(500, ge=100, description="Drawn for each of these numbers.")


class Columns(BaseModel):
    """Which column of a file of one's own holds what; responses stand in columns or in rows."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: str = Field(min_length=1, description="The question.")
    references: Names = Field(description="The right answer, in one column or several.")
    separator: str | None = Field(
        None, min_length=1, description="Stands between several references of one cell."
    )
    id: str | None = Field(None, description="The question's id; without it, a hash of the text.")
    language: str | None = Field(None, description="A code or name; all rows of one without it.")
    cluster: str | None = Field(None, description="What questions were drawn with: a document.")
    answer_type: str | None = Field(
        None, description="Person, place, number, date or thing; by rule without it."
    )
    responses: dict[str, str] = Field(
        {}, description="Responses in columns: what a model is called, and its column."
    )
    labels: dict[str, str] = Field(
        {}, description="Human labels of these: what the model is called, and their column."
    )
    response: str | None = Field(None, description="Responses in rows: the column of them all.")
    model: str | None = Field(None, description="Whose the response of the row is.")
    label: str | None = Field(None, description="The human label of the response of the row.")

    @model_validator(mode="after")
    def _in_one_way(self) -> "Columns":
        if self.responses and self.response:
            raise ValueError("responses stand in columns (responses) or in rows (response)")
        if bool(self.response) != bool(self.model):
            raise ValueError("responses in rows take two columns: give response and model")
        if self.label and not self.response:
            raise ValueError("label is that of responses in rows; for columns give labels")
        odd = [model for model in self.labels if model not in self.responses]
        if odd:
            raise ValueError(f"labels names '{odd[0]}', which is not one of responses")
        return self

    @property
    def all_responses(self) -> tuple[str, ...]:
        """The columns of responses."""
        return (self.response,) if self.response else tuple(self.responses.values())

    @property
    def all_labels(self) -> tuple[str, ...]:
        """The columns of human labels."""
        return (self.label,) if self.label else tuple(self.labels.values())

    @property
    def named(self) -> tuple[str, ...]:
        """Every column that is named."""
        single = (self.question, self.id, self.language, self.cluster, self.answer_type, self.model)
        some = (*self.references, *self.all_responses, *self.all_labels)
        return tuple(name for name in (*single, *some) if name)


class PeerRanking(BaseModel):
    """What models think of one another's answers, blind."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    models: tuple[str, ...] = Field(
        (), description="Names from params/models.yaml: generators and judges."
    )
    runs: int = Field(3, ge=1, description="Repetitions of the whole: responses and ballots.")
    sessions: int = Field(2, ge=1, description="How often the first run is judged.")
    attempts: int = Field(2, ge=1, description="How often an invalid ballot is asked for in all.")
    temperature: float = Field(0.3, ge=0, description="Of responses and of ballots.")
    response_tokens: int = Field(0, ge=0, description="Token limit of a response.")
    ballot_tokens: int = Field(0, ge=0, description="Token limit of a ballot.")
    resamples: int = Field(2000, ge=100, description="Of the bootstrap over prompts.")

    @field_validator("models")
    @classmethod
    def _each_once(cls, models: tuple[str, ...]) -> tuple[str, ...]:
        if 0 < len(models) < 3:
            raise ValueError("name at least three models: with two there is nothing to rank")
        return _once(models, "model")


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
    def _each_once(cls, judges: tuple[str, ...]) -> tuple[str, ...]:
        return _once(judges, "judge")

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


def _once(names: tuple[_Name, ...], kind: str) -> tuple[_Name, ...]:
    if len(set(names)) < len(names):
        raise ValueError(f"name each {kind} once")
    return names
