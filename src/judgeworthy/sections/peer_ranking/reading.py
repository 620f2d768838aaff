"""What the estimates say: sentences, captions and alternative texts, for the section's page."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from judgeworthy.ballots import REASONS
from judgeworthy.sections.peer_ranking import arrays, pairs, voted
from judgeworthy.sections.peer_ranking.generating import settings
from judgeworthy.sections.peer_ranking.judges import EVERYONE, ORDERS, RUNS, SESSIONS
from judgeworthy.sections.peer_ranking.published import Given
from judgeworthy.sections.rates import NOT_ESTIMABLE
from judgeworthy.study import Study

Row = dict[Hashable, Any]
Tables = Mapping[str, pd.DataFrame]

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
            f"{_derived(found)}."
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


def _derived(found: Tables) -> str:
    return pairs.left_out(found["derived_rankings"])


def _prompts(answers: pd.DataFrame) -> str:
    prompts = answers.drop_duplicates("prompt_id")
    by_domain = prompts["domain"].value_counts(sort=False)
    domains = ", ".join(f"{domain} {count}" for domain, count in by_domain.items())
    return f"{len(prompts)} prompts ({domains})."


def _answers(counted: pd.DataFrame) -> str:
    total = counted.drop(columns="model").sum()
    return (
        f"{total['answers']} answers, {total['empty']} of them empty, {total['cut_off']} cut off "
        f"at the token limit; scrubbed from them: {total['names']} names, {total['openings']} "
        f"openings, {total['marks']} markdown marks."
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


def paradigms() -> pd.DataFrame:
    """Return evaluation paradigms side by side.

    After table 1 of the paper: only its columns are known here, so that the rows are ours.
    """
    return pd.DataFrame(_PARADIGMS, columns=["paradigm", *_COLUMNS])


_COLUMNS = ("interaction structure", "bias risk", "scalability")
PARADIGMS_CAPTION = (
    "Evaluation paradigms, after table 1 of the paper, of which only the columns are known: the "
    "rows and what stands in them are ours."
)
_PARADIGMS = [
    (
        "Benchmark with reference answers",
        "none: output against reference",
        "contamination; answers that are right in other words",
        "high, where references exist",
    ),
    (
        "People rate or compare",
        "people and outputs",
        "taste, order, fatigue; people differ among themselves",
        "low: slow and dear",
    ),
    (
        "One LLM judge, with or without a reference",
        "one judge, many outputs",
        "over-reward without a reference, order, length, own family",
        "high",
    ),
    (
        "Judges that discuss",
        "judges see each other",
        "interaction: the first or the loudest prevails",
        "medium: several rounds a case",
    ),
    (
        "Panel of judges apart from the candidates",
        "many judges, each alone",
        "shared training data and taste",
        "medium: every judge a case",
    ),
    (
        "Peer ranking (the paper)",
        "every model answers and judges, blind and alone",
        "own votes, shared taste; scores relative to those who take part",
        "models × prompts × runs",
    ),
    (
        "This package",
        "as the paper's; own votes counted, taken off, and never shown",
        "measured and shown by judge: order, length, own votes, INVALID ballots",
        "as the paper's, with one more ballot a paper",
    ),
]


def sentences(found: Tables, study: Study) -> str:
    """Return what the tables say, a paragraph a question, as Markdown.

    Parameters
    ----------
    found : mapping of str to DataFrame
        As they are published.
    study : Study
    """
    parts: list[tuple[str, str]] = []
    if len(found["strengths"]):
        parts += [
            ("The models' consensus", _strengths(found["strengths"])),
            ("People", _people(found["compared_with_people"])),
            ("How the models judge", _pair_judges(found["pair_judges"])),
            ("Methods for strict rankings, as all below", f"{_derived(found)}."),
        ]
    ranking = found["ranking"]
    parts += [
        ("Whom the judges prefer", _preferred(ranking, found["pairwise"])),
        ("Own votes", _own_votes(ranking)),
        ("Other methods", _methods(ranking)),
        ("Domains", _domains(found["ranking_by_domain"])),
        ("Stability", _stable(found["stability"])),
        ("Agreement and standing", _trade_off(found["agreement_against_index"])),
    ]
    lines = [f"- **{name}.** {text}" for name, text in parts if text]
    lines += [f"- **{row['judge']}** {_judge(row)}" for row in found["judges"].to_dict("records")]
    return "\n".join([f"{study.title}; {study.confidence:.0%} intervals in brackets.", "", *lines])


def _preferred(ranking: pd.DataFrame, pairwise: pd.DataFrame) -> str:
    if ranking["rii"].isna().all():
        return _not_estimated(ranking)
    ordered = ranking.sort_values("rii", ascending=False, kind="stable").to_dict("records")
    listed = ", ".join(f"{row['candidate']} {_number(row, 'rii', 1)}" for row in ordered)
    return f"RII with all votes: {listed}. {_apart(pairwise)}"


def _not_estimated(ranking: pd.DataFrame) -> str:
    """Say why there is no index, what bounds it, and what the judges that can be read say."""
    rows = ranking.to_dict("records")
    why = rows[0]["note"].split(";")[0]
    text = f"RII with all votes: {why}."
    if ranking["rii_min"].notna().all():
        limits = [
            f"{row['candidate']} {row['rii_min']:.1f} to {row['rii_max']:.1f}" for row in rows
        ]
        text += f" It may be anything from {', '.join(limits)}."
    if ranking["rii_of_valid_judges"].notna().any():
        listed = [f"{row['candidate']} {_number(row, 'rii_of_valid_judges', 1)}" for row in rows]
        text += f" By the judges of whom few ballots are INVALID: {', '.join(listed)}."
    return text


def _apart(pairwise: pd.DataFrame) -> str:
    level = [
        f"{row['candidate']} and {row['other']}"
        for row in pairwise.to_dict("records")
        if pd.isna(row["lead_low"]) or row["lead_low"] <= 0 <= row["lead_high"]
    ]
    if not level:
        return "Every pair is told apart: the interval of its lead excludes 0."
    return f"Not told apart by the interval of the lead: {', '.join(level)}."


def _own_votes(ranking: pd.DataFrame) -> str:
    known = {
        name: column
        for name, column in (
            ("all votes", "rii"),
            ("without own votes", "rii_without_own"),
            ("own answer not shown", "rii_self_excluded"),
            ("without judges that give back the order shown", "rii_without_order_only"),
        )
        if ranking[column].notna().all()
    }
    orders = {name: _ordered(ranking, column) for name, column in known.items()}
    if len(orders) < 2:
        return "No two of the indices are estimable, so that there is nothing to compare."
    by_order: dict[str, list[str]] = {}
    for name, order in orders.items():
        by_order.setdefault(" > ".join(order), []).append(name)
    if len(by_order) == 1:
        return f"Every index gives one order, {next(iter(by_order))} ({', '.join(orders)})."
    listed = "; ".join(f"{order} ({', '.join(names)})" for order, names in by_order.items())
    return f"The order depends on them: {listed}."


def _ordered(ranking: pd.DataFrame, column: str) -> list[str]:
    ordered = ranking.sort_values(column, ascending=False, kind="stable")
    return [str(name) for name in ordered["candidate"]]


def _methods(ranking: pd.DataFrame) -> str:
    said = [
        f"{row['candidate']} {row['disagreements']}"
        for row in ranking.to_dict("records")
        if row["disagreements"]
    ]
    if ranking["place_rii"].isna().all():
        return "Not compared, for the same reason."
    if not said:
        return "RII, Borda, Bradley–Terry, Plackett–Luce and Kemeny give one order."
    return f"The methods differ: {'; '.join(said)}."


def _domains(by_domain: pd.DataFrame) -> str:
    said: list[str] = []
    for row in by_domain.drop_duplicates("domain").to_dict("records"):
        mine = by_domain[by_domain["domain"] == row["domain"]]
        best = ""
        if mine["rii"].notna().any():
            best = f", {mine.loc[mine['rii'].idxmax(), 'candidate']} first"
        said.append(f"{row['domain'] or 'no domain'} {_w(row)}{best}")
    return f"Kendall's W beside its mean under random ballots: {'; '.join(said)}."


def _w(row: Row) -> str:
    if pd.isna(row["w"]):
        return str(row["note"]).rpartition("w: ")[2].split(";")[0]
    return f"{_number(row, 'w')} beside {row['w_null']:.2f} ({_p(row['w_p'])})"


def _stable(stability: pd.DataFrame) -> str:
    said: list[str] = []
    for measure in (RUNS, SESSIONS):
        mine = stability[stability["measure"] == measure]
        whole = _row(mine, judge=EVERYONE)
        orders = _row(mine, judge=ORDERS)
        if pd.isna(whole["tau"]):
            said.append(f"{measure.capitalize()}: {whole['note']}.")
            continue
        tail = "" if pd.isna(orders["tau"]) else f"; of the orders by RII {_decimal(orders['tau'])}"
        said.append(
            f"{measure.capitalize()} Kendall's tau of a judge's ballots is "
            f"{_number(whole, 'tau')}{tail}."
        )
    return " ".join(said)


def _trade_off(found: pd.DataFrame) -> str:
    (row,) = found.to_dict("records")
    if pd.isna(row["tau"]):
        return f"Not correlated: {row['note']}."
    return (
        f"Over {row['judges']} judges, Kendall's tau between agreement with the others and the RII "
        f"of the own model is {_decimal(row['tau'])}: too few judges for more than a picture."
    )


def _judge(row: Row) -> str:
    invalid = f"{row['invalid']} of {row['n']} ballots INVALID"
    why = f" ({row['reasons']})" if row["reasons"] else ""
    if not row["n"]:
        return "gave no ballot."
    parts = [f"{invalid}{why}."]
    unreadable = str(row["note"]).startswith(NOT_ESTIMABLE)
    if unreadable:
        return f"{parts[0]} More is not estimated: {row['note'].split(';')[0]}."
    return " ".join([*parts, *_traits(row)])


def _traits(row: Row) -> Iterator[str]:
    yield f"Agreement with the others {_number(row, 'agreement')}, RII of its own model"
    yield f"{_number(row, 'own_rii', 1)}."
    if pd.notna(row["self_preference"]):
        yield f"Own rank minus that by the others {_number(row, 'self_preference')}{_own(row)}."
    if pd.notna(row["position"]):
        only = ": the ballots carry nothing but the order shown" if row["order_only"] else ""
        yield f"Rank and place correlate {_number(row, 'position')} ({_p(row['position_p'])},"
        yield f"place explains {row['position_explained']:.0%} of the ranks){only}."
    if pd.notna(row["longer_preferred"]):
        yield f"The longer of two answers ranks higher in {_share(row, 'longer_preferred')}."
    if pd.notna(row["left_out_shift"]):
        yield f"Without it an RII moves by up to {row['left_out_shift']:.1f}, with"
        yield f"{row['left_out_swaps']} pairs in another order."


def _own(row: Row) -> str:
    """Say how a judge ranks its own answer, by both ways to compare it with the others."""
    names = ("self_preference", "self_preference_without_order_only")
    ends = [(row[f"{name}_low"], row[f"{name}_high"]) for name in names]
    beside = f", beside judges that rank by more than place {_number(row, names[1])}"
    shown = "" if pd.isna(row[names[1]]) or row[names[0]] == row[names[1]] else beside
    if row["order_only"]:
        return f"{shown}, which place decides"
    if all(high < 0 for _, high in ends):
        return f"{shown}: it ranks itself higher than they do"
    if all(low > 0 for low, _ in ends):
        return f"{shown}: it ranks itself lower than they do"
    return shown


def _strengths(strong: pd.DataFrame) -> str:
    if strong["strength"].isna().all():
        return f"Bradley–Terry with ties: {strong['note'].iloc[0]}."
    ordered = strong.sort_values("strength", ascending=False, kind="stable").to_dict("records")
    listed = ", ".join(f"{row['candidate']} {_number(row, 'strength')}" for row in ordered)
    people = strong.sort_values("people_strength", ascending=False, kind="stable")["candidate"]
    return (
        f"Bradley–Terry with ties, from the models' votes alone: {listed}. "
        f"People's votes order them {' > '.join(people)}."
    )


def _people(compared: pd.DataFrame) -> str:
    said = []
    for row in compared.to_dict("records"):
        form = _number if "tau" in row["measure"] else _share
        value = row["note"] if pd.isna(row["value"]) else form(row, "value")
        said.append(f"{row['measure']} {value}")
    return f"Models against people: {'; '.join(said)}."


def _pair_judges(judges: pd.DataFrame) -> str:
    said = []
    for row in judges[judges["judge"] != voted.PEOPLE].to_dict("records"):
        first = f"answer shown first {_share(row, 'first_preferred')}"
        both = f"both orders alike {_share(row, 'consistent')}"
        own = f"own answers {_number(row, 'self_lead')} above what the others give them"
        people = f"with people's majority {_share(row, 'with_people')}"
        said.append(f"{row['judge']}: {first}, {both}, {own}, {people}")
    return f"{'; '.join(said)}."


def captions(study: Study) -> dict[str, str]:
    """Return the captions of the tables, by the table's name."""
    level = f"with {study.confidence:.0%} intervals"
    title = study.plain_title
    return {
        "ranking": f"Relative Intelligence Index, {title}, {level}; the formula is our reading.",
        "methods": f"Five ways to one order, {title}, {level}.",
        "ranking_by_domain": f"Relative Intelligence Index by domain, {title}, {level}.",
        "judges": f"The judges: agreement, own model, self-preference and place, {title}, {level}.",
        "pairwise": f"Who is preferred to whom, {title}, {level}.",
        "strengths": f"Bradley–Terry with ties, by models and by people, {title}, {level}.",
        "paradigms": PARADIGMS_CAPTION,
    }


def heading(study: Study) -> str:
    """Return what stands over the figures."""
    return f"{study.plain_title}; {study.confidence:.0%} intervals"


def alts(found: Tables) -> dict[str, str]:
    """Return what each figure shows, in words."""
    rows = {name: frame.to_dict("records") for name, frame in found.items()}
    texts: dict[str, tuple[str, Sequence[str]]] = {
        "ranking": (
            "RII with all votes, without own votes and with the own answer not shown",
            [
                f"{row['candidate']} {_plain(row['rii'])}, {_plain(row['rii_without_own'])}, "
                f"{_plain(row['rii_self_excluded'])}"
                for row in rows["ranking"]
            ],
        ),
        "ranking_by_domain": (
            "RII by domain",
            _listed(rows["ranking_by_domain"], "rii", "domain", "candidate"),
        ),
        "mean_ranks": (
            "mean rank that each judge gives each candidate",
            _listed(rows["mean_ranks"], "mean_rank", "judge", "candidate"),
        ),
        "agreement": (
            "agreement with the others and RII of the own model",
            [
                f"{row['judge']} {_plain(row['agreement'])}, {_plain(row['own_rii'])}"
                for row in rows["judges"]
            ],
        ),
        "stability": (
            "Kendall's tau between runs and between readings",
            _listed(rows["stability"], "tau", "measure", "judge"),
        ),
        "strengths": (
            "strength by the models and by people",
            [
                f"{row['candidate']} {_plain(row['strength'])}, {_plain(row['people_strength'])}"
                for row in rows["strengths"]
            ],
        ),
    }
    return {
        name: f"{what}: {'; '.join(said) or 'not measured in this study'}"
        for name, (what, said) in texts.items()
    }


def _listed(rows: Sequence[Row], value: str, *by: str) -> list[str]:
    return [f"{' '.join(str(row[name]) for name in by)} {_plain(row[value])}" for row in rows]


def _row(frame: pd.DataFrame, **place: str) -> Row:
    for name, value in place.items():
        frame = frame[frame[name] == value]
    return frame.to_dict("records")[0]


def _number(row: Row, name: str, digits: int = 2) -> str:
    return _with_interval(row, name, lambda value: _decimal(value, digits))


def _decimal(value: float, digits: int = 2) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def _share(row: Row, name: str) -> str:
    return _with_interval(row, name, lambda value: f"{round(value, 2) + 0.0:.0%}".replace("-", "−"))


def _with_interval(row: Row, name: str, form: Callable[[float], str]) -> str:
    if pd.isna(row[name]):
        return "undefined"
    if pd.isna(row[f"{name}_low"]):
        return f"{form(row[name])} [no interval]"
    return f"{form(row[name])} [{form(row[f'{name}_low'])}, {form(row[f'{name}_high'])}]"


def _p(value: float) -> str:
    return f"p = {value:.3f}" if value >= 0.001 else "p < 0.001"


def _plain(value: float) -> str:
    return f"{value:.3g}".replace("-", "−") if pd.notna(value) else "not estimable"
