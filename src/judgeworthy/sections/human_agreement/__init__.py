"""Human agreement: whose side the judge is on, and what its score is worth.

After the comparison with human annotation of "LLM Judges Can Be Too Generous When There Is No
Reference Answer" (arXiv 2607.12885).
"""
