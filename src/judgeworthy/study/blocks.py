"""The blocks of a parameter file, one a section."""

from typing import Annotated, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

_Name = TypeVar("_Name", bound=str)
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
    def _eachonce(cls, kinds: tuple[HarderKind, ...]) -> tuple[HarderKind, ...]:
        return once(kinds, "kind")


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
    def _eachonce(cls, generators: tuple[str, ...]) -> tuple[str, ...]:
        return once(generators, "generator")

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
    def _eachonce(cls, models: tuple[str, ...]) -> tuple[str, ...]:
        if 0 < len(models) < 3:
            raise ValueError("name at least three models: with two there is nothing to rank")
        return once(models, "model")


def once(names: tuple[_Name, ...], kind: str) -> tuple[_Name, ...]:
    """Return names of which none stands twice.

    Raises
    ------
    ValueError
        If one does.
    """
    if len(set(names)) < len(names):
        raise ValueError(f"name each {kind} once")
    return names
