"""The judge card: what all measures of a judge together allow it to be used for."""
