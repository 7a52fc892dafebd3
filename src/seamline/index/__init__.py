"""From sources to an index: only what changed is cut, embedded and written."""
