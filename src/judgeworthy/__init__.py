"""An audit of LLM judges that see no reference answer."""
