"""The llama.cpp server of a local model, run in the environment that has llama-cpp-python.

It is ``llama_cpp.server`` with three differences. It ends when its standard input is closed, so
that it does not outlive the recorder. It answers ``--sequences N`` requests at a time, whose tokens
are decoded together, since reading the weights, once for all of them, is what takes the time. And
where decoding is greedy, the grammar is asked about the likeliest tokens (after the server's
penalty on repeated ones) before it is asked about the whole vocabulary: the token is the same,
since the grammar only forbids.
"""

import asyncio
import ctypes
import os
import runpy
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import llama_cpp
import numpy as np
from llama_cpp import _internals
from numpy.typing import NDArray

_TOKEN = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
_NEAR = 10.0  # how far below the likeliest token one is looked at before all are
_WORTH = 16  # tokens that must be saved for a sequence to be copied


class GreedyFirst(_internals.LlamaSampler):  # type: ignore[misc]
    """A sampler that asks the grammar about the likeliest tokens before it asks about all."""

    def __init__(self) -> None:
        super().__init__()
        self.penalties: object = None
        self.repeat = 1.0
        self.others = False
        self.grammar: object = None
        self.greedy = False

    def add_penalties(self, **settings: float) -> None:
        """Add the penalties on repeated tokens to the chain and remember them."""
        super().add_penalties(**settings)
        self.penalties = self._last()
        self.repeat = settings["penalty_repeat"]
        self.others = bool(settings["penalty_freq"] or settings["penalty_present"])

    def add_grammar(self, model: object, grammar: object) -> None:
        """Add the grammar to the chain and remember it."""
        super().add_grammar(model, grammar)
        self.grammar = self._last()

    def add_greedy(self) -> None:
        """End the chain with greedy decoding."""
        super().add_greedy()
        self.greedy = True

    def sample(self, context: Any, index: int) -> int:
        """Return the next token: of those that the grammar allows, the likeliest."""
        if self.greedy and self.grammar is not None:
            logits = _logits(context.ctx, index)
            for floor in self._floors(float(logits.max())):
                near = _tokens(logits, floor)
                _apply(self.penalties, near)
                _apply(self.grammar, near)
                best = near[near["logit"].argmax()]
                if np.isfinite(best["logit"]) and best["logit"] >= floor:
                    token = int(best["id"])
                    llama_cpp.llama_sampler_accept(self.sampler, token)
                    return token
        return int(super().sample(context, index))

    def _floors(self, top: float) -> Iterator[float]:
        """Yield logits above which a token is looked at.

        A token found at or above the floor is the one that is sought if no penalty raises a token
        from below it, which a penalty on repetition does not; one on frequency or presence may.
        """
        if not self.others and self.repeat >= 1:
            yield min(top / self.repeat, top * self.repeat)
            yield top - _NEAR
        yield -np.inf

    def _last(self) -> object:
        return llama_cpp.llama_sampler_chain_get(
            self.sampler, llama_cpp.llama_sampler_chain_n(self.sampler) - 1
        )


def _logits(context: object, index: int) -> NDArray[np.float32]:
    vocabulary = llama_cpp.llama_model_get_vocab(llama_cpp.llama_get_model(context))
    size = llama_cpp.llama_vocab_n_tokens(vocabulary)
    found = llama_cpp.llama_get_logits_ith(context, index)
    return np.ctypeslib.as_array(found, shape=(size,))


def _tokens(logits: NDArray[np.float32], floor: float) -> NDArray[np.void]:
    """Return the tokens with a logit at or above the floor, as the samplers take them."""
    chosen = np.flatnonzero(logits >= floor)
    tokens = np.zeros(len(chosen), _TOKEN)
    tokens["id"] = chosen
    tokens["logit"] = logits[chosen]
    return tokens


def _apply(sampler: object, tokens: NDArray[np.void]) -> None:
    """Let a sampler change the logits of tokens in place."""
    data = tokens.ctypes.data_as(ctypes.POINTER(llama_cpp.llama_token_data))
    array = llama_cpp.llama_token_data_array(data=data, size=len(tokens), selected=-1, sorted=False)
    llama_cpp.llama_sampler_apply(sampler, ctypes.byref(array))


@dataclass
class Step:
    """Tokens of one sequence that are to be decoded, and what came of it.

    Attributes
    ----------
    sequence : int
    tokens : sequence of int
    past : int
        How many tokens of the sequence are decoded already.
    row : int or None
        Where the logits after the last token stand, once they do.
    error : RuntimeError or None
        Why they never will.
    """

    sequence: int
    tokens: Sequence[int]
    past: int
    row: int | None = None
    error: RuntimeError | None = None


class Together:
    """Decodes the steps of all sequences that are at work as one batch.

    A batch is decoded when every sequence at work waits for its own step, so that no logits are
    overwritten before they are read. The context itself is touched under `context_lock` alone. A
    sequence forgets tokens under `starting` alone, so that another one that takes them over then
    takes over what it has compared.

    Parameters
    ----------
    decode : callable
        Decodes steps and returns the row of each step's logits.
    room : int
        How many tokens fit into a batch.
    """

    def __init__(self, decode: Callable[[Sequence[Step]], list[int]], room: int) -> None:
        self.context_lock = threading.Lock()
        self.starting = threading.Lock()
        self._decode = decode
        self._room = room
        self._state = threading.Condition()
        self._at_work = 0
        self._waiting: list[Step] = []
        threading.Thread(target=self._run, daemon=True).start()

    def enter(self) -> None:
        """Tell that one more sequence is at work."""
        with self._state:
            self._at_work += 1

    def leave(self) -> None:
        """Tell that a sequence has done its work."""
        with self._state:
            self._at_work -= 1
            self._state.notify_all()

    def row(self, step: Step) -> int:
        """Wait until a step is decoded and return the row of its logits.

        Raises
        ------
        RuntimeError
            If it cannot be decoded.
        """
        with self._state:
            self._waiting.append(step)
            self._state.notify_all()
            self._state.wait_for(lambda: step.row is not None or step.error is not None)
        if step.row is None:
            raise RuntimeError(str(step.error))
        return step.row

    def _run(self) -> None:
        while True:
            with self._state:
                self._state.wait_for(lambda: 0 < len(self._waiting) >= self._at_work)
                steps = self._that_fit()
            rows, error = self._decoded(steps)
            with self._state:
                for step, row in zip(steps, rows, strict=True):
                    step.row, step.error = row, error
                self._state.notify_all()

    def _that_fit(self) -> list[Step]:
        """Take the steps that wait, the first ones first, as far as there is room."""
        taken: list[Step] = []
        while self._waiting:
            if sum(len(step.tokens) for step in [*taken, self._waiting[0]]) > self._room and taken:
                break
            taken.append(self._waiting.pop(0))
        return taken

    def _decoded(self, steps: Sequence[Step]) -> tuple[Sequence[int | None], RuntimeError | None]:
        try:
            with self.context_lock:
                return self._decode(steps), None
        except RuntimeError as error:
            return [None] * len(steps), error


class _Part:
    """A sequence's part of the shared context: all of it that its `One` sees."""

    def __init__(self, context: Any, sequence: int, lock: threading.Lock) -> None:
        self._context = context
        self._sequence = sequence
        self._lock = lock

    def kv_cache_seq_rm(self, _: int, start: int, end: int) -> bool:
        """Forget tokens of this sequence."""
        with self._lock:
            return bool(self._context.kv_cache_seq_rm(self._sequence, start, end))

    def become(self, sequence: int) -> None:
        """Forget this sequence and take over all tokens of another."""
        with self._lock:
            self._context.kv_cache_seq_rm(self._sequence, 0, -1)
            self._context.kv_cache_seq_cp(sequence, self._sequence, 0, -1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


class One(llama_cpp.Llama):  # type: ignore[misc]
    """One of the sequences of a model: a `Llama` that decodes together with others."""

    n_tokens: int

    def __init__(self, whole: Any, sequence: int, length: int, together: Together) -> None:
        self.__dict__.update(whole.__dict__)
        self._ctx = _Part(whole._ctx, sequence, together.context_lock)
        self._n_ctx = length
        self.input_ids = np.zeros(length, np.intc)
        self._sequence = sequence
        self._together = together
        self._row = -1
        self._at_work = False
        self.others: list[One] = []

    def generate(self, tokens: Sequence[int], *settings: object, **more: object) -> Any:
        """Yield the tokens that follow.

        Prompts are decoded one after the other, so that the second may begin with what it shares
        with the first; the last token is left, since its logits are wanted.
        """
        asked = np.asarray(tokens, np.intc)
        with self._together.starting:
            self._take_over(asked)
            self._keep(min(self.shared(asked), len(asked) - 1))
            self._together.enter()
            self._at_work = True
            self.eval(tokens[self.n_tokens : -1])
        return super().generate(tokens, *settings, **more)

    def rest(self) -> None:
        """Hold nobody up any more."""
        if self._at_work:
            self._at_work = False
            self._together.leave()

    def _take_over(self, asked: NDArray[np.intc]) -> None:
        """Start from the sequence that begins most like these tokens, if another one does."""
        nearest = max(self.others, key=lambda one: one.shared(asked), default=self)
        if nearest.shared(asked) > self.shared(asked) + _WORTH:
            count = nearest.n_tokens
            self._ctx.become(nearest._sequence)
            self.input_ids[:count] = nearest.input_ids[:count]
            self.n_tokens = count

    def _keep(self, count: int) -> None:
        self._ctx.kv_cache_seq_rm(-1, count, -1)
        self.n_tokens = count

    def shared(self, asked: NDArray[np.intc]) -> int:
        """Return with how many of the asked tokens this sequence begins."""
        count = min(self.n_tokens, len(asked))
        differ = np.flatnonzero(self.input_ids[:count] != asked[:count])
        return int(differ[0]) if len(differ) else count

    def eval(self, tokens: Sequence[int]) -> None:
        """Decode tokens after those that are decoded already."""
        self._ctx.kv_cache_seq_rm(-1, self.n_tokens, -1)
        for start in range(0, len(tokens), self.n_batch):
            part = tokens[start : start + self.n_batch]
            self._row = self._together.row(Step(self._sequence, part, self.n_tokens))
            self.input_ids[self.n_tokens : self.n_tokens + len(part)] = part
            self.n_tokens += len(part)
        # The logits stay only until the next batch: another request has to decode anew.
        self._requires_eval = True

    def sample(self, *_: object, **__: object) -> int:
        """Return the next token, from the logits of this sequence."""
        with self._together.context_lock:
            return int(self._sampler.sample(self._ctx, self._row))


def _decoder(whole: Any) -> Callable[[Sequence[Step]], list[int]]:
    """Return what decodes the steps of several sequences as one batch of a model."""
    batch = whole._batch.batch

    def decode(steps: Sequence[Step]) -> list[int]:
        rows, size = {}, 0
        # Sequences that stand in their order in a batch are computed at once, others apart.
        for step in sorted(steps, key=lambda step: step.sequence):
            for place, token in enumerate(step.tokens):
                batch.token[size] = token
                batch.pos[size] = step.past + place
                batch.n_seq_id[size] = 1
                batch.seq_id[size][0] = step.sequence
                batch.logits[size] = place == len(step.tokens) - 1
                size += 1
            rows[step.sequence] = size - 1
        batch.n_tokens = size
        whole._ctx.decode(whole._batch)
        return [rows[step.sequence] for step in steps]

    return decode


def _serve_several(sequences: int) -> None:
    """Let the server answer that many requests at a time."""
    from llama_cpp.server import app

    defaults = llama_cpp.llama_cpp.llama_context_default_params

    def with_room() -> Any:
        parameters = defaults()
        parameters.n_seq_max = sequences
        return parameters

    llama_cpp.llama_cpp.llama_context_default_params = with_room
    idle: asyncio.Queue[One] = asyncio.Queue()
    made = asyncio.Event()

    def make() -> None:
        whole = app._llama_proxy(None)
        together = Together(_decoder(whole), whole.n_batch)
        length = whole._n_ctx // sequences
        several = [One(whole, number, length, together) for number in range(sequences)]
        for one in several:
            one.others = [other for other in several if other is not one]
            idle.put_nowait(one)

    async def proxy() -> AsyncIterator[Callable[[str | None], One]]:
        if not made.is_set():
            made.set()
            make()
        one = await idle.get()
        try:
            yield lambda _: one
        finally:
            one.rest()
            idle.put_nowait(one)

    app.get_llama_proxy = proxy


def _end_with_the_recorder() -> None:
    os.read(0, 1)
    os._exit(0)


def main() -> None:
    """Serve as the command line says, until the recorder ends."""
    place = sys.argv.index("--sequences")
    _serve_several(int(sys.argv[place + 1]))
    del sys.argv[place : place + 2]
    _internals.LlamaSampler = GreedyFirst
    threading.Thread(target=_end_with_the_recorder, daemon=True).start()
    runpy.run_module("llama_cpp.server", run_name="__main__")


if __name__ == "__main__":
    main()
