"""Layouts: how each section's tables are laid out for a reader. No arithmetic beyond layout."""
