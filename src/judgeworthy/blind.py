"""Blindness: what would tell a judge whose answer it reads is taken out, and the order shuffled.

Names of models and makers, openings in which a model speaks of itself, and markdown marks are
scrubbed; how often is counted. What a model's style gives away stays: blindness is not perfect.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

PLACE = "[a model]"
# Makers and their models, as a response might name them; a study adds the names of its own.
NAMES = (
    *("OpenAI", "ChatGPT", "GPT", "Anthropic", "Claude", "Google DeepMind", "DeepMind", "Google"),
    *("Gemini", "Gemma", "Bard", "PaLM", "xAI", "Grok", "Mistral AI", "Mistral", "Mixtral"),
    *("Meta AI", "LLaMA", "Llama", "Alibaba Cloud", "Alibaba", "Tongyi Qianwen", "Qwen"),
    *("Hugging Face", "HuggingFace", "SmolLM", "DeepSeek", "Microsoft", "Copilot", "Phi"),
    *("Vicuna", "Alpaca", "Cohere", "Command R"),
)
_VERSION = r"(?:[- ]?v?\d[\w.]*)?(?:-[\w.]+)*"
_OPENING = re.compile(
    r"^\s*(?:(?:sure|certainly|of course|hello|hi)[!,.]?\s+)?"
    r"(?:as|i am|i'm|being)\s+(?:an?\s+)?(?:[\w-]+\s+){0,3}?"
    r"(?:ai|a\.i\.|artificial intelligence|language model|llm|assistant|chatbot)\b"
    r"[^,.;:!\n]*[,.;:!]\s*",
    re.IGNORECASE,
)
_MARKS = re.compile(
    r"^\s{0,3}#{1,6}\s+|^\s{0,3}>\s?|^\s{0,3}(?:[-*+]|\d{1,2}[.)])\s+|^\s*```[\w-]*\s*$"
    r"|\*\*|__|`+|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Scrubbed:
    """A response without what would name its author.

    Attributes
    ----------
    text : str
    names, openings, marks : int
        How many of each were taken out.
    """

    text: str
    names: int
    openings: int
    marks: int


def scrub(text: str, models: Sequence[str] = ()) -> Scrubbed:
    """Take out openings, names and markdown marks.

    Parameters
    ----------
    text : str
        A response.
    models : sequence of str
        Names of the study's own models, as they might be written.
    """
    opened, openings = _OPENING.subn("", text, count=1)
    named, names = _pattern(models).subn(PLACE, opened)
    plain, marks = _MARKS.subn("", named)
    return Scrubbed(plain.strip(), names, openings, marks)


def shuffled(names: Sequence[str], *place: object) -> tuple[str, ...]:
    """Return the names in an order that the place alone decides: prompt, judge, run and seed.

    The order is by hash, so that it is the same in every process and on every machine.
    """
    where = " ".join(map(str, place))
    return tuple(sorted(names, key=lambda name: _rank(f"{where} {name}")))


def _pattern(models: Sequence[str]) -> re.Pattern[str]:
    names = sorted({*NAMES, *models}, key=lambda name: (-len(name), name))
    joined = "|".join(re.escape(name) for name in names)
    return re.compile(rf"(?<![\w-])(?:{joined}){_VERSION}(?!\w)", re.IGNORECASE)


def _rank(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
