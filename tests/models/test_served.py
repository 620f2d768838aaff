"""The local server: what it adds to llama.cpp's, without a model."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from runpy import run_path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from judgeworthy.models import local

SERVER = Path(local.__file__).with_name("served.py")


class Sampler:
    """A stand-in for llama-cpp-python's: it takes the settings, and no token of its own."""

    def add_penalties(self, **_: float) -> None: ...

    def add_grammar(self, _: object, __: object) -> None: ...

    def add_greedy(self) -> None: ...

    def sample(self, _: object, __: int) -> int:
        return -1


class Context:
    """A stand-in for the context: what each sequence holds, by its number."""

    def __init__(self) -> None:
        self.held: dict[int, list[int]] = {}

    def kv_cache_seq_rm(self, sequence: int, start: int, end: int) -> bool:
        assert end == -1
        self.held[sequence] = self.held.get(sequence, [])[:start]
        return True

    def kv_cache_seq_cp(self, source: int, target: int, start: int, end: int) -> None:
        assert (start, end) == (0, -1)
        self.held[target] = list(self.held[source])


class Whole:
    """A stand-in for the model: it decodes a prompt, and no token follows."""

    def __init__(self) -> None:
        self._ctx = Context()
        self.n_tokens = 0
        self.n_batch = 4

    def generate(self, tokens: Sequence[int]) -> list[int]:
        rest = list(tokens)[self.n_tokens :]
        self.eval(rest)
        return rest

    def eval(self, tokens: Sequence[int]) -> None: ...


@pytest.fixture(scope="module")
def served() -> Iterator[dict[str, Any]]:
    """What the server's script defines, beside a stand-in for the library."""
    names = ("llama_cpp", "llama_cpp._internals")
    before = {name: sys.modules.get(name) for name in names}
    library, internals = (ModuleType(name) for name in names)
    library._internals = internals  # type: ignore[attr-defined]
    library.Llama = Whole  # type: ignore[attr-defined]
    library.llama_sampler_accept = lambda *_: None  # type: ignore[attr-defined]
    internals.LlamaSampler = Sampler  # type: ignore[attr-defined]
    sys.modules.update(zip(names, (library, internals), strict=True))
    yield run_path(str(SERVER))
    for name, module in before.items():
        if module is None:
            del sys.modules[name]
        else:
            sys.modules[name] = module


Decode = Callable[[Sequence[Any]], list[int]]


class Decoder:
    """Remembers the batches; the row of a step is its place in the batch."""

    def __init__(self, fault: str = "") -> None:
        self.batches: list[list[int]] = []
        self.fault = fault

    def __call__(self, steps: Sequence[Any]) -> list[int]:
        self.batches.append(sorted(step.sequence for step in steps))
        if self.fault:
            raise RuntimeError(self.fault)
        return list(range(len(steps)))


def at_work(served: dict[str, Any], decoder: Decoder, lengths: Sequence[int], room: int) -> Any:
    """Let sequences decode as many steps as said, each at its own pace; return their faults."""
    together = served["Together"](decoder, room)
    faults: list[str] = []
    for _ in lengths:
        together.enter()

    def work(number: int, steps: int) -> None:
        try:
            for past in range(steps):
                time.sleep(0.002 * number)
                together.row(served["Step"](number, [1], past))
        except RuntimeError as error:
            faults.append(str(error))
        together.leave()

    threads = [threading.Thread(target=work, args=item) for item in enumerate(lengths)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    return faults


def test_all_that_are_at_work_are_decoded_together(served: dict[str, Any]) -> None:
    decoder = Decoder()
    assert at_work(served, decoder, [3, 3, 3], room=8) == []
    assert decoder.batches == [[0, 1, 2]] * 3


def test_one_that_is_done_holds_nobody_up(served: dict[str, Any]) -> None:
    decoder = Decoder()
    at_work(served, decoder, [1, 3, 2], room=8)
    assert decoder.batches == [[0, 1, 2], [1, 2], [1]]


def test_what_does_not_fit_is_decoded_later(served: dict[str, Any]) -> None:
    decoder = Decoder()
    at_work(served, decoder, [2, 2, 2, 2, 2], room=2)
    assert max(map(len, decoder.batches)) == 2
    assert Counter(chain(*decoder.batches)) == dict.fromkeys(range(5), 2)


def test_a_step_larger_than_the_room_is_decoded_alone(served: dict[str, Any]) -> None:
    decoder = Decoder()
    together = served["Together"](decoder, 2)
    together.enter()
    assert together.row(served["Step"](0, [1, 2, 3], 0)) == 0


def test_a_batch_that_fails_is_told_to_all_and_ends_none(served: dict[str, Any]) -> None:
    decoder = Decoder("llama_decode returned 1")
    assert at_work(served, decoder, [1, 1], room=8) == ["llama_decode returned 1"] * 2


def several(served: dict[str, Any], number: int) -> tuple[Context, list[int], list[Any]]:
    """Return the context of some sequences, what is decoded of it, and the sequences."""
    whole = Whole()
    decoded: list[int] = []

    def decode(steps: Sequence[Any]) -> list[int]:
        for step in steps:
            held = whole._ctx.held.setdefault(step.sequence, [])
            assert len(held) == step.past
            held.extend(step.tokens)
            decoded.extend(step.tokens)
        return list(range(len(steps)))

    together = served["Together"](decode, whole.n_batch)
    ones = [served["One"](whole, place, 2048, together) for place in range(number)]
    for one in ones:
        one.others = [other for other in ones if other is not one]
    return whole._ctx, decoded, ones


def answer(one: Any, prompt: list[int]) -> list[int]:
    """Return what of a prompt was left to decode when it was as good as ready."""
    try:
        return list(one.generate(prompt))
    finally:
        one.rest()


def test_a_sequence_starts_from_the_one_that_begins_most_like_it(served: dict[str, Any]) -> None:
    context, decoded, (first, second, third) = several(served, 3)
    begin = list(range(100, 140))
    answer(first, [*begin, 1, 2])
    answer(second, [*begin, 3, 4])
    answer(third, [7, *begin])
    answer(first, [*begin, 1, 5, 6])
    assert decoded == [*begin, 1, 2, 3, 4, 7, *begin, 5, 6]
    assert context.held == {0: [*begin, 1, 5, 6], 1: [*begin, 3, 4], 2: [7, *begin]}


def test_the_last_token_is_always_decoded_for_its_logits(served: dict[str, Any]) -> None:
    context, _, (first, second) = several(served, 2)
    prompt = list(range(100, 140))
    assert answer(first, prompt) == [139]
    assert answer(second, prompt) == [139]
    assert answer(first, prompt) == [139]
    assert context.held == {0: prompt, 1: prompt}


@given(prompts=st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=60), min_size=1))
def test_a_sequence_holds_its_prompt_whatever_came_before(
    served: dict[str, Any], prompts: list[list[int]]
) -> None:
    context, _, ones = several(served, 3)
    for place, prompt in enumerate(prompts):
        answer(ones[place % 3], prompt)
        assert context.held[place % 3] == prompt


def test_prompts_that_come_at_once_share_what_they_begin_with(served: dict[str, Any]) -> None:
    context, decoded, ones = several(served, 8)
    begin = list(range(100, 140))
    prompts = [[*begin, number, number] for number in range(8)]
    threads = [
        threading.Thread(target=answer, args=item) for item in zip(ones, prompts, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    assert context.held == dict(enumerate(prompts))
    assert len(decoded) == len(begin) + 16


logit = st.floats(-30, 30, width=32)


@given(
    logits=st.lists(logit, min_size=2, max_size=40),
    repeated=st.sets(st.integers(0, 39)),
    forbidden=st.sets(st.integers(0, 39)),
    penalty=st.floats(1, 2),
    presence=st.sampled_from([0.0, -5.0]),
)
def test_the_token_is_the_one_that_asking_about_all_would_give(
    served: dict[str, Any],
    logits: list[float],
    repeated: set[int],
    forbidden: set[int],
    penalty: float,
    presence: float,
) -> None:
    def penalise(tokens: NDArray[np.void]) -> None:
        hit = np.isin(tokens["id"], list(repeated))
        value = tokens["logit"]
        value[hit] = np.where(value > 0, value / penalty, value * penalty)[hit] - presence

    def forbid(tokens: NDArray[np.void]) -> None:
        tokens["logit"][np.isin(tokens["id"], list(forbidden))] = -np.inf

    sampler = served["GreedyFirst"].__new__(served["GreedyFirst"])
    sampler.repeat, sampler.others, sampler.greedy = penalty, presence != 0, True
    sampler.penalties, sampler.grammar, sampler.sampler = penalise, forbid, None
    raw = np.array(logits, np.float32)
    scope = sampler.sample.__func__.__globals__
    scope["_logits"] = lambda *_: raw
    scope["_apply"] = lambda change, tokens: change(tokens)
    everything = served["_tokens"](raw, -np.inf)
    penalise(everything)
    forbid(everything)
    best = everything["logit"].max()
    token = sampler.sample(SimpleNamespace(ctx=None), 0)
    assert token == -1 if np.isinf(best) else everything["logit"][token] == best
