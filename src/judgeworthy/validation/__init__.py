"""The instrument, tested: data with a planted truth, and how often intervals hold it."""
