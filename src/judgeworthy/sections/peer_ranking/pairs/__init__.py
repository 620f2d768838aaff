"""Answers compared in pairs: the models' consensus, and the people whom it is compared with.

Bradley–Terry with ties is fitted to the votes of the models alone, in both orders; people's votes
never enter it. Points and intervals cluster on prompts. Methods that need strict rankings read
those that can be derived from the pairs, and say how many of them they leave out.
"""

from judgeworthy.sections.peer_ranking.pairs.derived import DERIVED, derived, left_out, rankings
from judgeworthy.sections.peer_ranking.pairs.judges import JUDGES, ONE_ORDER, judges
from judgeworthy.sections.peer_ranking.pairs.people import COMPARED, compared
from judgeworthy.sections.peer_ranking.pairs.preferred import pairwise
from judgeworthy.sections.peer_ranking.pairs.strengths import STRENGTHS, strengths

__all__ = [
    "COMPARED",
    "DERIVED",
    "JUDGES",
    "ONE_ORDER",
    "STRENGTHS",
    "compared",
    "derived",
    "judges",
    "left_out",
    "pairwise",
    "rankings",
    "strengths",
]
