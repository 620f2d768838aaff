"""Annotation: people label responses, in a sheet or in JupyterLab.

What they see is a question, its reference answer and a response; not whose response it is, nor what
any judge made of it. A label is about the response, so that it serves for every judge.
"""
