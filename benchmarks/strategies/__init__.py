"""How well each strategy, and each peer, serves a search: token-level recall, precision and IoU at equal sizes."""
