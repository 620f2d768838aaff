"""Which column of a file of one's own holds what."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

Names = Annotated[tuple[str, ...], Field(min_length=1)]


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
