"""A user's own file: questions, references and responses that exist already.

A file of any common format becomes rows of text (`table`, `logs`), a column map gives them their
meaning (`rows`), and every fault is told at once (`faults`). What is left walks like any other data
set: questions, and beside them responses and human labels.
"""

from judgeworthy.datasets.tabular.reading import Brought, Reading, location, read

__all__ = ["Brought", "Reading", "location", "read"]
