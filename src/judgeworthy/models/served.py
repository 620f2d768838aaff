"""The llama.cpp server of a local model, run in the environment that has llama-cpp-python.

It is ``llama_cpp.server`` with two differences. It ends when its standard input is closed, so that
it does not outlive the recorder. And where decoding is greedy, the likeliest token is tried against
the grammar before the whole vocabulary is: the token is the same, since the grammar only forbids.
"""

import ctypes
import os
import runpy
import threading

import llama_cpp
import numpy as np
from llama_cpp import _internals


class GreedyFirst(_internals.LlamaSampler):  # type: ignore[misc]
    """A sampler that asks the grammar about one token before it asks about all."""

    def __init__(self) -> None:
        super().__init__()
        self.grammar = None
        self.greedy = False

    def add_grammar(self, model: object, grammar: object) -> None:
        """Add the grammar to the chain and remember it."""
        super().add_grammar(model, grammar)
        last = llama_cpp.llama_sampler_chain_n(self.sampler) - 1
        self.grammar = llama_cpp.llama_sampler_chain_get(self.sampler, last)

    def add_greedy(self) -> None:
        """End the chain with greedy decoding."""
        super().add_greedy()
        self.greedy = True

    def sample(self, context: object, index: int) -> int:
        """Return the next token: the likeliest one if the grammar allows it."""
        if self.greedy and self.grammar is not None:
            token, logit = _likeliest(context, index)
            if self._allowed(token, logit):
                llama_cpp.llama_sampler_accept(self.sampler, token)
                return token
        return int(super().sample(context, index))

    def _allowed(self, token: int, logit: float) -> bool:
        data = (llama_cpp.llama_token_data * 1)(llama_cpp.llama_token_data(token, logit, 0.0))
        array = llama_cpp.llama_token_data_array(data=data, size=1, selected=-1, sorted=False)
        llama_cpp.llama_sampler_apply(self.grammar, ctypes.byref(array))
        return bool(np.isfinite(data[0].logit))


def _likeliest(context: object, index: int) -> tuple[int, float]:
    raw = context.ctx  # type: ignore[attr-defined]
    vocabulary = llama_cpp.llama_model_get_vocab(llama_cpp.llama_get_model(raw))
    size = llama_cpp.llama_vocab_n_tokens(vocabulary)
    logits = np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(raw, index), shape=(size,))
    token = int(logits.argmax())
    return token, float(logits[token])


def _end_with_the_recorder() -> None:
    os.read(0, 1)
    os._exit(0)


if __name__ == "__main__":
    _internals.LlamaSampler = GreedyFirst
    threading.Thread(target=_end_with_the_recorder, daemon=True).start()
    runpy.run_module("llama_cpp.server", run_name="__main__")
