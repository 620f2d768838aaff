"""Rankings: whom the judges prefer, how sure that is, and what else moves their ballots."""
