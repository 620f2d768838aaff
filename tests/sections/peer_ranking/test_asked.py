"""Peer ranking: blind papers, ballots asked for again, and names put back from a file apart."""

import ast
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import MODELS, ROOT
from judgeworthy import audit, plan
from judgeworthy import study as studies
from judgeworthy.errors import DataError, MissingRepliesError, ParameterError
from judgeworthy.models.record import Record
from judgeworthy.models.request import Reply, Request
from judgeworthy.sections.peer_ranking import asked, blinding, generating, judging, unveiling
from judgeworthy.study import Study

NAMES = ("ann", "ben", "cy", "dee")
PEERS = f"""\
title: Peers
dataset: peer-prompts
language: en
sample: 3
seed: 7
peer_ranking:
  models: [{", ".join(NAMES)}]
  runs: 2
  sessions: 2
  attempts: 2
  response_tokens: 50
  ballot_tokens: 30
"""
Answers = Callable[[Request, str], str]


@pytest.fixture
def peers(project: Path) -> Study:
    shutil.copy(ROOT / "data/questions/peer_prompts.csv", project / "data/questions")
    entry = MODELS.partition("  judge:")[2]
    models = "models:\n" + "".join(f"  {name}:{entry}" for name in NAMES)
    (project / "params/models.yaml").write_text(models, encoding="utf-8")
    (project / "params/x.yaml").write_text(PEERS, encoding="utf-8")
    return studies.load("x")


def answer(request: Request, place: str) -> str:
    return f"As an AI model made by {request.model}, I say: **{request.model}** knows {place}."


def ballot(request: Request, place: str) -> str:
    assert request.schema is not None
    labels = request.schema["properties"]["ranking"]["items"]["enum"]
    return json.dumps({"ranking": labels[::-1]})


def record(study: Study, ballots: Answers = ballot, answers: Answers = answer) -> list[int]:
    """Answer every request of every stage; return how many each stage asked for."""
    sizes = []
    for stage in asked.stages(study, Record.of(study.name)):
        sizes.append(sum(map(len, stage.values())))
        for model, requests in stage.items():
            path = Record.of("x").growing(model)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as stream:
                for place, request in requests.items():
                    said = (ballots if request.schema else answers)(request, place)
                    stream.write(json.dumps(reply(request, said).__dict__) + "\n")
    return sizes


def reply(request: Request, text: str) -> Reply:
    return Reply(request.id, text, "stop", 1, 1, "schema", "", "", "", 0.1, "2026-11-30")


def papers(study: Study) -> list[blinding.Paper]:
    given, absent = generating.replay(study, Record.of("x"))
    assert not absent
    return blinding.blinded(generating.complete(given), study).papers


def test_the_plan_foresees_every_answer_and_every_first_ballot(peers: Study) -> None:
    planned = list(plan.parts(peers))
    foreseen = [sum(p.ask for p in planned if p.stage == stage) for stage in (1, 2, 3)]
    assert not unveiling.location("x").exists()
    assert record(peers) == foreseen
    written = unveiling.location("x")
    written.unlink()
    audit.audit(peers)
    assert not written.exists(), "an audit writes nothing"


def test_every_model_judges_every_prompt_in_every_run_session_and_variant(peers: Study) -> None:
    # 4 models, 3 prompts: 2 runs of answers; run 1 is read twice, each run once without own
    assert record(peers) == [4 * 3 * 2, 4 * 3 * (3 + 2), 0]
    table = asked.load(peers)
    assert list(table.columns) == list(asked.COLUMNS)
    assert len(table) == 4 * 3 * (3 * 4 + 2 * 3)
    assert table["rank"].notna().all()
    assert (
        table["rank"]
        == table.groupby(asked_by(table))["place"].transform("max") + 1 - table["place"]
    ).all()


def asked_by(table: object) -> list[str]:
    return ["prompt_id", "run", "session", "variant", "judge"]


def test_no_name_of_a_model_is_on_a_paper(peers: Study) -> None:
    record(peers)
    for paper in papers(peers):
        request = judging.request(paper, 1, 0.3, 30, 7)
        shown = " ".join(message["content"] for message in request.messages).lower()
        assert not any(name in shown.split() for name in NAMES)
        assert "as an ai" not in shown and "**" not in shown


def test_orders_are_shuffled_for_each_judge_run_and_session_by_themselves(peers: Study) -> None:
    record(peers)
    orders = unveiling.read(unveiling.location("x"))
    assert len(set(orders.values())) > 12
    assert {len(models) for models in orders.values()} == {3, 4}
    again = blinding.blinded(
        generating.complete(generating.replay(peers, Record.of("x"))[0]), peers
    ).orders
    assert again == orders


def test_a_judge_never_sees_its_own_answer_where_that_is_left_out(peers: Study) -> None:
    record(peers)
    table = asked.load(peers)
    apart = table[table["variant"] == blinding.WITHOUT_OWN]
    assert len(apart) and (apart["judge"] != apart["candidate"]).all()


def test_the_map_is_a_file_apart_that_judging_does_not_read(peers: Study) -> None:
    record(peers)
    unveiling.location("x").unlink()
    replies = {name: Record.of("x").read(name) for name in NAMES}
    assert not any(judging.due(papers(peers), replies, 2, 0.3, 30, 7).values())
    with pytest.raises(DataError, match="no such map; 'make record' writes it"):
        asked.load(peers)
    for module in (judging, blinding, generating):
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        names += [a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names]
        assert not any("unveiling" in name for name in names), module


def test_a_map_of_other_papers_is_refused(peers: Study) -> None:
    record(peers)
    path = unveiling.location("x")
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    with pytest.raises(DataError, match="of other papers"):
        asked.load(peers)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="broken"):
        asked.load(peers)


def test_an_invalid_ballot_is_asked_for_again_and_kept_invalid_with_its_reason(
    peers: Study,
) -> None:
    def tied(request: Request, place: str) -> str:
        if request.model != "ben" or ("run 2" in place and "attempt 2" in place):
            return ballot(request, place)
        return '{"ranking": ["Answer 1", "Answer 1", "Answer 2"]}'

    sizes = record(peers, tied)
    assert sizes[2] == 3 * 5, "all of one judge's"
    table = asked.load(peers)
    odd = table[table["rank"].isna()]
    assert set(odd["judge"]) == {"ben"} and set(odd["run"]) == {1}
    assert set(odd["reason"]) == {"repeated_label"} and set(odd["attempts"]) == {2}
    mended = table[(table["judge"] == "ben") & (table["run"] == 2)]
    assert mended["rank"].notna().all() and set(mended["attempts"]) == {2}
    assert set(table.loc[table["judge"] == "ann", "attempts"]) == {1}


def test_a_prompt_with_a_missing_answer_is_left_out_of_its_run_and_listed(peers: Study) -> None:
    first = generating.requests(peers)["cy"]
    silent = next(place for place in first if "run 1" in place)

    def half(request: Request, place: str) -> str:
        return " " if request.model == "cy" and place == silent else answer(request, place)

    assert record(peers, answers=half) == [24, 4 * (3 * 5 - 3), 0]
    described = asked.answers(peers)
    assert described.loc[described["empty"], "model"].tolist() == ["cy"]
    assert described["left_out"].sum() == 4
    assert described["openings"].sum() == 24 - 4
    assert asked.load(peers).query("run == 1")["prompt_id"].nunique() == 2


def test_what_is_not_recorded_is_listed(peers: Study) -> None:
    with pytest.raises(MissingRepliesError, match="24 replies are not recorded"):
        asked.load(peers)
    record(peers)
    Record.of("x").growing("dee").unlink()
    with pytest.raises(MissingRepliesError, match="dee  answer  run 1"):
        asked.load(peers)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("ann, ben, cy, dee", "ann, ben", "at least three models"),
        ("ann, ben, cy, dee", "ann, ben, cy, cy", "each model once"),
        ("seed: 7", "seed: 7\njudges: [ann]", "leave out judges"),
        ("peer_ranking:\n", "calibration: {}\npeer_ranking:\n", "cannot have the block"),
        ("dee", "eve", "has no generator 'eve'"),
        ("  ballot_tokens: 30\n", "", "give peer_ranking.ballot_tokens"),
        ("peer-prompts", "prd", "leave out peer_ranking.models: prd asks nobody"),
    ],
)
def test_parameters_that_cannot_be_are_refused(
    old: str, new: str, said: str, peers: Study, project: Path
) -> None:
    (project / "params/x.yaml").write_text(PEERS.replace(old, new), encoding="utf-8")
    with pytest.raises(ParameterError, match=said):
        studies.load("x")


def test_the_order_of_models_in_the_parameters_does_not_change_the_shuffles(
    peers: Study, project: Path
) -> None:
    record(peers)
    orders = unveiling.read(unveiling.location("x"))
    text = PEERS.replace("ann, ben, cy, dee", "dee, cy, ben, ann")
    (project / "params/x.yaml").write_text(text, encoding="utf-8")
    turned = studies.load("x")
    given, _ = generating.replay(turned, Record.of("x"))
    assert blinding.blinded(generating.complete(given), turned).orders == orders
