"""Stage 3: every judge ranks the answers of a paper, alone, and knows no name."""

from collections.abc import Mapping, Sequence

from judgeworthy import prompts
from judgeworthy.ballots import ParsedBallot, parse_ballot
from judgeworthy.models.record import Replies
from judgeworthy.models.request import Reply, Request
from judgeworthy.sections.peer_ranking.blinding import Paper


def request(paper: Paper, attempt: int, temperature: float, max_tokens: int, seed: int) -> Request:
    """Return what a judge is asked about a paper."""
    labels = [f"Answer {number}" for number in range(1, len(paper.answers) + 1)]
    answers = "\n\n".join(
        f"{label}:\n{text}" for label, text in zip(labels, paper.answers, strict=True)
    )
    schema = {
        "type": "object",
        "properties": {
            "ranking": {
                "type": "array",
                "items": {"type": "string", "enum": labels},
                "minItems": len(labels),
                "maxItems": len(labels),
            }
        },
        "required": ["ranking"],
        "additionalProperties": False,
    }
    return Request(
        model=paper.judge,
        messages=prompts.messages("rank", prompt=paper.prompt.text, answers=answers),
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed + attempt,
        schema=schema,
        repeat=paper.session,
    )


def read(paper: Paper, reply: Reply) -> ParsedBallot:
    """Read a judge's reply as a ballot."""
    return parse_ballot(reply.text, len(paper.answers), reply.finish_reason)


def invalid(request: Request, reply: Reply) -> bool:
    """Return whether no strict order can be read from a reply."""
    labels = (request.schema or {})["properties"]["ranking"]["items"]["enum"]
    return not parse_ballot(reply.text, len(labels), reply.finish_reason).valid


def due(
    papers: Sequence[Paper],
    replies: Mapping[str, Replies],
    attempt: int,
    temperature: float,
    max_tokens: int,
    seed: int,
) -> dict[str, dict[str, Request]]:
    """Return what is asked at an attempt: each paper whose ballots so far are all invalid."""
    asked: dict[str, dict[str, Request]] = {paper.judge: {} for paper in papers}
    for paper in papers:
        before = [request(paper, past, temperature, max_tokens, seed) for past in range(1, attempt)]
        found = [replies[paper.judge].get(one.id) for one in before]
        if all(reply is not None and not read(paper, reply).valid for reply in found):
            wanted = request(paper, attempt, temperature, max_tokens, seed)
            asked[paper.judge][f"{paper.place}  attempt {attempt}"] = wanted
    return asked
