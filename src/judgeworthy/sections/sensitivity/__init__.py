"""Sensitivity: whether a judge's verdict depends on seeing a reference.

After stage 2 of "LLM Judges Can Be Too Generous When There Is No Reference Answer"
(arXiv 2607.12885). The same response of a generator is judged without a reference (NR), with the
reference visible (RV), and with the instruction to compare with it (RC).
"""
