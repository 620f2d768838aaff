"""What every loop and every peer asks: the same judging requests, about 1,000 characters each.

It needs the standard library alone, since each peer runs in an environment of its own.
"""

import json
from importlib.metadata import version
from typing import Any

PROMPT = "You judge whether an answer to a question is right. " * 20
QUESTION = "What is the capital of France?"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "extracted_answer": {"type": "string", "maxLength": 120},
        "explanation": {"type": "string", "maxLength": 200},
        "verdict": {"type": "string", "enum": ["CORRECT", "INCORRECT"]},
    },
    "required": ["extracted_answer", "explanation", "verdict"],
    "additionalProperties": False,
}


def answer(number: int) -> str:
    """Return the answer under judgment."""
    return f"Paris, or {number}."


def asked(number: int) -> str:
    """Return what stands after the prompt."""
    return f"Question: {QUESTION}\nGenerated answer: {answer(number)}"


def messages(number: int) -> list[dict[str, str]]:
    """Return a request as messages."""
    return [{"role": "system", "content": PROMPT}, {"role": "user", "content": asked(number)}]


def report(package: str, seconds: float) -> None:
    """Print how long a run took, and of which version of what."""
    print(json.dumps({"seconds": seconds, "package": package, "version": version(package)}))
