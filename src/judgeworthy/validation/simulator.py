"""Data whose truth is planted: labels, verdicts and what their rows share.

References
----------
.. [1] L. J. Emrich, M. R. Piedmonte (1991). A method for generating high-dimensional multivariate
   binary variates. The American Statistician 45, 302-304.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from judgeworthy.statistics.clusters import Floats


@dataclass(frozen=True)
class Panel:
    """A planted panel of responses that people and a judge label.

    Attributes
    ----------
    clusters, size : int
        Questions, and responses to each.
    prevalence : float
        Share that people accept.
    sensitivity, specificity : float
        Share that the judge accepts of what people accept, and rejects of what they reject.
    correlation : float
        Of the normal variables behind two labels, or two verdicts, of one question.
    """

    clusters: int
    size: int
    prevalence: float
    sensitivity: float
    specificity: float
    correlation: float

    @property
    def n(self) -> int:
        """Number of responses."""
        return self.clusters * self.size

    @property
    def labels(self) -> NDArray[np.intp]:
        """The cluster of each response."""
        return np.repeat(np.arange(self.clusters), self.size)


def draw(panel: Panel, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw human labels and verdicts, 1 or 0 each.

    Each is a normal variable below a threshold [1]_; those of a question share a part, so that
    rows correlate while every share stays exactly what it is.
    """
    human = (_normal(panel, generator) < ndtri(panel.prevalence)).astype(np.float64)
    right = np.where(human == 1, panel.sensitivity, panel.specificity)
    correct = _normal(panel, generator) < ndtri(right)
    return human, np.where(correct, human, 1 - human)


def _normal(panel: Panel, generator: np.random.Generator) -> Floats:
    shared = np.repeat(generator.standard_normal(panel.clusters), panel.size)
    own = generator.standard_normal(panel.n)
    rho = panel.correlation
    mixed: Floats = np.sqrt(rho) * shared + np.sqrt(1 - rho) * own
    return mixed
