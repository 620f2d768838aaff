"""What was asked and how the index is made; what was answered and where it comes from."""

import pandas as pd

from judgeworthy.ballots import REASONS
from judgeworthy.sections.peer_ranking import arrays, voted
from judgeworthy.sections.peer_ranking.generating import settings
from judgeworthy.sections.peer_ranking.pairs import left_out
from judgeworthy.sections.peer_ranking.published import Given
from judgeworthy.sections.peer_ranking.reading.words import Tables, counted
from judgeworthy.study import Study

FORMULA = (
    "**The index.** On a ballot of *N* answers the one at rank *r* earns (*N* − *r*)/(*N* − 1), "
    "the share of the others that it beat. The Relative Intelligence Index (RII) is 100 times the "
    "mean over prompts, judges and runs, each judge weighing the same however many of its ballots "
    "are INVALID: 50 is average, 100 always first. *This formula is our reading: that of the paper "
    "did not reach us.* It does not change under any increasing linear scale of rank points, which "
    "the paper says of its index."
)
READINGS = (
    "**Readings of ours, where the paper leaves a choice.** A prompt to which a model gave no "
    "answer is left out of that run as a whole, not ranked among the rest. Judges rank all "
    "answers, their own among them, so that every index stands with and without own votes, and "
    "beside ballots for which the judge was not shown its own answer. *Agreement* is a judge's "
    "closeness to the consensus of the others; how far it agrees with itself is reported apart."
)
CAUTION = (
    "**What may be concluded, and what not.** The index says whose answers these judges prefer, on "
    "these prompts and among these models alone: not whose are correct, and not whose people "
    "prefer. Models of one family share training data and may share tastes. Answers are scrubbed "
    "of names, but a style may give its model away. A judge that cannot tell the answers apart "
    "does not abstain: it ranks by place, by length or by chance, and draws every index toward 50; "
    "the order of the others may survive that, their distances do not. That a judge ranks its own "
    "answers higher than the others do is not proof of favour: one that tells answers apart puts "
    "good ones further up than judges that do not, its own among them. Intervals resample prompts; "
    "the judges and the models are these and no others. Of the many tests none is corrected for "
    "the others: they are exploratory."
)
PEOPLE = (
    "**What the comparison with people can say.** People's votes are no part of the consensus. "
    "They are votes of few people on the same answers, and people differ among themselves; that is "
    "the ceiling for a model. An order of five models that agrees is little evidence: agreement "
    "within a prompt tells more."
)


def task(study: Study) -> str:
    """Say what was asked, and how the index is made."""
    return f"{FORMULA}\n\n{READINGS}" + (f"\n\n{PEOPLE}" if voted.paired(study) else "")


def provenance(study: Study, given: Given, found: Tables) -> str:
    """Return what was answered, ranked and left out, and where it comes from, as sentences."""
    if voted.paired(study):
        return (
            f"{study.title}: {voted.origin(study)} They are replayed from votes, not rebuilt from "
            "replies: the text of this data set is not part of the project. Methods that need a "
            "strict ranking read those that can be derived from a judge's votes on a prompt: "
            f"{left_out(found['derived_rankings'])}."
        )
    block = settings(study)
    return " ".join(
        [
            f"{study.title}: {len(block.models)} models answer and judge, in {block.runs} runs.",
            _prompts(given.answers),
            _answers(found["answers"]),
            _left_out(found["left_out"]),
            _asked(given.ballots),
        ]
    )


def _prompts(answers: pd.DataFrame) -> str:
    prompts = answers.drop_duplicates("prompt_id")
    by_domain = prompts["domain"].value_counts(sort=False)
    domains = ", ".join(f"{domain} {count}" for domain, count in by_domain.items())
    return f"{len(prompts)} prompts ({domains})."


def _answers(by_model: pd.DataFrame) -> str:
    total = by_model.drop(columns="model").sum()
    scrubbed = ", ".join(
        counted(total[name], one)
        for name, one in (("names", "name"), ("openings", "opening"), ("marks", "markdown mark"))
    )
    return (
        f"{total['answers']} answers, {total['empty']} of them empty, {total['cut_off']} cut off "
        f"at the token limit; scrubbed from them: {scrubbed}."
    )


def _left_out(left_out: pd.DataFrame) -> str:
    if left_out.empty:
        return "No prompt was left out."
    named = [
        f"{row['prompt_id']} in run {row['run']} ({row['without_answer']})"
        for row in left_out.to_dict("records")
    ]
    return (
        f"Left out because a model gave no answer, which is a selection, {len(named)} in all: "
        f"{', '.join(named)}."
    )


def _asked(table: pd.DataFrame) -> str:
    ballots = arrays.ballots(table)
    invalid = ballots[ballots["invalid"]]
    again = int(ballots["attempts"].gt(1).sum())
    return (
        f"{len(ballots)} ballots, {again} of them asked for more than once, "
        f"{len(invalid)} INVALID{_because(invalid['reason'])}."
    )


def _because(reasons: pd.Series) -> str:
    counts = reasons.value_counts()
    words = {str(reason): said for reason, said in REASONS.items()}
    said = [f"{words.get(str(reason), reason)}: {count}" for reason, count in counts.items()]
    return f" ({', '.join(said)})" if said else ""
