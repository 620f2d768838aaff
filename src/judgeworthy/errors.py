"""Faults that a user can mend. Each message names the file, the line or field, and the remedy."""


class JudgeworthyError(Exception):
    """A fault with a remedy; the command line prints its message without a traceback."""


class ParameterError(JudgeworthyError):
    """A parameter file that cannot be read as written."""


class DataError(JudgeworthyError):
    """A data file that is missing, broken or not in the expected format."""


class MissingRepliesError(JudgeworthyError):
    """Requests that have no recorded reply."""


class RecordError(JudgeworthyError):
    """A record of replies that cannot be read or written."""


class EndpointError(JudgeworthyError):
    """A model's endpoint that is not there, refuses, or serves another model."""


class ClusterError(JudgeworthyError):
    """A cluster that is not there, or cannot be used."""


class ServerMissingError(EndpointError):
    """A local model without the llama.cpp server that serves it."""
