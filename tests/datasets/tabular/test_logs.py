"""Responses are read from the files of common tools, in the shape in which these write them.

The files in ``logs`` were written by these tools, asked our questions: Inspect 0.3.285 with its
mock model, promptfoo 0.121.20 with its echo provider, lm-eval 0.4.13 with its dummy model.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from judgeworthy.datasets.tabular import guess, table
from judgeworthy.datasets.tabular.table import Row
from judgeworthy.errors import DataError

LOGS = Path(__file__).parent / "logs"


def read(*files: Path) -> list[Row]:
    found = table.read(files)
    taken = guess.columns(found)
    assert (taken.id, taken.question, taken.references) == ("id", "question", ("references",))
    assert (taken.response, taken.model) == ("response", "model")
    return list(found.rows)


def texts(row: Row) -> dict[str, str]:
    return {name: row.text(name) for name in row.cells}


def test_an_archive_of_inspect_gives_the_first_epoch_with_its_texts_put_back() -> None:
    lima, spider, lisbon = read(LOGS / "inspect.eval")
    assert texts(lima) == {
        "id": "q1",
        "question": "What is the capital of Peru?",
        "references": "Lima | City of Lima",
        "response": "Lima is the capital of Peru.",
        "model": "mockllm/model",
    }
    assert spider.text("question") == "How many legs does a spider have?", "of a chat the last"
    assert spider.text("response") == "It has six legs.", "without the reasoning"
    assert lisbon.text("question").endswith("On which river does Lisbon lie?")
    assert lisbon.text("response").startswith("On the Tagus. The river is long.")


def test_a_text_that_inspect_keeps_as_an_attachment_is_put_back(tmp_path: Path) -> None:
    log = json.loads((LOGS / "inspect_choice.json").read_text(encoding="utf-8"))
    (sample,) = log["samples"]
    sample["attachments"] = {"0276ebdc": "A long question?"}
    sample["input"] = "attachment://0276ebdc"
    file = tmp_path / "log.json"
    file.write_text(json.dumps(log), encoding="utf-8")
    assert read(file)[0].text("question").startswith("A long question?\nA) Tagus")


def test_a_multiple_choice_of_inspect_has_its_options() -> None:
    (row,) = read(LOGS / "inspect_choice.json")
    assert row.text("question") == "Which is a river?\nA) Tagus\nB) Lisbon"
    assert (row.text("references"), row.text("response")) == ("A) Tagus", "ANSWER: A")


@pytest.mark.parametrize("name", ["promptfoo.json", "promptfoo.jsonl"])
def test_results_of_promptfoo_have_the_answers_of_assertions_and_no_threshold(name: str) -> None:
    rows = read(LOGS / name)
    assert {row.text("model") for row in rows} == {"echo", "second echo"}
    assert {row.text("question"): row.texts("references", None) for row in rows} == {
        "What is the capital of Peru?": ("Peru",),
        "What do bees make?": ("honey", "wax"),
    }
    assert rows[0].text("response") == "Answer briefly: What is the capital of Peru?"


def test_several_prompts_of_promptfoo_are_told_apart(tmp_path: Path) -> None:
    log = json.loads((LOGS / "promptfoo.json").read_text(encoding="utf-8"))
    for result in log["results"]["results"]:
        result["provider"] = {"id": "echo", "label": ""}
        result["prompt"]["label"] = f"prompt {result['promptIdx']}"
    file = tmp_path / "results.json"
    file.write_text(json.dumps(log), encoding="utf-8")
    assert {row.text("model") for row in read(file)} == {"echo prompt 0", "echo prompt 1"}


def sample(number: int, filter_: str = "none", **more: Any) -> dict[str, Any]:
    return {
        "doc_id": number,
        "doc": {"question": f"What is {number} + {number}?", "answer": f"#### {2 * number}"},
        "target": f"{2 * number}",
        "arguments": {"gen_args_0": {"arg_0": "Question: …\nAnswer:", "arg_1": {"until": ["\n"]}}},
        "resps": [[f"It is {2 * number}."]],
        "filtered_resps": [f"{2 * number}"],
        "filter": filter_,
        "metrics": ["exact_match"],
        "doc_hash": "d1",
        "prompt_hash": "p1",
        "target_hash": "t1",
        "exact_match": 1.0,
        **more,
    }


def lm_eval(folder: Path, *samples: dict[str, Any]) -> Path:
    file = folder / "org__model-7b" / "samples_sums_2026-12-01T10-00-00.000000.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(each) + "\n" for each in samples), encoding="utf-8")
    return file


def test_samples_of_lm_eval_have_the_raw_response_and_the_folder_as_model() -> None:
    one, two = read(LOGS / "dummy" / "samples_sums.jsonl")
    assert (two.text("question"), two.text("references")) == ("What is 2 + 2?", "4")
    assert (one.text("response"), one.text("model")) == ("lol", "dummy")


def test_samples_of_lm_eval_are_one_a_question_whatever_the_filters(tmp_path: Path) -> None:
    file = lm_eval(tmp_path, *(sample(n, name) for name in ("strict", "loose") for n in (1, 2)))
    one, two = read(file)
    assert (two.text("question"), two.text("references")) == ("What is 2 + 2?", "4")
    assert (one.text("response"), one.text("model")) == ("It is 2.", "org/model-7b")


def test_a_task_of_lm_eval_without_a_question_gives_its_prompt(tmp_path: Path) -> None:
    chat = json.dumps([{"role": "system", "content": "x"}, {"role": "user", "content": "Sum 2?"}])
    arguments = {"gen_args_0": {"arg_0": [chat], "arg_1": {}}}
    file = lm_eval(tmp_path, sample(1, doc={"n": 1}), sample(2, doc={}, arguments=arguments))
    assert [row.text("question") for row in read(file)] == ["Question: …\nAnswer:", "Sum 2?"]


def test_likelihoods_are_no_responses() -> None:
    with pytest.raises(DataError, match="likelihoods instead of responses; take a task whose"):
        table.read([LOGS / "dummy" / "samples_pick.jsonl"])


def test_logs_of_several_models_are_one_table(tmp_path: Path) -> None:
    copy = tmp_path / "second.eval"
    shutil.copy(LOGS / "inspect.eval", copy)
    assert len(read(LOGS / "inspect.eval", copy)) == 6


def test_a_log_of_another_shape_is_told(tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    file.write_text('{"eval": {}, "samples": [{"id": 1, "output": 3}]}', encoding="utf-8")
    with pytest.raises(DataError, match="not in the shape of a log of Inspect"):
        table.read([file])


def test_a_log_that_was_cut_is_told(tmp_path: Path) -> None:
    file = tmp_path / "log.eval"
    file.write_bytes((LOGS / "inspect.eval").read_bytes()[:5000])
    with pytest.raises(DataError, match="not a log of Inspect"):
        table.read([file])
