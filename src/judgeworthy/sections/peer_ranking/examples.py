"""Real ballots, to be read: the prompt, the answers as they were shown, and the ranks."""

import pandas as pd

from judgeworthy import datasets, parameters
from judgeworthy.errors import ParameterError
from judgeworthy.models.record import Record
from judgeworthy.sections.peer_ranking import blinding, generating, voted
from judgeworthy.sections.peer_ranking.published import Given
from judgeworthy.study import Study

PLAIN = ["prompt_id", "domain", "run", "session", "judge", "candidate", "place", "rank", "reason"]


def read_items(
    given: Given, study: Study, judge: str, domain: str, valid: bool = True, n: int = 2
) -> pd.DataFrame:
    """Return a judge's first ballots of a domain, valid or INVALID: one row an answer.

    Where the text is not part of the project, the votes stand alone.

    Raises
    ------
    ParameterError
        If there is no such judge or domain.
    """
    table = given.votes if voted.paired(study) else given.ballots
    for name, wanted in (("judge", judge), ("domain", domain)):
        known = [str(value) for value in table[name].unique()]
        if wanted not in known:
            hint = parameters.nearest(wanted, known)
            raise ParameterError(f"There is no {name} '{wanted}'. {hint}")
    mine = table[table["judge"].eq(judge) & table["domain"].eq(domain)]
    if voted.paired(study):
        return mine.head(10 * n)
    chosen = mine[mine["variant"].eq("") & mine["reason"].eq("").eq(valid)]
    papers = chosen[["prompt_id", "run", "session"]].drop_duplicates().head(n)
    return _with_text(chosen.merge(papers)[PLAIN], study)


def _with_text(rows: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Put beside each rank the prompt and the answer as it was shown."""
    prompts = {prompt.id: prompt.text for prompt in datasets.peer_prompts(study)}
    shown = _shown(study)
    keys = zip(rows["run"], rows["prompt_id"], rows["candidate"], strict=True)
    answers = [shown.get(key, "") for key in keys]
    ranks = rows["rank"].astype("Int64")
    return rows.assign(rank=ranks, prompt=rows["prompt_id"].map(prompts), answer=answers)


def _shown(study: Study) -> dict[tuple[int, str, str], str]:
    given, _ = generating.replay(study, Record.of(study.name))
    scrubbed = blinding.blinded(generating.complete(given), study).scrubbed
    return {place: taken.text for place, taken in scrubbed.items()}
