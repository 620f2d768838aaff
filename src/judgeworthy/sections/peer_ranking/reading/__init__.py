"""What the estimates say: sentences, captions and alternative texts, for the section's page."""

from judgeworthy.sections.peer_ranking.reading.figures import alts, captions, heading
from judgeworthy.sections.peer_ranking.reading.paradigms import paradigms
from judgeworthy.sections.peer_ranking.reading.sentences import sentences
from judgeworthy.sections.peer_ranking.reading.task import CAUTION, provenance, task

__all__ = ["CAUTION", "alts", "captions", "heading", "paradigms", "provenance", "sentences", "task"]
