"""From sources to an index that holds them: only what changed is cut, embedded and written."""
