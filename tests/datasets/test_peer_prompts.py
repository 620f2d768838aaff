"""The prompts of the peer ranking: enough of each domain, and every fault named."""

from collections import Counter
from pathlib import Path

import pytest

from conftest import ROOT
from judgeworthy.datasets.peer_prompts import read
from judgeworthy.errors import DataError

FILE = ROOT / "data" / "questions" / "peer_prompts.csv"
HEAD = "id,domain,prompt,needs\n"


def test_there_are_six_of_each_domain_and_each_says_what_a_good_answer_needs() -> None:
    prompts = read(FILE)
    domains = Counter(prompt.domain for prompt in prompts)
    assert set(domains) == {
        "programming",
        "general knowledge",
        "safety",
        "logical reasoning",
        "mathematics",
    }
    assert min(domains.values()) >= 6
    assert len({prompt.text for prompt in prompts}) == len(prompts)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + "a,b,c,\n", "csv:2: 'needs' is empty; fill it in"),
        (HEAD + "a,b,c,d\na,b,e,f\n", "csv:3: id 'a' stands twice"),
        ("id,prompt\na,b\n", "columns id, domain, prompt, needs expected"),
    ],
)
def test_a_fault_is_named_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "prompts.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        read(path)
    with pytest.raises(DataError, match="no such file"):
        read(tmp_path / "none.csv")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="write it as UTF-8"):
        read(path)
