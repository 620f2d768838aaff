"""Peer ranking: models rank one another's answers, blind.

After "A Consensus-Based Relative Preference Evaluation Framework for Large Language Models"
(arXiv 2607.21632): generate, anonymise and shuffle, judge alone, de-anonymise, aggregate. Who gave
which answer is known to `unveiling` alone, which judging never reads.
"""
