"""The report: what was found, on pages that open from disk and ask the network for nothing."""
