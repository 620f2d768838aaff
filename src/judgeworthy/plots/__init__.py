"""Figures: a DataFrame becomes a matplotlib figure. No arithmetic beyond layout."""
