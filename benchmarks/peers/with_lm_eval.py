"""lm-eval: a task of its own with local chat completions; it generates and matches, no judge."""

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

os.environ["HF_HOME"] = tempfile.mkdtemp()
os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"

from lm_eval.evaluator import evaluate
from lm_eval.models.openai_completions import LocalChatCompletion
from lm_eval.tasks import TaskManager

from asked import PROMPT, asked, report


def task(number: int) -> dict[str, object]:
    """Write the requests down and return the task that reads them."""
    path = Path(os.environ["HF_HOME"], "asked.jsonl")
    path.write_text("".join(json.dumps({"asked": asked(one)}) + "\n" for one in range(number)))
    verdict = [
        {"function": "regex", "regex_pattern": '"verdict": "(\\w+)"'},
        {"function": "take_first"},
    ]
    return {
        "task": "judging",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(path)}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{asked}}",
        "doc_to_target": "CORRECT",
        "generation_kwargs": {"until": [], "max_gen_toks": 200, "temperature": 0.0},
        "filter_list": [{"name": "verdict", "filter": verdict}],
        "metric_list": [{"metric": "exact_match"}],
        "num_fewshot": 0,
    }


def main(url: str, number: int, in_flight: int) -> None:
    """Run the evaluation."""
    model = LocalChatCompletion(
        model="judge", base_url=f"{url}/chat/completions", num_concurrent=in_flight, seed=0
    )
    loaded = TaskManager(include_defaults=False).load([task(number)])
    started = time.perf_counter()
    found = evaluate(model, loaded, system_instruction=PROMPT, apply_chat_template=True)
    took = time.perf_counter() - started
    assert found["results"]["judging"]["exact_match,verdict"] == 1.0
    assert len(found["samples"]["judging"]) == number
    report("lm_eval", took)


if __name__ == "__main__":
    try:
        main(sys.argv[1], *map(int, sys.argv[2:]))
    finally:
        shutil.rmtree(os.environ["HF_HOME"])
