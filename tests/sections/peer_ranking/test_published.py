"""Peer ranking from recorded replies to published tables, and single ballots to be read."""

from pathlib import Path

import pandas as pd
import pytest

from judgeworthy import blind
from judgeworthy.datasets import prd
from judgeworthy.errors import MissingRepliesError, ParameterError
from judgeworthy.sections.peer_ranking import examples, published, voted
from judgeworthy.study import Study
from sections.peer_ranking import test_asked
from sections.peer_ranking.test_asked import NAMES, record

peers = test_asked.peers
SHARED = Path(__file__).parents[4] / "shared" / "data"


def test_recorded_replies_become_tables(peers: Study) -> None:
    with pytest.raises(MissingRepliesError):
        published.load(peers)
    record(peers)
    given = published.load(peers)
    assert given.votes.empty and len(given.answers) == 4 * 3 * 2
    found = published.tables(given, peers)
    # Every judge gives back the order shown, the other way round.
    assert found["judges"]["position"].tolist() == [-1] * 4
    assert found["answers"]["model"].tolist() == list(NAMES)
    assert (found["answers"]["openings"] == 6).all() and (found["answers"]["names"] > 0).all()
    assert found["ranking"]["n"].tolist() == [4 * 3 * 2] * 4


def test_ballots_are_read_with_the_prompt_and_the_answers_as_shown(peers: Study) -> None:
    record(peers)
    given = published.load(peers)
    domain = str(given.ballots["domain"].iloc[0])
    read = examples.read_items(given, peers, "ben", domain, n=1)
    assert set(read["judge"]) == {"ben"} and sorted(read["rank"]) == [1, 2, 3, 4]
    assert sorted(read["candidate"]) == sorted(NAMES) and read["prompt"].str.len().min() > 20
    assert read["answer"].str.contains(blind.PLACE, regex=False).all()
    assert examples.read_items(given, peers, "ben", domain, valid=False).empty
    for judge, of, said in (("bem", domain, "ben"), ("ben", "safty", "no domain 'safty'")):
        with pytest.raises(ParameterError, match=said):
            examples.read_items(given, peers, judge, of)


@pytest.fixture
def paired(peers: Study, monkeypatch: pytest.MonkeyPatch) -> Study:
    if not (SHARED / prd.EXTRACT).is_file():
        pytest.skip("the extract of PRD is not at ../shared/data")
    assert peers.peer_ranking is not None
    monkeypatch.setenv(prd.VARIABLE, str(SHARED))
    block = peers.peer_ranking.model_copy(update={"models": (), "resamples": 100})
    return peers.model_copy(update={"dataset": "prd", "peer_ranking": block})


def test_pairs_become_tables_and_people_agree_with_the_models(paired: Study) -> None:
    voted.keep(paired)
    given = published.load(paired)
    assert given.answers.empty and len(given.votes) == 7973 + 1760
    found = published.tables(given, paired)
    strong = found["strengths"].sort_values("place")
    assert strong["candidate"].tolist() == ["gpt4", "claude", "vicuna-13b", "gpt35", "bard"]
    assert strong["people_place"].tolist() == [1, 2, 3, 4, 5]
    compared = found["compared_with_people"].set_index("measure")["value"]
    assert compared["order of strengths, tau"] == 1
    assert compared["order within a prompt, mean tau"] == pytest.approx(0.595, abs=1e-3)
    judged = found["pair_judges"].set_index("judge")
    assert judged.loc["bard", "first_preferred_low"] > 0.7
    assert judged.loc["claude", "first_preferred_high"] < 0.45
    derived = found["derived_rankings"].set_index("judge")
    assert (derived["strict"].sum(), derived["tied"].sum()) == (131, 246)
    assert found["ranking"]["n"].tolist() == [131] * 5


def test_no_sentence_of_the_data_set_is_kept(paired: Study) -> None:
    voted.keep(paired)
    patterns = {
        "question_id": r"prd-\d\d",
        "domain": "[a-z-]*",
        "judge": r"people|[a-z\d-]{1,10}",
        "vote": "[123]",
        "first": r"[a-z\d-]{1,10}",
        "second": r"[a-z\d-]{1,10}",
        "outcome": "first|second|tie",
    }
    table = pd.read_csv(voted.location(paired), dtype=str, keep_default_na=False)
    assert set(table.columns) == patterns.keys()
    for column, pattern in patterns.items():
        assert table[column].str.fullmatch(pattern).all(), column


def test_votes_are_read_as_they_are_where_there_is_no_text(paired: Study) -> None:
    voted.keep(paired)
    given = published.load(paired)
    read = examples.read_items(given, paired, "gpt4", "coding", n=1)
    pd.testing.assert_index_equal(read.columns, pd.Index(list(voted.COLUMNS)))
    assert len(read) == 10 and set(read["judge"]) == {"gpt4"}
