"""inspect_ai: its model-graded scorer on answers that are given, with its log."""

import sys
import tempfile
import time

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, ModelOutput, get_model
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import Generate, Solver, TaskState, solver

from asked import PROMPT, QUESTION, answer, report

TEMPLATE = PROMPT + "\nQuestion: {question}\nGenerated answer: {answer}"
GRADE = r'"verdict": "(C|I)'


@solver
def given() -> Solver:
    """Take the answer under judgment for the model's, so that the grader alone is asked."""

    async def solve(state: TaskState, _: Generate) -> TaskState:
        state.output = ModelOutput.from_content("none", state.metadata["given"])
        return state

    return solve


def main(url: str, number: int, in_flight: int) -> None:
    """Run the evaluation."""
    config = GenerateConfig(
        max_connections=in_flight, temperature=0.0, max_tokens=200, seed=0, timeout=60
    )
    grader = get_model("openai-api/bench/judge", base_url=url, api_key="none", config=config)
    samples = [
        Sample(input=QUESTION, target="Paris", metadata={"given": answer(one)})
        for one in range(number)
    ]
    scorer = model_graded_qa(template=TEMPLATE, grade_pattern=GRADE, model=grader)
    task = Task(dataset=samples, solver=given(), scorer=scorer)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        (log,) = eval(task, model="none", log_dir=folder, display="none", max_samples=in_flight)
        took = time.perf_counter() - started
    assert log.status == "success" and log.results.completed_samples == number
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    report("inspect_ai", took)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
