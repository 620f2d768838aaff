"""deepeval: G-Eval with its local model; the steps are given, so that it makes one call a case."""

import os
import sys
import tempfile
import time

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
os.environ["DEEPEVAL_DISABLE_DOTENV"] = "1"
os.environ["DEEPEVAL_DISABLE_TIMEOUTS"] = "1"

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import GEval
from deepeval.models import LocalModel
from deepeval.test_case import LLMTestCase, SingleTurnParams

from asked import PROMPT, QUESTION, answer, report


def main(url: str, number: int, in_flight: int) -> None:
    """Run the evaluation."""
    metric = GEval(
        name="Correctness",
        evaluation_steps=[PROMPT],
        evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
        model=LocalModel(
            model="score",
            base_url=url,
            api_key="none",
            timeout=600.0,
            generation_kwargs={"max_tokens": 200, "seed": 0},
        ),
    )
    cases = [LLMTestCase(input=QUESTION, actual_output=answer(one)) for one in range(number)]
    started = time.perf_counter()
    result = evaluate(
        cases,
        [metric],
        async_config=AsyncConfig(max_concurrent=in_flight),
        display_config=DisplayConfig(
            show_indicator=False, print_results=False, inspect_after_run=False
        ),
        cache_config=CacheConfig(write_cache=False),
    )
    took = time.perf_counter() - started
    assert [case.success for case in result.test_results] == [True] * number
    report("deepeval", took)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # where it leaves files of its own
        main(sys.argv[1], *map(int, sys.argv[2:]))
