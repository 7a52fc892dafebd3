"""`seamline serve` under load."""
