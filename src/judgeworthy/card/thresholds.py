"""What a judge must reach: the block ``judge_card`` of ``params/summary.yaml``, read strictly."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from judgeworthy import parameters, project

Share = Annotated[float, Field(ge=0, le=1)]
Part = Annotated[float, Field(gt=0, lt=1)]


class Thresholds(BaseModel):
    """The thresholds of the decision, and how its numbers of questions are simulated."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    c1: Share = Field(0.90, description="Share accepted of right answers, at least.")
    c2: Share = Field(0.10, description="Share accepted of wrong answers, at most.")
    cgp: Share = Field(0.85, description="C1 − C2, at least.")
    flips: Share = Field(0.10, description="Harmful flips above the noise floor, at most.")
    controls: Share = Field(0.85, description="The gap with the reference compared, at least.")
    invalid: Share = Field(0.10, description="Share of replies without a verdict, at most.")
    kappa: Share = Field(0.60, description="Agreement with people, at least.")
    power: Part = Field(0.80, description="Chance of a decision at the number of questions needed.")
    repetitions: int = Field(200, ge=50, description="Simulated studies a number of questions.")
    shares: tuple[Part, ...] = Field(
        (0.1, 0.2, 0.4), min_length=1, description="Of responses judged with the reference."
    )
    subsamples: int = Field(100, ge=50, description="Drawn for each of these shares.")
    seed: int = Field(20261130, ge=0, description="Of simulations and subsamples.")


class _Summary(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    judge_card: Thresholds


def load() -> Thresholds:
    """Read ``params/summary.yaml``.

    Raises
    ------
    ParameterError
        If the file is missing or not as the schema says.
    """
    path = project.root() / "params" / f"{parameters.SUMMARY}.yaml"
    return parameters.read(path, _Summary).judge_card
