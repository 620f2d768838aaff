"""What the tables of pairs say of the models, their judgments and people."""

import pandas as pd

from judgeworthy.sections.peer_ranking import voted
from judgeworthy.sections.peer_ranking.reading.words import number, share


def strengths(strong: pd.DataFrame) -> str:
    """Say how strong the models are to one another, and how people order them."""
    if strong["strength"].isna().all():
        return f"Bradley–Terry with ties: {strong['note'].iloc[0]}."
    ordered = strong.sort_values("strength", ascending=False, kind="stable").to_dict("records")
    listed = ", ".join(f"{row['candidate']} {number(row, 'strength')}" for row in ordered)
    people = strong.sort_values("people_strength", ascending=False, kind="stable")["candidate"]
    return (
        f"Bradley–Terry with ties, from the models' votes alone: {listed}. "
        f"People's votes order them {' > '.join(people)}."
    )


def people(compared: pd.DataFrame) -> str:
    """Say how near the models' consensus comes to people."""
    said = []
    for row in compared.to_dict("records"):
        form = number if "tau" in row["measure"] else share
        value = row["note"] if pd.isna(row["value"]) else form(row, "value")
        said.append(f"{row['measure']} {value}")
    return f"Models against people: {'; '.join(said)}."


def how_they_judge(judges: pd.DataFrame) -> str:
    """Say of each model how it judges pairs."""
    said = []
    for row in judges[judges["judge"] != voted.PEOPLE].to_dict("records"):
        first = f"answer shown first {share(row, 'first_preferred')}"
        both = f"both orders alike {share(row, 'consistent')}"
        own = f"own answers {number(row, 'self_lead')} above what the others give them"
        people = f"with people's majority {share(row, 'with_people')}"
        said.append(f"{row['judge']}: {first}, {both}, {own}, {people}")
    return f"{'; '.join(said)}."
