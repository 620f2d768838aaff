"""What is asked, stage after stage, and the ballots that came of it, with names again."""

from collections.abc import Iterator, Sequence
from math import nan

import pandas as pd

from judgeworthy.ballots import ParsedBallot
from judgeworthy.errors import MissingRepliesError
from judgeworthy.models.record import Record, Replies
from judgeworthy.models.request import Requests
from judgeworthy.sections import verdicts
from judgeworthy.sections.peer_ranking import blinding, generating, judging, unveiling
from judgeworthy.sections.peer_ranking.blinding import Paper
from judgeworthy.sections.peer_ranking.generating import Answer, settings
from judgeworthy.study import Study

SECTION = "peer_ranking"
COLUMNS = {
    "prompt_id": "the prompt",
    "domain": "of the prompt",
    "run": "repetition of the whole, from 1",
    "session": "reading of the same papers, from 1",
    "variant": "empty, or 'without own' where the judge's own answer was left out",
    "judge": "who ranked",
    "candidate": "whose answer was ranked",
    "place": "where the answer stood on the paper, from 1",
    "rank": "from 1, the best; missing where the ballot is INVALID",
    "reason": "why the ballot is INVALID",
    "attempts": "how often the ballot was asked for",
    "characters": "length of the answer as shown",
}


def stages(study: Study, record: Record) -> Iterator[Requests]:
    """Yield what the models are to be asked: answers, then ballots, then invalid ballots again.

    Raises
    ------
    MissingRepliesError
        If an answer is not recorded when the judges' turn comes.
    """
    yield generating.requests(study)
    block = settings(study)
    blinded = blinding.blinded(generating.complete(_answers(study, record)), study)
    if not record.only_read:
        unveiling.put_away(blinded.orders, unveiling.location(study.name))
    for attempt in range(1, block.attempts + 1):
        yield judging.due(blinded.papers, _replies(study, record), attempt, *_decoding(study))


def _answers(study: Study, record: Record) -> list[Answer]:
    answers, absent = generating.replay(study, record)
    if absent:
        raise MissingRepliesError(verdicts.missing(study, absent, record.folder))
    return answers


def _replies(study: Study, record: Record) -> dict[str, Replies]:
    return {model: record.read(model) for model in settings(study).models}


def _decoding(study: Study) -> tuple[float, int, int]:
    block = settings(study)
    return block.temperature, block.ballot_tokens, study.seed


def answers(study: Study) -> pd.DataFrame:
    """Return every recorded answer, without its text: one row a prompt, model and run.

    Raises
    ------
    MissingRepliesError
        If an answer is not recorded.
    """
    given = _answers(study, Record.of(study.name))
    complete = generating.complete(given)
    scrubbed = blinding.blinded(complete, study).scrubbed
    rows = []
    for answer in given:
        taken = scrubbed.get((answer.run, answer.prompt.id, answer.model))
        rows.append(
            {
                "prompt_id": answer.prompt.id,
                "domain": answer.prompt.domain,
                "run": answer.run,
                "model": answer.model,
                "empty": not answer.text,
                "cut_off": answer.cut_off,
                "left_out": (answer.run, answer.prompt.id) not in complete,
                "names": taken.names if taken else 0,
                "openings": taken.openings if taken else 0,
                "marks": taken.marks if taken else 0,
            }
        )
    return pd.DataFrame(rows)


def load(study: Study) -> pd.DataFrame:
    """Rebuild the ballots from the recorded replies: one row a ballot and candidate.

    Raises
    ------
    MissingRepliesError
        If a reply is not recorded.
    DataError
        If the map from labels to models is missing, broken, or of other papers.
    """
    record = Record.of(study.name)
    papers = blinding.blinded(generating.complete(_answers(study, record)), study).papers
    replies = _replies(study, record)
    read = [_final(paper, replies[paper.judge], study) for paper in papers]
    absent = [
        (paper.judge, paper.place)
        for paper, found in zip(papers, read, strict=True)
        if found is None
    ]
    if absent:
        raise MissingRepliesError(verdicts.missing(study, absent, record.folder))
    orders = unveiling.of_papers(papers, unveiling.location(study.name))
    rows = [
        row
        for paper, found in zip(papers, read, strict=True)
        if found is not None
        for row in _rows(paper, *found, orders[paper.judge, paper.place])
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _final(paper: Paper, replies: Replies, study: Study) -> tuple[ParsedBallot, int] | None:
    """Return the first valid ballot, else the last, and how often it was asked for."""
    found = None
    for attempt in range(1, settings(study).attempts + 1):
        reply = replies.get(judging.request(paper, attempt, *_decoding(study)).id)
        if reply is None:
            return None
        found = judging.read(paper, reply), attempt
        if found[0].valid:
            return found
    return found


def _rows(
    paper: Paper, ballot: ParsedBallot, attempts: int, models: Sequence[str]
) -> Iterator[dict[str, object]]:
    ranks = {number: rank for rank, number in enumerate(ballot.order, start=1)}
    for place, (model, text) in enumerate(zip(models, paper.answers, strict=True), start=1):
        yield {
            "prompt_id": paper.prompt.id,
            "domain": paper.prompt.domain,
            "run": paper.run,
            "session": paper.session,
            "variant": paper.variant,
            "judge": paper.judge,
            "candidate": model,
            "place": place,
            "rank": ranks.get(place, nan),
            "reason": ballot.reason,
            "attempts": attempts,
            "characters": len(text),
        }
