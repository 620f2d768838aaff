"""The models: where they are, how they are asked, and what they said."""
