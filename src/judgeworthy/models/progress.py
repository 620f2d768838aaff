"""Progress: what a recording has done so far, in one line a model."""

from collections.abc import Callable, Sequence

from tqdm import tqdm

from judgeworthy.models import cost
from judgeworthy.models.asking import Asker
from judgeworthy.models.catalog import Model
from judgeworthy.models.cost import Tokens
from judgeworthy.models.request import Reply, Request

Invalid = Callable[[Request, Reply], bool]


class Progress:
    """A bar a model: rate, time left, tokens, cost, in flight, invalid, sent again.

    Parameters
    ----------
    model : Model
    total : int
        Replies that are wanted.
    invalid : callable
        Whether a reply is invalid.
    asker : Asker or None
        Who asks, where that is done here.
    """

    def __init__(
        self, model: Model, total: int, invalid: Invalid, asker: Asker | None = None
    ) -> None:
        self._bar = tqdm(
            total=total, desc=model.name, unit="reply", mininterval=1, dynamic_ncols=True
        )
        self._model = model
        self._is_invalid = invalid
        self._asker = asker
        self._tokens = Tokens()
        self._invalid = 0

    def add(self, answered: Sequence[tuple[Request, Reply]]) -> None:
        """Count replies that are on disk."""
        for request, reply in answered:
            self._tokens += Tokens(reply.prompt_tokens or 0, reply.completion_tokens or 0)
            self._invalid += self._is_invalid(request, reply)
        self._bar.set_postfix(self._counts(), refresh=False)
        self._bar.update(len(answered))

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def _counts(self) -> dict[str, object]:
        counts: dict[str, object] = {
            "tokens": f"{self._tokens.total:.0f}",
            "invalid": self._invalid,
        }
        if self._asker is not None:
            counts |= {"in flight": self._asker.pace.in_flight, "again": self._asker.again}
        if spent := cost.money(self._model, self._tokens):
            counts["USD"] = f"{spent:.4f}"
        return counts
