"""The sections of the papers: what to ask, and how to read the answers."""
