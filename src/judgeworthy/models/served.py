"""The llama.cpp server of a local model, run in the environment that has llama-cpp-python.

It is ``llama_cpp.server`` with two differences. It ends when its standard input is closed, so that
it does not outlive the recorder. And where decoding is greedy, the likeliest token (after the
server's penalty on repeated tokens) is tried against the grammar before the whole vocabulary is:
the token is the same, since the grammar only forbids.
"""

import ctypes
import os
import runpy
import threading

import llama_cpp
import numpy as np
from llama_cpp import _internals
from numpy.typing import NDArray


class GreedyFirst(_internals.LlamaSampler):  # type: ignore[misc]
    """A sampler that asks the grammar about one token before it asks about all."""

    def __init__(self) -> None:
        super().__init__()
        self.penalties: object = None
        self.grammar: object = None
        self.greedy = False

    def add_penalties(self, **settings: float) -> None:
        """Add the penalties on repeated tokens to the chain and remember them."""
        super().add_penalties(**settings)
        self.penalties = self._last()

    def add_grammar(self, model: object, grammar: object) -> None:
        """Add the grammar to the chain and remember it."""
        super().add_grammar(model, grammar)
        self.grammar = self._last()

    def add_greedy(self) -> None:
        """End the chain with greedy decoding."""
        super().add_greedy()
        self.greedy = True

    def sample(self, context: object, index: int) -> int:
        """Return the next token: the likeliest one if the grammar allows it."""
        if self.greedy and self.grammar is not None:
            candidates = _candidates(context, index)
            _apply(self.penalties, candidates)
            likeliest = candidates[candidates["logit"].argmax()][None]
            token = int(likeliest["id"][0])
            _apply(self.grammar, likeliest)
            if np.isfinite(likeliest["logit"][0]):
                llama_cpp.llama_sampler_accept(self.sampler, token)
                return token
        return int(super().sample(context, index))

    def _last(self) -> object:
        return llama_cpp.llama_sampler_chain_get(
            self.sampler, llama_cpp.llama_sampler_chain_n(self.sampler) - 1
        )


_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


def _candidates(context: object, index: int) -> NDArray[np.void]:
    """Return all tokens with their logits, as the samplers take them."""
    raw = context.ctx  # type: ignore[attr-defined]
    vocabulary = llama_cpp.llama_model_get_vocab(llama_cpp.llama_get_model(raw))
    size = llama_cpp.llama_vocab_n_tokens(vocabulary)
    candidates = np.zeros(size, _CANDIDATE)
    candidates["id"] = np.arange(size)
    candidates["logit"] = np.ctypeslib.as_array(
        llama_cpp.llama_get_logits_ith(raw, index), shape=(size,)
    )
    return candidates


def _apply(sampler: object, candidates: NDArray[np.void]) -> None:
    """Let a sampler change the logits of candidates in place."""
    data = candidates.ctypes.data_as(ctypes.POINTER(llama_cpp.llama_token_data))
    array = llama_cpp.llama_token_data_array(
        data=data, size=len(candidates), selected=-1, sorted=False
    )
    llama_cpp.llama_sampler_apply(sampler, ctypes.byref(array))


def _end_with_the_recorder() -> None:
    os.read(0, 1)
    os._exit(0)


if __name__ == "__main__":
    _internals.LlamaSampler = GreedyFirst
    threading.Thread(target=_end_with_the_recorder, daemon=True).start()
    runpy.run_module("llama_cpp.server", run_name="__main__")
